"""Pages and counts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from heapq import merge
from itertools import islice
from typing import Any

from perdure.domain.query import Condition, Order, Position, Query, sort_value
from perdure.domain.records import Memory
from perdure.domain.walking import Walk, Walking
from perdure.stores._index.listing import page_positions, sort_values
from perdure.stores.sqlite.conditions import condition_params, facts_sought, filter_fragment
from perdure.stores.sqlite.finding import Finder
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.reading import Reader, readable
from perdure.stores.sqlite.statements import statements

_NO_LIMIT = -1


class Lister:
    """Pages and counts of one request, over one borrowed connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        partitions: Partitions,
        indexes: Indexes,
        reader: Reader,
    ) -> None:
        self._connection = connection
        self._partitions = partitions
        self._indexes = indexes
        self._reader = reader
        self._finder = Finder(connection, indexes)
        self._sql = statements()

    def query(self, query: Query) -> list[Memory]:
        """As the store port says."""
        numbers = self._reader.partitions_of(self._connection, query.condition.view)
        if len(numbers) == 1:
            return self._page(query, numbers[0])

        def position(memory: Memory) -> Position:
            return Position(sort_value(memory, query.order), memory.id)

        pages = [self._lazy_page(query, number) for number in numbers]
        try:
            merged = merge(*pages, key=position, reverse=query.descending)
            return list(islice(merged, query.limit))
        finally:
            for page in pages:
                page.close()

    def count(self, condition: Condition) -> int:
        """As the store port says."""
        total = 0
        for number in self._reader.partitions_of(self._connection, condition.view):
            found = self._finder.count(number, condition)
            total += self._counted(condition, number) if found is None else found
        return total

    def neighbours(self, walk: Walk) -> list[Memory]:
        """As the store port says."""
        numbers = self._reader.partitions_of(self._connection, walk.condition.view)
        walls = {number: self._partitions.walls(self._connection, number) for number in numbers}
        fragment = filter_fragment(walk.condition.filter)
        sql = self._sql["touching"].format(filter=fragment.sql)
        params = {**condition_params(walk.condition), **fragment.params}
        walking = Walking(walk.names)
        for _ in range(walk.hops):
            if not walking.edge:
                break
            params["names"] = json.dumps(walking.edge)
            touching: list[Memory] = []
            for number in numbers:
                rows = self._connection.execute(sql, {**params, "partition": number}).fetchall()
                touching += readable(rows, walls)
            if len(numbers) > 1:
                touching.sort(key=lambda fact: (fact.recorded_at, fact.id))
            walking.step(touching)
        return list(walking.found.values())

    def _page(self, query: Query, number: int) -> list[Memory]:
        """One page of one partition."""
        page = self._page_from_index(query, number)
        if page is not None:
            return page
        sql, params = self._statement(query, number)
        walls = {number: self._partitions.walls(self._connection, number)}
        limit = query.limit
        while True:
            rows = self._connection.execute(sql, {**params, "limit": limit}).fetchall()
            found = list(readable(rows, walls))
            if len(found) >= query.limit or len(rows) < limit:
                return found[: query.limit]
            # A damaged row must not look like the end of the listing.
            limit += query.limit - len(found)

    def _page_from_index(self, query: Query, number: int) -> list[Memory] | None:
        """The page, if the partition's index is held and can tell: SQL has an index for one order
        only, and would read everything for the others."""
        if query.order is Order.RECORDED_AT:
            return None
        partition = self._finder.held(number)
        if partition is None:
            return None
        snapshot = partition.snapshot
        values = sort_values(snapshot, query.order)
        if values is None:
            return None
        mask = self._finder.mask(number, partition, snapshot, query.condition)
        positions = page_positions(snapshot, mask, values, query)
        walls = self._partitions.walls(self._connection, number)
        ids = [memory_id for _, memory_id in positions]
        found = self._reader.known_to_exist(self._connection, number, walls, ids)
        page = [found[memory_id] for memory_id in ids if memory_id in found]
        # A row may be damaged, or somebody may have written since the index was brought up to date.
        is_right = [(sort_value(memory, query.order), memory.id) for memory in page] == positions
        return page if is_right and all(map(query.condition.admits, page)) else None

    def _lazy_page(self, query: Query, number: int) -> Generator[Memory, None, None]:
        """A page of one among several partitions; of most of them only the first few are used."""
        if query.order is not Order.RECORDED_AT:
            yield from self._page(query, number)
            return
        sql, params = self._statement(query, number)
        walls = {number: self._partitions.walls(self._connection, number)}
        cursor = self._connection.execute(sql, {**params, "limit": _NO_LIMIT})
        try:
            yield from readable(cursor, walls)
        finally:
            cursor.close()

    def _statement(self, query: Query, number: int) -> tuple[str, dict[str, Any]]:
        fragment = filter_fragment(query.condition.filter)
        sought = facts_sought(query.condition.filter)
        column, among = (None, []) if sought is None else sought
        sql = self._sql["page"].format(
            among=self._sql["among_all" if column is None else "among_facts"].format(column=column),
            filter=fragment.sql,
            order=_order(query.order, descending=query.descending),
            after="" if query.after is None else _after(query.order, descending=query.descending),
        )
        params = {**condition_params(query.condition), **fragment.params, "partition": number}
        if column is not None:
            params["among"] = json.dumps(among)
        if query.after is not None:
            params["value"], params["after"] = query.after
        return sql, params

    def _counted(self, condition: Condition, number: int) -> int:
        """A count by SQL, for a partition whose index is not held."""
        fragment = filter_fragment(condition.filter)
        sql = self._sql["count_admitted"].format(filter=fragment.sql)
        params = {**condition_params(condition), **fragment.params, "partition": number}
        (count,) = self._connection.execute(sql, params).fetchone()
        return int(count)


def _order(order: Order, *, descending: bool) -> str:
    direction = "DESC" if descending else "ASC"
    return f"m.{order.value} {direction}, m.id {direction}"


def _after(order: Order, *, descending: bool) -> str:
    symbol = "<" if descending else ">"
    return f"AND (m.{order.value}, m.id) {symbol} (:value, :after)"
