"""One user's memories as arrays, ready to be searched, and how they follow changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.ports.embedder import FloatArray
from perdure.stores._index.growing import GrowingArray, GrowingColumns
from perdure.stores._index.postings import Postings, counted

NEVER = np.iinfo(np.int64).max
"""For a time that is not set, where later means for longer."""

# Bits of `flags`.
FORGOTTEN, ARCHIVED, RETIRED, SUPERSEDED, GONE = 1, 2, 4, 8, 16
"""GONE marks a row whose memory has another row now, because its words or vectors changed."""

# Columns of `times`.
OCCURRED, OCCURRED_END, VALID_FROM, VALID_TO, EXPIRES = range(5)

_COMPACT_AT = 0.25
"""Share of rows that are gone from which the arrays are made anew."""


class Standing(NamedTuple):
    """What changes in a memory without its words: one row of the columns.

    `kind`, `agent` and `session` are texts; times are microseconds, NEVER where none is set.
    """

    memory: int
    id: str
    flags: int
    kind: str
    agent: str
    session: str
    occurred_at: int
    occurred_end: int
    valid_from: int
    valid_to: int
    expires_at: int
    importance: float
    accessed_count: int


class Loaded(NamedTuple):
    """A memory with what a search needs. `vectors` has shape (pieces, dimension)."""

    standing: Standing
    terms: NDArray[np.uint32]
    vectors: FloatArray | None


class Snapshot(NamedTuple):
    """A partition at one moment. Nothing in it changes, except that access counts may."""

    size: int
    memories: NDArray[np.int64]
    ids: Sequence[str]
    flags: NDArray[np.uint8]
    kinds: NDArray[np.int32]
    agents: NDArray[np.int32]
    sessions: NDArray[np.int32]
    times: NDArray[np.int64]
    importance: NDArray[np.float64]
    accessed: NDArray[np.int64]
    lengths: NDArray[np.int64]
    postings: Postings
    vectors: VectorRows


class VectorRows(NamedTuple):
    """All vectors. Those of one row follow one another; `rows` ascend.

    `rows` are the rows that have vectors and `starts` where each one's begin.
    """

    matrix: FloatArray
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]

    @property
    def is_single(self) -> bool:
        """Whether every row that has vectors has exactly one."""
        return len(self.matrix) == len(self.rows)


class Codes:
    """Texts as small numbers, in order of first appearance."""

    __slots__ = ("numbers", "texts")

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.texts: list[str] = []

    def code(self, text: str) -> int:
        """The text's number, a new one if need be."""
        number = self.numbers.get(text)
        if number is None:
            number = self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return number


class Partition:
    """The arrays behind the snapshots. Changes are made by one thread at a time."""

    def __init__(self) -> None:
        self.rows: dict[int, int] = {}
        self.kinds, self.agents, self.sessions = Codes(), Codes(), Codes()
        self._ids: list[str] = []
        self._memories = GrowingArray(np.int64)
        self._flags = GrowingArray(np.uint8)
        self._codes = GrowingColumns(np.int32, count=3)
        self._times = GrowingColumns(np.int64, count=5)
        self._importance = GrowingArray(np.float64)
        self._accessed = GrowingArray(np.int64)
        self._lengths = GrowingArray(np.int64)
        self._postings = Postings()
        self._matrix: GrowingArray | None = None
        self._vector_rows = GrowingArray(np.int32)
        self._vector_starts = GrowingArray(np.int64)
        self._gone = 0
        self.snapshot = self._published()

    def add(self, loaded: Sequence[Loaded]) -> None:
        """Append memories; one that has a row already gets this new one."""
        if not loaded:
            return
        first = self._flags.size
        replaced = [self.rows[item.standing.memory] for item in loaded
                    if item.standing.memory in self.rows]  # fmt: skip
        self._append_columns([item.standing for item in loaded])
        self._append_terms(first, [item.terms for item in loaded])
        self._append_vectors(first, [item.vectors for item in loaded])
        if replaced:
            self._flags.replace(replaced, self._flags.view[replaced] | GONE)
            self._gone += len(replaced)
        for position, item in enumerate(loaded, start=first):
            self.rows[item.standing.memory] = position
        self.snapshot = self._published()

    def change(self, standings: Sequence[Standing]) -> None:
        """Bring the columns of known memories up to date."""
        if not standings:
            return
        rows = [self.rows[item.memory] for item in standings]
        self._accessed.view[rows] = [item.accessed_count for item in standings]
        before = self._columns_at(rows)
        after = self._columns_of(standings)
        if any(not np.array_equal(old, new) for old, new in zip(before, after, strict=True)):
            flags, codes, times, importance = after
            self._flags.replace(rows, flags)
            self._codes.replace(rows, codes)
            self._times.replace(rows, times)
            self._importance.replace(rows, importance)
        self.snapshot = self._published()

    @property
    def wants_compaction(self) -> bool:
        """Whether enough rows are gone that loading afresh pays."""
        return self._gone > 64 and self._gone > _COMPACT_AT * self._flags.size

    @property
    def nbytes(self) -> int:
        """About how many bytes all of it takes."""
        arrays = (
            self._memories, self._flags, self._codes, self._times, self._importance,
            self._accessed, self._lengths, self._vector_rows, self._vector_starts,
        )  # fmt: skip
        held = sum(array.nbytes for array in arrays) + self._postings.nbytes
        if self._matrix is not None:
            held += self._matrix.nbytes
        return held + 4096 + 200 * len(self._ids)

    def _columns_of(self, standings: Sequence[Standing]) -> tuple[NDArray[Any], ...]:
        return (
            np.array([item.flags for item in standings], dtype=np.uint8),
            np.array(
                [
                    (
                        self.kinds.code(item.kind),
                        self.agents.code(item.agent),
                        self.sessions.code(item.session),
                    )
                    for item in standings
                ],
                dtype=np.int32,
            ).T,
            np.array([item[6:11] for item in standings], dtype=np.int64).T,
            np.array([item.importance for item in standings], dtype=np.float64),
        )

    def _columns_at(self, rows: list[int]) -> tuple[NDArray[Any], ...]:
        return (
            self._flags.view[rows],
            self._codes.view[:, rows],
            self._times.view[:, rows],
            self._importance.view[rows],
        )

    def _append_columns(self, standings: Sequence[Standing]) -> None:
        flags, codes, times, importance = self._columns_of(standings)
        self._flags.extend(flags)
        self._codes.extend(codes)
        self._times.extend(times)
        self._importance.extend(importance)
        self._memories.extend(np.array([item.memory for item in standings], dtype=np.int64))
        self._accessed.extend(np.array([item.accessed_count for item in standings], dtype=np.int64))
        self._ids.extend([item.id for item in standings])

    def _append_terms(self, first: int, terms: Sequence[NDArray[np.uint32]]) -> None:
        lengths = np.array([len(item) for item in terms], dtype=np.int64)
        rows = np.repeat(np.arange(first, first + len(terms), dtype=np.int32), lengths)
        self._lengths.extend(lengths)
        self._postings = self._postings.with_added(counted(np.concatenate(terms), rows))

    def _append_vectors(self, first: int, vectors: Sequence[FloatArray | None]) -> None:
        present = [(first + i, item) for i, item in enumerate(vectors) if item is not None]
        if not present:
            return
        if self._matrix is None:
            self._matrix = GrowingArray(np.float32, width=present[0][1].shape[1])
        sizes = np.array([len(item) for _, item in present], dtype=np.int64)
        starts = self._matrix.size + np.cumsum(sizes) - sizes
        self._matrix.extend(np.concatenate([item for _, item in present]))
        self._vector_rows.extend(np.array([row for row, _ in present], dtype=np.int32))
        self._vector_starts.extend(starts)

    def _published(self) -> Snapshot:
        codes = self._codes.view
        matrix = np.empty((0, 0), dtype=np.float32) if self._matrix is None else self._matrix.view
        return Snapshot(
            size=self._flags.size,
            memories=self._memories.view,
            ids=self._ids,
            flags=self._flags.view,
            kinds=codes[0],
            agents=codes[1],
            sessions=codes[2],
            times=self._times.view,
            importance=self._importance.view,
            accessed=self._accessed.view,
            lengths=self._lengths.view,
            postings=self._postings,
            vectors=VectorRows(matrix, self._vector_rows.view, self._vector_starts.view),
        )
