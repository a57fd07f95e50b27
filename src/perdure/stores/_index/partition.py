"""One user's memories as arrays, ready to be searched, and how they follow changes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from perdure.ports.embedder import FloatArray
from perdure.stores._index.conversations import Conversations, Turn
from perdure.stores._index.fields import Fields
from perdure.stores._index.growing import GrowingArray, GrowingColumns
from perdure.stores._index.postings import Postings, counted

NEVER = (1 << 63) - 1
"""For a time that is not set, where later means for longer."""

# Bits of `flags`.
FORGOTTEN, ARCHIVED, RETIRED, SUPERSEDED, GONE, SPOKEN, HAN = 1, 2, 4, 8, 16, 32, 64
"""GONE marks a row whose memory has another row now, because its words or vectors changed."""

# Columns of `times`.
OCCURRED, OCCURRED_END, VALID_FROM, VALID_TO, EXPIRES = range(5)

_COMPACT_FROM, _COMPACT_AT = 64, 0.25
"""The number and share of rows that are gone from which loading afresh pays."""
_BYTES_PER_ROW, _BYTES_PER_PARTITION = 260, 8192
"""Roughly what Python's own objects take: the id, the entry in `rows`, the arrays' headers."""


class Standings(NamedTuple):
    """What changes in memories without their words, as columns of equal length.

    `kinds`, `agents` and `sessions` are texts; times are microseconds, NEVER where none is set.
    """

    memories: Sequence[int]
    ids: Sequence[str]
    flags: Sequence[int]
    kinds: Sequence[str]
    agents: Sequence[str]
    sessions: Sequence[str]
    occurred_at: Sequence[int]
    occurred_end: Sequence[int]
    valid_from: Sequence[int]
    valid_to: Sequence[int]
    expires_at: Sequence[int]
    importance: Sequence[float]
    accessed: Sequence[int]

    @property
    def times(self) -> Sequence[Sequence[int]]:
        """The columns of `times`, in their order."""
        return self[6:11]


class Embedded(NamedTuple):
    """The vectors of a block's memories: `positions` in the block that have any, how many each
    (`sizes`), and all of them one after the other."""

    positions: NDArray[np.int64]
    sizes: NDArray[np.int64]
    matrix: FloatArray


class Block(NamedTuple):
    """Some memories with what a search needs. `terms` are 32-bit codes as bytes, little endian."""

    standings: Standings
    terms: Sequence[bytes]
    embedded: Embedded | None


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


class Snapshot(NamedTuple):
    """A partition at one moment. Nothing in it changes, except that access counts may."""

    size: int
    memories: NDArray[np.int64]
    ids: Sequence[str]
    flags: NDArray[np.uint8]
    kinds: NDArray[np.int32]
    agents: NDArray[np.int32]
    sessions: NDArray[np.int32]
    """0 for those of no session."""
    conversations: NDArray[np.int32]
    """Equal where agent and session are."""
    times: NDArray[np.int64]
    importance: NDArray[np.float64]
    accessed: NDArray[np.int64]
    lengths: NDArray[np.int64]
    postings: Postings
    turns: NDArray[np.int32]
    """Rows that were said in conversations, those of one together and in order."""
    vectors: VectorRows


Named = TypeVar("Named", bound=Hashable)


class Codes(Generic[Named]):
    """Names as small numbers, in order of first appearance; the empty one is 0."""

    __slots__ = ("numbers",)

    def __init__(self, empty: Named) -> None:
        self.numbers: dict[Named, int] = {empty: 0}

    def of(self, names: Sequence[Named]) -> list[int]:
        """The names' numbers, new ones if need be."""
        numbers = self.numbers
        for name in set(names).difference(numbers):
            numbers[name] = len(numbers)
        return [numbers[name] for name in names]


class Partition:
    """The arrays behind the snapshots. Changes are made by one thread at a time."""

    def __init__(self) -> None:
        self._rows: dict[int, int] | None = None
        self.fields = Fields()
        self.kinds, self.agents, self.sessions = Codes(""), Codes(""), Codes("")
        self._pairs = Codes(("", ""))
        self._ids: list[str] = []
        self._memories = GrowingArray(np.int64)
        self._flags = GrowingArray(np.uint8)
        self._codes = GrowingColumns(np.int32, count=4)
        self._times = GrowingColumns(np.int64, count=5)
        self._importance = GrowingArray(np.float64)
        self._accessed = GrowingArray(np.int64)
        self._lengths = GrowingArray(np.int64)
        self._postings = Postings()
        self._conversations = Conversations()
        self._matrix: GrowingArray | None = None
        self._vector_rows = GrowingArray(np.int32)
        self._vector_starts = GrowingArray(np.int64)
        self._gone = 0
        self.snapshot = self._published()

    @classmethod
    def filled(cls, blocks: Iterable[Block], *, size: int) -> Partition:
        """A partition with these memories, about `size` of them."""
        partition = cls()
        partition._reserve(size)
        terms: list[bytes] = []
        for block in blocks:
            partition._append(block, reserving=size)
            terms.extend(block.terms)
        partition._append_terms(0, terms)
        partition._conversations = Conversations(partition._turns(range(partition._flags.size)))
        partition.snapshot = partition._published()
        return partition

    def add(self, block: Block) -> None:
        """Append memories; one that has a row already gets this new one."""
        if not block.standings.memories:
            return
        first = self._flags.size
        rows = self.rows
        replaced = [rows[memory] for memory in block.standings.memories if memory in rows]
        self._append(block)
        self._append_terms(first, block.terms)
        self._conversations.add(self._turns(range(first, self._flags.size)))
        if replaced:
            self._flags.replace(replaced, self._flags.view[replaced] | GONE)
            self._gone += len(replaced)
        self.snapshot = self._published()

    def change(self, standings: Standings) -> None:
        """Bring the columns of known memories up to date."""
        rows = [self.rows[memory] for memory in standings.memories]
        self._accessed.view[rows] = standings.accessed
        flags = np.array(standings.flags, dtype=np.uint8)
        codes = np.array(self._codes_of(standings), dtype=np.int32)
        times = np.array(standings.times, dtype=np.int64)
        importance = np.array(standings.importance, dtype=np.float64)
        before = self._turns(rows)
        # Access counts change often and alone; the rest is copied only when it has changed.
        if not np.array_equal(self._flags.view[rows], flags):
            self._flags.replace(rows, flags)
        if not np.array_equal(self._codes.view[:, rows], codes):
            self._codes.replace(rows, codes)
        if not np.array_equal(self._times.view[:, rows], times):
            self._times.replace(rows, times)
        if self._turns(rows) != before:
            self._conversations = Conversations(self._turns(range(self._flags.size)))
        if not np.array_equal(self._importance.view[rows], importance):
            self._importance.replace(rows, importance)
        self.fields.forget(rows)
        self.snapshot = self._published()

    @property
    def rows(self) -> dict[int, int]:
        """The row of each memory. Made when first asked for: what only searches needs none."""
        if self._rows is None:
            memories = self._memories.view[: self._flags.size].tolist()
            self._rows = dict(zip(memories, range(len(memories)), strict=True))
        return self._rows

    @property
    def wants_compaction(self) -> bool:
        """Whether enough rows are gone that loading afresh pays."""
        return self._gone > _COMPACT_FROM and self._gone > _COMPACT_AT * self._flags.size

    @property
    def nbytes(self) -> int:
        """About how many bytes all of it takes."""
        arrays = (
            self._memories, self._flags, self._codes, self._times, self._importance,
            self._accessed, self._lengths, self._vector_rows, self._vector_starts,
        )  # fmt: skip
        held = sum(array.nbytes for array in arrays) + self._postings.nbytes + self.fields.nbytes
        held += self._conversations.nbytes
        if self._matrix is not None:
            held += self._matrix.nbytes
        return held + _BYTES_PER_PARTITION + _BYTES_PER_ROW * len(self._ids)

    def _reserve(self, size: int) -> None:
        for array in (
            self._memories, self._flags, self._codes, self._times, self._importance,
            self._accessed, self._lengths, self._vector_rows, self._vector_starts,
        ):  # fmt: skip
            array.reserve(size)

    def _codes_of(self, standings: Standings) -> tuple[list[int], ...]:
        return (
            self.kinds.of(standings.kinds),
            self.agents.of(standings.agents),
            self.sessions.of(standings.sessions),
            self._pairs.of(list(zip(standings.agents, standings.sessions, strict=True))),
        )

    def _append(self, block: Block, *, reserving: int = 0) -> None:
        """Everything of a block but its terms."""
        standings, first = block.standings, self._flags.size
        if block.embedded is not None:
            # As many vectors a memory as in this block, and all of them when it is the only one.
            rows = len(standings.memories)
            expected = len(block.embedded.matrix) * max(reserving, rows) // max(rows, 1)
            self._append_vectors(first, block.embedded, expected)
        self._flags.extend(np.array(standings.flags, dtype=np.uint8))
        self._codes.extend(self._codes_of(standings))
        self._times.extend(standings.times)
        self._importance.extend(np.array(standings.importance, dtype=np.float64))
        self._memories.extend(np.array(standings.memories, dtype=np.int64))
        self._accessed.extend(np.array(standings.accessed, dtype=np.int64))
        self._ids.extend(standings.ids)
        if self._rows is not None:
            added = range(first, self._flags.size)
            self._rows.update(zip(standings.memories, added, strict=True))

    def _turns(self, rows: Sequence[int]) -> list[Turn]:
        """Those of the rows that were said in a conversation."""
        flags, codes, occurred = self._flags.view, self._codes.view, self._times.view[OCCURRED]
        return [
            (int(codes[1, row]), int(codes[2, row]), int(occurred[row]), self._ids[row], row)
            for row in rows
            if flags[row] & SPOKEN
        ]

    def _append_terms(self, first: int, terms: Sequence[bytes]) -> None:
        lengths = np.array([len(item) for item in terms], dtype=np.int64) // 4
        rows = np.repeat(np.arange(first, first + len(terms), dtype=np.int32), lengths)
        self._lengths.extend(lengths)
        codes = np.frombuffer(b"".join(terms), dtype="<u4")
        self._postings = self._postings.with_added(counted(codes, rows))

    def _append_vectors(self, first: int, embedded: Embedded, reserving: int) -> None:
        if self._matrix is None:
            self._matrix = GrowingArray(np.float32, width=embedded.matrix.shape[1])
            self._matrix.reserve(reserving)
        starts = self._matrix.size + np.cumsum(embedded.sizes) - embedded.sizes
        self._matrix.extend(embedded.matrix)
        self._vector_rows.extend(embedded.positions + first)
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
            conversations=codes[3],
            times=self._times.view,
            importance=self._importance.view,
            accessed=self._accessed.view,
            lengths=self._lengths.view,
            postings=self._postings,
            turns=self._conversations.rows,
            vectors=VectorRows(matrix, self._vector_rows.view, self._vector_starts.view),
        )
