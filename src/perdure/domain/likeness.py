"""How near two statements are: in words, in meaning, in what they tell of and when."""

from __future__ import annotations

from perdure.domain.analysis import query_lexemes
from perdure.domain.predicates import are_opposites
from perdure.domain.proposals import Known, Statement

FAR = 0.28
"""Cosine below which two statements without a word in common have nothing to do with one another."""
ALIKE, NEAR = 0.4, 0.45
"""Share of words in common, or cosine, from which two statements speak of the same."""


def is_alike(statement: Statement, known: Known) -> bool:
    """Whether the two speak of the same, by their words or by their meaning."""
    shared = _shared_words(known.memory.content, statement.content)
    return (known.cosine or 0.0) >= NEAR or shared >= ALIKE


def is_elsewhere(statement: Statement, known: Known) -> bool:
    """Whether the two have nothing to do with one another, whatever a verdict says."""
    shared = _shared_words(known.memory.content, statement.content)
    if shared <= 0.0 and (known.cosine or 0.0) < FAR:
        return True
    return not is_alike(statement, known) and _tells_of_something_else(statement, known)


def _tells_of_something_else(statement: Statement, known: Known) -> bool:
    """Whether both sides have facts, and none of one is of a kind that the other has."""
    told = {claim.predicate for claim in statement.claims}
    stored = {fact.predicate for fact in known.facts if fact.predicate is not None}
    if not told or not stored:
        return False
    return not any(one == other or are_opposites(one, other) for one in told for other in stored)


def _shared_words(one: str, other: str) -> float:
    """Telling words in common, as a share of the fewer, in [0, 1]."""
    first, second = set(query_lexemes(one)), set(query_lexemes(other))
    return len(first & second) / max(1, min(len(first), len(second)))


def is_over(statement: Statement) -> bool:
    """Whether the statement names a time that had ended when it was made."""
    when = statement.sentence.when
    return when is not None and when.end is not None and when.end <= statement.said_at
