"""Reads of records by id and by slot."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.errors import InvalidInput
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.rows import Row, Walls, memory_of
from perdure.stores.sqlite.statements import statements

log = logging.getLogger(__name__)

UNREADABLE = (ValueError, TypeError, KeyError, InvalidInput, OverflowError, AttributeError)
"""What a damaged row makes `memory_of` raise."""


def readable(rows: Iterable[Row], walls: Mapping[int, Walls]) -> Iterator[Memory]:
    """The memories of the rows that describe one; damaged rows are logged and passed over."""
    for row in rows:
        try:
            yield memory_of(row, walls)
        except UNREADABLE as error:
            log.warning(
                "store.unreadable_row",
                extra={"memory": row[2], "row": row[0], "error": type(error).__name__},
            )


class Reader:
    """Reads of records over borrowed connections."""

    def __init__(self, partitions: Partitions, indexes: Indexes) -> None:
        self._partitions = partitions
        self._indexes = indexes
        self._sql = statements()

    def get(
        self, connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]
    ) -> dict[str, Memory]:
        """As the store port says."""
        partition = self._partitions.find(connection, scope.walls)
        if partition is None or not ids:
            return {}
        self._indexes.catch_up(connection)
        return self.known_to_exist(connection, partition, scope.walls, ids)

    def known_to_exist(
        self, connection: sqlite3.Connection, partition: int, walls: Walls, ids: Sequence[str]
    ) -> dict[str, Memory]:
        """The memories of a partition by id, as of the indexes' last `catch_up` or later."""
        recent = self._indexes.recent
        generation = recent.generation
        rows, missing = recent.look(ids, partition)
        if missing:
            fresh = self._rows(connection, missing, partition)
            recent.keep(fresh, generation=generation)
            rows += fresh
        return {memory.id: memory for memory in readable(rows, {partition: walls})}

    def _rows(self, connection: sqlite3.Connection, ids: list[str], partition: int) -> list[Row]:
        if len(ids) == 1:
            return connection.execute(self._sql["one_by_id"], (ids[0], partition)).fetchall()
        asked = (json.dumps(ids), partition)
        return connection.execute(self._sql["many_by_id"], asked).fetchall()

    def slot(self, connection: sqlite3.Connection, scope: Scope, key: str) -> list[Memory]:
        """As the store port says."""
        partition = self._partitions.find(connection, scope.walls)
        if partition is None:
            return []
        asked = (partition, key, scope.agent, scope.session)
        rows = connection.execute(self._sql["slot_members"], asked).fetchall()
        return list(readable(rows, {partition: scope.walls}))

    def partitions_of(self, connection: sqlite3.Connection, view: View) -> list[int]:
        """The partitions behind the view's walls."""
        if view.everything:
            return self._partitions.of_tenant(connection, view.scope.tenant)
        partition = self._partitions.find(connection, view.scope.walls)
        return [] if partition is None else [partition]
