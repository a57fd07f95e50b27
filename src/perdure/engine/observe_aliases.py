"""Other names of somebody or something, as far as a text mentions them."""

from __future__ import annotations

from collections.abc import Iterable

from perdure.domain.predicates import NAMING
from perdure.domain.readings import USER
from perdure.domain.records import Memory, State
from perdure.domain.text import fold


def names_in(facts: Iterable[Memory]) -> dict[str, str]:
    """Other name to the name that is used, from current facts that give something a name."""
    found: dict[str, str] = {}
    for fact in facts:
        if (
            fact.predicate in NAMING
            and fact.subject
            and fact.object
            and fact.polarity == "+"
            and fact.state is State.ACTIVE
            and fact.subject != USER
            and not fact.subject.startswith(f"{USER}.")
            and fold(fact.subject) != fold(fact.object)
        ):
            found[fact.object] = fact.subject
    return found


def is_named(name: str, text: str) -> bool:
    """Whether a text mentions a name, whole where words are spaced."""
    folded, sought = fold(text), fold(name)
    place = folded.find(sought)
    while place >= 0:
        before = folded[place - 1 : place]
        after = folded[place + len(sought) : place + len(sought) + 1]
        if not (_is_latin(before) or _is_latin(after)) or not _is_latin(sought[:1]):
            return True
        place = folded.find(sought, place + 1)
    return False


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()
