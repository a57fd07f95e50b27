"""A fact in words of its own, in the speaker's language."""

from __future__ import annotations

from perdure.domain.readings import USER, Polarity
from perdure.understanding.languages.language import Language
from perdure.understanding.predicates import ATTRIBUTE


def statement_of(
    language: Language,
    *,
    subject: str,
    predicate: str,
    value: str,
    polarity: Polarity,
    is_passing: bool,
    kind: str = "",
) -> str:
    """One sentence that names only the value that holds.

    `kind` is the word for the kind of thing in a favourite, in the speaker's language.
    """
    family, _, rest = predicate.partition(":")
    forms = language.statements.get(
        predicate if predicate in language.statements else f"{family}:",
        language.statements[ATTRIBUTE],
    )
    said = forms[polarity == "-"].format(
        s=_named(language, subject), o=value, k=kind or rest or family.replace("_", " ")
    )
    return language.passing.format(statement=said) if is_passing else said


def _named(language: Language, subject: str) -> str:
    if subject == USER:
        return language.user
    head, _, role = subject.partition(".")
    if head == USER and role:
        named = language.role_names.get(role, role.replace("_", " "))
        return language.possessive.format(s=language.user, r=named)
    return subject
