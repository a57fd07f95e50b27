"""Which memory holds which term how often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_GROWTH = 4
"""A segment at least this many times larger than the next stays; smaller ones are merged."""
_TAIL = 2048
"""So many postings are kept unsorted before they become a segment."""


Counts = NDArray[np.signedinteger[Any]]
"""How often; the wider ones only where a text needs them."""


class Segment(NamedTuple):
    """Postings sorted by (term, row), one for each term of each row."""

    terms: NDArray[np.uint32]
    rows: NDArray[np.int32]
    counts: Counts

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.terms.nbytes + self.rows.nbytes + self.counts.nbytes


def counted(terms: NDArray[np.uint32], rows: NDArray[np.int32]) -> Segment:
    """The postings of terms with repeats, each beside its row."""
    if not len(terms):
        return _EMPTY
    pairs = terms.astype(np.uint64) << np.uint64(32) | rows.astype(np.uint64)
    pairs.sort()
    starts = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    counts = np.diff(np.append(starts, len(pairs)))
    is_narrow = counts.max() <= np.iinfo(np.int16).max
    return _segment(pairs[starts], counts.astype(np.int16 if is_narrow else np.int32))


def _segment(pairs: NDArray[np.uint64], counts: Counts) -> Segment:
    terms = (pairs >> np.uint64(32)).astype(np.uint32)
    rows = (pairs & np.uint64(0xFFFFFFFF)).astype(np.int32)
    return Segment(terms, rows, counts)


def _merged(one: Segment, other: Segment) -> Segment:
    """Both segments' postings. Their rows differ, so no posting is in both."""
    terms = np.concatenate((one.terms, other.terms))
    rows = np.concatenate((one.rows, other.rows))
    order = np.lexsort((rows, terms))
    counts: Counts = np.concatenate((one.counts, other.counts))
    return Segment(terms[order], rows[order], counts[order])


_EMPTY = Segment(
    np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int16)
)


class Postings:
    """All postings, as a few sorted segments of falling size. Values are immutable once given."""

    __slots__ = ("segments",)

    def __init__(self, segments: tuple[Segment, ...] = ()) -> None:
        self.segments = segments

    def with_added(self, added: Segment) -> Postings:
        """These postings and those of new rows."""
        if not len(added.terms):
            return self
        segments = [*self.segments, added]
        while len(segments) > 1 and _is_close(segments[-2], segments[-1]):
            last = segments.pop()
            segments[-1] = _merged(segments[-1], last)
        return Postings(tuple(segments))

    def of(self, terms: Sequence[int]) -> list[list[tuple[NDArray[np.int32], Counts]]]:
        """For each term, the (rows, counts) that hold it; a row appears once per term."""
        found: list[list[tuple[NDArray[np.int32], Counts]]] = [[] for _ in terms]
        asked = np.array(terms, dtype=np.uint32)
        for segment in self.segments:
            starts = segment.terms.searchsorted(asked, side="left").tolist()
            ends = segment.terms.searchsorted(asked, side="right").tolist()
            for position, (start, end) in enumerate(zip(starts, ends, strict=True)):
                if start < end:
                    found[position].append((segment.rows[start:end], segment.counts[start:end]))
        return found

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(segment.nbytes for segment in self.segments)


def _is_close(one: Segment, other: Segment) -> bool:
    both_small = len(one.terms) + len(other.terms) <= _TAIL
    return both_small or len(one.terms) < _GROWTH * len(other.terms)
