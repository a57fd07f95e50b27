"""Rows of memories that were read lately, for as long as nobody changes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from perdure.stores.sqlite.rows import Row

_MOST, _LONGEST = 4096, 2000
"""How many rows are kept, and how many characters of content and metadata a kept row may have."""
_SEQ, _PARTITION, _ID, _CONTENT, _METADATA = 0, 1, 2, 29, 30


class Looked(NamedTuple):
    """The rows that are known, and the ids of which nothing is."""

    rows: list[Row]
    missing: list[str]


class RecentRows:
    """Rows of `memory_columns` by id. What follows the journal drops those that were changed.

    `generation` counts the drops: a row that was read before one and is offered after it may be
    the one that was dropped, and is not kept.
    """

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._ids: dict[int, str] = {}
        self._lock = Lock()
        self.generation = 0

    def look(self, ids: Sequence[str], partition: int) -> Looked:
        """What is known of these ids behind the walls of a partition."""
        known = self._rows
        rows: list[Row] = []
        missing: list[str] = []
        for memory_id in ids:
            row = known.get(memory_id)
            if row is None:
                missing.append(memory_id)
            elif row[_PARTITION] == partition:
                rows.append(row)
        return Looked(rows, missing)

    def keep(self, rows: Iterable[Row], *, generation: int) -> None:
        """Keep rows that were read while the generation was this one."""
        with self._lock:
            if self.generation != generation:
                return
            if len(self._rows) > _MOST:
                self._rows, self._ids = {}, {}
            for row in rows:
                if len(row[_CONTENT]) + len(row[_METADATA] or "") > _LONGEST:
                    continue
                self._rows[row[_ID]] = row
                self._ids[row[_SEQ]] = row[_ID]

    def drop(self, memories: Iterable[int]) -> None:
        """These memories, by number, were changed."""
        with self._lock:
            self.generation += 1
            for memory in memories:
                memory_id = self._ids.pop(memory, None)
                if memory_id is not None:
                    self._rows.pop(memory_id, None)

    def clear(self) -> None:
        """Anything may have changed."""
        with self._lock:
            self.generation += 1
            self._rows, self._ids = {}, {}
