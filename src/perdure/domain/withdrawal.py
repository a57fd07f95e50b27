"""Which stored memories a request to lose something means: pure, and on the side of keeping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perdure.domain.analysis import lexemes, query_lexemes
from perdure.domain.readings import Target
from perdure.domain.records import Memory
from perdure.domain.text import fold

MEANT = 0.5
"""Likeness to the target from which a memory is meant."""
MEANT_BY_EVERYTHING = 0.4
"""The same for a request that names everything about something."""
BEHIND_THE_BEST = 0.12
"""How far behind the likeliest memory another may be and still be meant with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that a request may mean.

    `withdrawn` is the probability, by the understanding, that the request takes it back;
    `relevance` how near its meaning is to the target's words, in [0, 1].
    """

    memory: Memory
    withdrawn: float
    relevance: float = 0.0


def coverage(target: str, text: str) -> float:
    """Share of the target's telling words that the text has, in [0, 1]."""
    sought = query_lexemes(target)
    if not sought:
        return 0.0
    held = set(lexemes(text))
    return sum(term in held for term in sought) / len(sought)


def likeness(target: Target, candidate: Candidate) -> float:
    """How likely the target means the memory, in [0, 1]."""
    words = coverage(target.text, candidate.memory.content)
    named = max(words, candidate.relevance)
    return 0.5 * named + 0.5 * max(candidate.withdrawn, words)


def meant_by(target: Target, candidates: Sequence[Candidate]) -> list[Memory]:
    """The memories the target means; none when nothing is likely enough."""
    if not candidates:
        return []
    rated = [(likeness(target, item), item.memory) for item in candidates]
    best = max(rate for rate, _ in rated)
    floor = MEANT_BY_EVERYTHING if target.is_everything else max(MEANT, best - BEHIND_THE_BEST)
    return [memory for rate, memory in rated if rate >= floor]


_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d{2,}")
ECHOED = 0.5
"""Share of the lost words, beyond those of the request, that makes other words an echo."""


def is_echo(text: str, lost: Iterable[Memory], target: str) -> bool:
    """Whether words that nobody vouches for repeat what is to be lost."""
    said = set(lexemes(text))
    folded = fold(text)
    asked = set(lexemes(target))
    for memory in lost:
        if memory.object and len(memory.object) > 1 and fold(memory.object) in folded:
            return True
        content = fold(memory.content)
        if any(number in folded for number in _NUMBER.findall(content)):
            return True
        telling = set(query_lexemes(memory.content)) - asked
        if telling and len(telling & said) / len(telling) >= ECHOED:
            return True
    return False
