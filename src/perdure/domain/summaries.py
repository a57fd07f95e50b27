"""Summaries of related memories as memories of their own: lines, each with what it is from.

A summary is always made from memories people told. None is made from another summary, so nothing
is lost twice; and it goes when one of them goes, so it never tells what is no longer held.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from perdure.domain.records import Kind, Memory

SUMMARY = "summary"
"""The key in a summary's metadata under which its mark stands."""
MOST_LINES = 6
MOST_LINE_CHARS = 280
MOST_READ_CHARS = 4_000
"""Of each memory: what a longer one says further on is in no summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a summary and the ids of the memories it is from."""

    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryMark:
    """What a summary's metadata tell: who made it ("extracts", or the language model), of which
    words (`digest`), and the sources of each line."""

    by: str
    digest: str
    lines: tuple[tuple[str, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """What is stored."""
        return {"by": self.by, "digest": self.digest, "lines": [list(ids) for ids in self.lines]}


def summary_in(memory: Memory) -> SummaryMark | None:
    """The mark of a summary; None when the memory is none, whatever its metadata say."""
    stored = memory.metadata.get(SUMMARY)
    if memory.kind is not Kind.SEMANTIC or memory.predicate is not None or not memory.provenance:
        return None
    if not isinstance(stored, Mapping):
        return None
    try:
        return SummaryMark(
            by=str(stored["by"]),
            digest=str(stored["digest"]),
            lines=tuple(tuple(map(str, ids)) for ids in stored["lines"]),
        )
    except (KeyError, TypeError):
        return None


def is_summary(memory: Memory) -> bool:
    """Whether consolidation made the memory out of others."""
    return summary_in(memory) is not None


def falls_with(memory: Memory, lost: Collection[str]) -> bool:
    """Whether what was drawn from memories is lost when these are.

    A fact goes with the last of them, because each says it; a summary with any of them, because
    each says a part of it.
    """
    if is_summary(memory):
        return any(name in lost for name in memory.provenance)
    return all(name in lost for name in memory.provenance)


def digest_of(sources: Sequence[Memory]) -> str:
    """Tells whether a summary is of these memories as they are worded now; hexadecimal."""
    digest = blake2b(digest_size=16)
    for memory in sources:
        for part in (memory.id, memory.content):
            raw = part.encode("utf-8")
            digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()


def most_central(own: Sequence[Collection[int]], others: Sequence[Collection[int]]) -> int:
    """Which of a memory's sentences says most of what the other memories are about: its position.

    The sentences are given by their terms; the centrality of one is the mean of the terms it
    shares (`shared`) with the sentences of the others. The first of equal ones.

    Source: degree centrality, as in LexRank; Erkan and Radev, JAIR 2004.
    """
    return max(
        range(len(own)),
        key=lambda position: (sum(shared(own[position], other) for other in others), -position),
    )


def shared(one: Collection[int], other: Collection[int]) -> float:
    """The share of terms two texts have in common, in [0, 1]: twice those of both ÷ all (Dice)."""
    total = len(one) + len(other)
    return 2 * len(set(one) & set(other)) / total if total else 0.0
