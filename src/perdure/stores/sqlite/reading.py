"""Reads of records: by id, by slot, pages and counts."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice

from perdure.domain.query import Condition, Order, Position, Query, sort_value
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.errors import InvalidInput
from perdure.stores.sqlite.conditions import condition_params, filter_fragment
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
        recent = self._indexes.recent
        generation = recent.generation
        rows, missing = recent.look(ids, partition)
        if missing:
            fresh = self._rows(connection, missing, partition)
            recent.keep(fresh, generation=generation)
            rows += fresh
        return {memory.id: memory for memory in readable(rows, {partition: scope.walls})}

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

    def query(self, connection: sqlite3.Connection, query: Query) -> list[Memory]:
        """One page; of several partitions by merging each one's page."""
        partitions = self.partitions_of(connection, query.condition.view)
        pages = [self._page(connection, query, partition) for partition in partitions]
        if len(pages) == 1:
            return pages[0]

        def position(memory: Memory) -> Position:
            return Position(sort_value(memory, query.order), memory.id)

        merged = merge(*pages, key=position, reverse=query.descending)
        return list(islice(merged, query.limit))

    def _page(self, connection: sqlite3.Connection, query: Query, partition: int) -> list[Memory]:
        fragment = filter_fragment(query.condition.filter)
        sql = self._sql["page"].format(
            filter=fragment.sql,
            order=_order(query.order, descending=query.descending),
            after="" if query.after is None else _after(query.order, descending=query.descending),
        )
        params = {
            **condition_params(query.condition),
            **fragment.params,
            "partition": partition,
        }
        if query.after is not None:
            params["value"], params["after"] = query.after
        walls = {partition: self._partitions.walls(connection, partition)}
        limit = query.limit
        while True:
            rows = connection.execute(sql, {**params, "limit": limit}).fetchall()
            found = list(readable(rows, walls))
            if len(found) >= query.limit or len(rows) < limit:
                return found[: query.limit]
            # A damaged row must not look like the end of the listing.
            limit += query.limit - len(found)

    def count(self, connection: sqlite3.Connection, condition: Condition, partition: int) -> int:
        """How many memories of one partition the condition admits."""
        fragment = filter_fragment(condition.filter)
        sql = self._sql["count_admitted"].format(filter=fragment.sql)
        params = {**condition_params(condition), **fragment.params, "partition": partition}
        (count,) = connection.execute(sql, params).fetchone()
        return int(count)


def _order(order: Order, *, descending: bool) -> str:
    direction = "DESC" if descending else "ASC"
    return f"m.{order.value} {direction}, m.id {direction}"


def _after(order: Order, *, descending: bool) -> str:
    symbol = "<" if descending else ">"
    return f"AND (m.{order.value}, m.id) {symbol} (:value, :after)"
