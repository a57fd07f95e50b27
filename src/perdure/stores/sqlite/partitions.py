"""Which number a (tenant, user) has, remembered: numbers are given once and never change."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from perdure.stores.sqlite.statements import statements

Walls = tuple[str, str]


class Partitions:
    """The partitions seen so far. Safe to share between threads: entries are only added."""

    def __init__(self) -> None:
        self._numbers: dict[Walls, int] = {}
        self._walls: dict[int, Walls] = {}

    def find(self, connection: sqlite3.Connection, walls: Walls) -> int | None:
        """The partition's number, or None when nothing was ever stored there."""
        number = self._numbers.get(walls)
        if number is None:
            row = connection.execute(statements()["partition_of"], walls).fetchone()
            if row is None:
                return None
            number = int(row[0])
            self._add(number, walls)
        return number

    def of_tenant(self, connection: sqlite3.Connection, tenant: str) -> list[int]:
        """The numbers of all users of a tenant, ascending."""
        rows = connection.execute(statements()["partitions_of_tenant"], (tenant,)).fetchall()
        for number, *walls in rows:
            self._add(number, (walls[0], walls[1]))
        return [row[0] for row in rows]

    def walls(self, connection: sqlite3.Connection, partition: int) -> Walls:
        """Whose partition this is."""
        found = self._walls.get(partition)
        if found is None:
            tenant, user = connection.execute(statements()["walls_of"], (partition,)).fetchone()
            found = (tenant, user)
            self._add(partition, found)
        return found

    def known(self) -> Mapping[int, Walls]:
        """Those seen so far, by number."""
        return self._walls

    def _add(self, number: int, walls: Walls) -> None:
        self._walls[number] = walls
        self._numbers[walls] = number
