"""When a fact that was found is one of those listed. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

from perdure.domain.readings import USER, Modality, Polarity
from perdure.evaluation.extraction.items import ListedFact

Strictness = Literal["strict", "lenient"]

_ARTICLES = frozenset({"a", "an", "the"})
_APOSTROPHES = frozenset("'’‘")

KINDRED = (
    frozenset({"likes", "prefers", "favourite", "hobby"}),
    frozenset({"dislikes", "avoids", "diet"}),
    frozenset({"spouse", "partner"}),
    frozenset({"plans", "goal", "schedule"}),
    frozenset({"works_on", "uses"}),
    frozenset({"skill", "hobby"}),
    frozenset({"friend", "housemate", "neighbour", "colleague"}),
)
"""Predicates that count as one in the lenient score."""
_WHEREABOUTS = frozenset({"lives_in", "located_in"})
"""Kindred too, for people: a thing is located, but does not live."""
_PEOPLE = frozenset(
    "sibling parent spouse partner manager relative child friend colleague housemate neighbour".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFact:
    """One fact as a memory holds it."""

    subject: str
    predicate: str
    object: str
    polarity: Polarity = "+"
    modality: Modality = Modality.ASSERTED


def fold(text: str) -> str:
    """Words as they are compared: without case, width, punctuation, articles and spaces."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(map(_without_punctuation, plain))
    return "".join(word for word in spaced.split() if word not in _ARTICLES)


def _without_punctuation(char: str) -> str:
    if char in _APOSTROPHES:
        return ""
    return " " if unicodedata.category(char).startswith("P") else char


def is_same_object(one: str, other: str) -> bool:
    """Whether they are equal, or one holds the other and is at most twice as long."""
    short, long = sorted((fold(one), fold(other)), key=len)
    return bool(short) and short in long and 2 * len(short) >= len(long)


def is_same_subject(found: str, listed: str, speaker: str) -> bool:
    """Whether they are one; the user may be called by the speaker's name."""
    names = {fold(name) for name in (USER, speaker)}
    if fold(listed) in names:
        return fold(found) in names
    return fold(found) == fold(listed)


def is_same_predicate(one: str, other: str, *, subject: str, strictness: Strictness) -> bool:
    """Whether they are equal, or kindred where the score is lenient."""
    if one.casefold() == other.casefold():
        return True
    if strictness == "strict":
        return False
    pair = {_kind(one), _kind(other)}
    if pair == _WHEREABOUTS:
        return is_person(subject)
    return any(pair <= kindred for kindred in KINDRED)


def _kind(predicate: str) -> str:
    """`favourite` for every `favourite:<thing>`."""
    return predicate.casefold().partition(":")[0]


def is_person(subject: str) -> bool:
    """Whether a subject is somebody: the user, one of theirs, or a name."""
    owner, _, place = subject.partition(".")
    return owner != USER or not place or place in _PEOPLE


def matches(
    found: FoundFact, listed: ListedFact, *, speaker: str, strictness: Strictness = "strict"
) -> bool:
    """Whether a found fact is the listed one, modality included."""
    return found.modality is listed.modality and says_the_same(
        found, listed, speaker=speaker, strictness=strictness
    )


def says_the_same(
    found: FoundFact, listed: ListedFact, *, speaker: str, strictness: Strictness
) -> bool:
    """Whether two facts are equal but for their modality."""
    found_predicate, found_polarity = _canonical(found.predicate, found.polarity)
    listed_predicate, listed_polarity = _canonical(listed.predicate, listed.polarity)
    return (
        found_polarity == listed_polarity
        and is_same_subject(found.subject, listed.subject, speaker)
        and is_same_predicate(
            found_predicate, listed_predicate, subject=listed.subject, strictness=strictness
        )
        and any(is_same_object(found.object, wording) for wording in listed.objects)
    )


def _canonical(predicate: str, polarity: Polarity) -> tuple[str, Polarity]:
    """Not to like something is to dislike it."""
    return ("dislikes", "+") if (predicate, polarity) == ("likes", "-") else (predicate, polarity)


def came_out(found: FoundFact, trap: ListedFact, *, speaker: str) -> bool:
    """Whether what was only asked, supposed or quoted is held of the same subject.

    A kindred predicate is no excuse.
    """
    return found.modality.is_held and says_the_same(
        found, trap, speaker=speaker, strictness="lenient"
    )
