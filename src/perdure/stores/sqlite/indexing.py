"""The search indexes of a file: loaded when first asked for, then kept in step with the journal.

Every search asks how far the journal and the changes of vectors have come. What is new, by whatever
process, is applied to the partitions that are held; the others are loaded afresh when needed.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from threading import RLock
from typing import NamedTuple

from perdure.stores._index.caching import PartitionCache
from perdure.stores._index.partition import Block, Partition
from perdure.stores.sqlite.blocks import Part, block_of, standings_of
from perdure.stores.sqlite.recent import RecentRows
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.statements import statements

_ROWS_AT_ONCE = 4096
_FOLLOWED_AT_MOST = 20_000
"""Journal entries; further behind than that, what is asked for is loaded afresh."""


class Progress(NamedTuple):
    """How far journal and changes of vectors have come."""

    sequence: int
    tick: int


class Model(NamedTuple):
    """The model whose vectors the indexes hold."""

    number: int
    dimension: int | None
    identity: str | None


_NO_MODEL = Model(-1, None, None)


class Indexes:
    """The partitions' indexes, over borrowed connections."""

    def __init__(self, *, budget_bytes: int) -> None:
        self._sql = statements()
        self._cache = PartitionCache(budget_bytes)
        self._lock = RLock()
        self._applied: Progress | None = None
        self._model = _NO_MODEL
        self.recent = RecentRows()

    def uses(self, model: str | None) -> bool:
        """Whether the indexes' vectors are this model's."""
        return model == self._model.identity

    def partition(self, connection: sqlite3.Connection, number: int) -> Partition:
        """The partition's index, with everything in it that the last `catch_up` found."""
        found = self._cache.get(number)
        if found is not None:
            return found
        with self._lock:
            found = self._cache.get(number)
            if found is None:
                found = self._load(connection, number)
                self._cache.put(number, found)
            return found

    def held(self, number: int) -> Partition | None:
        """The partition's index if it is held."""
        return self._cache.get(number)

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._cache.clear()
            self.recent.clear()

    def forget(self, number: int) -> None:
        """Let go of one partition, whatever memory what was erased of it took with it."""
        with self._lock:
            self._cache.drop(number)
            self.recent.clear()

    def catch_up(self, connection: sqlite3.Connection) -> None:
        """Take in what was committed before the call."""
        progress = self._progress(connection)
        if progress == self._applied:
            return
        with self._lock:
            if self._applied is None:
                self._model = self._read_model(connection)
                self._applied = progress
            elif progress > self._applied or progress.tick > self._applied.tick:
                self._apply_news(connection, self._applied)

    def _progress(self, connection: sqlite3.Connection) -> Progress:
        sequence, tick = connection.execute(self._sql["progress"]).fetchone()
        return Progress(sequence or 0, tick or 0)

    def _apply_news(self, connection: sqlite3.Connection, applied: Progress) -> None:
        # One transaction, so that the rows are those of the journal's end that was read.
        connection.execute("BEGIN")
        try:
            changed, reloaded, progress, is_lost = self._news(connection, applied)
            model = self._read_model(connection)
            is_lost |= model != self._model
            self._model = model
            if is_lost:
                self._cache.clear()
                self.recent.clear()
            self.recent.drop(chain(*changed.values(), *reloaded.values()))
            for number in changed.keys() | reloaded.keys():
                partition = self._cache.peek(number)
                if partition is not None:
                    self._follow(connection, number, partition, changed[number], reloaded[number])
        finally:
            connection.execute("COMMIT")
        self._applied = progress

    def _news(
        self, connection: sqlite3.Connection, applied: Progress
    ) -> tuple[defaultdict[int, set[int]], defaultdict[int, set[int]], Progress, bool]:
        """(changed memories, reloaded memories, by partition; how far; whether all is new)."""
        changed: defaultdict[int, set[int]] = defaultdict(set)
        reloaded: defaultdict[int, set[int]] = defaultdict(set)
        latest = self._progress(connection)
        if latest.sequence - applied.sequence > _FOLLOWED_AT_MOST:
            return changed, reloaded, latest, True
        sequence, tick = applied
        entries = connection.execute(self._sql["news"], (applied.sequence,)).fetchall()
        for sequence, partition, memory, reloads in entries:  # noqa: B007 (the last one's counts)
            (reloaded if reloads else changed)[partition].add(memory)
        is_lost = False
        first = True
        for tick, partition, memory in connection.execute(
            self._sql["vector_news"], (applied.tick,)
        ):
            is_lost |= memory == 0 or (first and tick != applied.tick + 1)
            first = False
            if partition is not None:
                reloaded[partition].add(memory)
        return changed, reloaded, Progress(sequence, tick), is_lost

    def _follow(
        self,
        connection: sqlite3.Connection,
        number: int,
        partition: Partition,
        changed: set[int],
        reloaded: set[int],
    ) -> None:
        changed -= reloaded
        reloaded |= {memory for memory in changed if memory not in partition.rows}
        changed &= partition.rows.keys()
        if reloaded:
            asked = (self._model.number, json.dumps(sorted(reloaded)))
            rows = connection.execute(self._sql["index_memories"], asked).fetchall()
            partition.add(self._block(connection, rows))
        if changed:
            asked_of = (json.dumps(sorted(changed)),)
            rows = connection.execute(self._sql["index_standings"], asked_of).fetchall()
            partition.change(standings_of(rows))
        if partition.wants_compaction:
            self._cache.drop(number)
        else:
            self._cache.resized(number, partition)

    def _load(self, connection: sqlite3.Connection, number: int) -> Partition:
        # One transaction, so that a memory's vectors are all of the same version.
        connection.execute("BEGIN")
        try:
            (size,) = connection.execute(self._sql["index_size"], (number,)).fetchone()
            asked = (self._model.number, number)
            cursor = connection.execute(self._sql["index_partition"], asked)
            blocks = (self._block(connection, rows) for rows in _batches(cursor))
            return Partition.filled(blocks, size=size)
        finally:
            connection.execute("COMMIT")

    def _block(self, connection: sqlite3.Connection, rows: list[Row]) -> Block:
        def more(memories: list[int]) -> dict[int, list[Part]]:
            found: defaultdict[int, list[Part]] = defaultdict(list)
            asked = (json.dumps(memories),)
            for memory, *part in connection.execute(self._sql["index_more_vectors"], asked):
                found[memory].append((part[0], part[1], part[2]))
            return found

        return block_of(rows, self._model.dimension, more)

    def _read_model(self, connection: sqlite3.Connection) -> Model:
        row = connection.execute(self._sql["index_model"]).fetchone()
        return _NO_MODEL if row is None else Model(*row)


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield rows
