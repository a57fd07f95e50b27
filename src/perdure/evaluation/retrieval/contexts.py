"""Whether the words of an answer stand in what goes into a prompt.

The question is what a language model could read, not what it would make of it: the answer, as the
file gives it, must stand in the text, whole words, after folding case, width, punctuation and
articles. Asked only of questions whose answer stands like that in a document that holds the
evidence, so that a perfect memory would reach 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from perdure.domain.text import holds_han
from perdure.evaluation.retrieval.units import Question, Unit

BUDGETS = (125, 250, 500, 1000)
"""Tokens of context, by the package's own counter."""
_ARTICLES = frozenset({"a", "an", "the"})


def is_covered(answer: str, text: str) -> bool:
    """Whether the answer's words stand in the text. An answer without words never does."""
    wanted, given = _folded(answer), _folded(text)
    if not wanted:
        return False
    if holds_han(wanted):  # no spaces between words, so none to keep
        return wanted.replace(" ", "") in given.replace(" ", "")
    return f" {wanted} " in f" {given} "


def can_be_covered(unit: Unit, question: Question) -> bool:
    """Whether a document that holds the evidence says the answer in these words."""
    return question.is_answerable and any(
        is_covered(question.answer, text) for text in _evidence(unit, question)
    )


def _evidence(unit: Unit, question: Question) -> Iterable[str]:
    return (
        item.text
        for item in unit.documents
        if (item.session if question.by_session else item.id) in question.gold
    )


def _folded(text: str) -> str:
    words = re.sub(r"[^\w]+|_", " ", unicodedata.normalize("NFKC", text).casefold()).split()
    return " ".join(word for word in words if word not in _ARTICLES)
