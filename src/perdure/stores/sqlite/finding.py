"""Searches and counts over the indexes, and the values that their filters ask about."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perdure.domain.filters import ATTRIBUTES, Comparison
from perdure.domain.query import Condition, Found, Search
from perdure.domain.times import from_micros
from perdure.stores._index.admitting import admitted
from perdure.stores._index.columns import MISSING, Mask
from perdure.stores._index.fields import Field
from perdure.stores._index.partition import Partition, Snapshot
from perdure.stores._index.searching import search_partitions
from perdure.stores.sqlite.conditions import filter_fragment
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.statements import statements


class Finder:
    """Searches and counts of one request, over one borrowed connection."""

    def __init__(self, connection: sqlite3.Connection, indexes: Indexes) -> None:
        self._connection = connection
        self._indexes = indexes
        self._sql = statements()

    def search(self, numbers: Sequence[int], wanted: Search) -> Found:
        """As the store port says, over these partitions."""
        self._indexes.catch_up(self._connection)
        has_vectors = wanted.vector is not None and self._indexes.uses(wanted.model)
        parts = self._parts(numbers, wanted.condition)
        return search_partitions(parts, wanted, has_vectors=has_vectors)

    def count(self, number: int, condition: Condition) -> int | None:
        """How many memories the condition admits, if the partition's index is held."""
        partition = self.held(number)
        if partition is None:
            return None
        return int(np.count_nonzero(self.mask(number, partition, partition.snapshot, condition)))

    def held(self, number: int) -> Partition | None:
        """The partition's index, brought up to date, if it is held."""
        self._indexes.catch_up(self._connection)
        return self._indexes.held(number)

    def _parts(
        self, numbers: Sequence[int], condition: Condition
    ) -> Iterator[tuple[Snapshot, Mask]]:
        for number in numbers:
            partition = self._indexes.partition(self._connection, number)
            snapshot = partition.snapshot
            yield snapshot, self.mask(number, partition, snapshot, condition)

    def mask(
        self, number: int, partition: Partition, snapshot: Snapshot, condition: Condition
    ) -> Mask:
        """Which of the snapshot's rows the condition admits."""
        mask = admitted(partition, snapshot, condition)
        if condition.filter is not None:
            mask &= partition.fields.mask(
                condition.filter,
                snapshot.memories,
                self._values,
                lambda comparison, memories: self._decided(number, comparison, memories),
            )
        return mask

    def _decided(self, number: int, comparison: Comparison, memories: NDArray[np.int64]) -> Mask:
        """Which memories pass, asked of the database."""
        fragment = filter_fragment(comparison)
        sql = self._sql["filtered"].format(filter=fragment.sql)
        rows = self._connection.execute(sql, {**fragment.params, "partition": number})
        return np.isin(memories, [row[0] for row in rows])

    def _values(self, field: Field, memories: NDArray[np.int64]) -> list[Any]:
        """A field's values, in the order of the memories."""
        name, is_attribute = field
        if is_attribute:
            column, decode = _COLUMNS.get(name, f"m.{name}"), _DECODERS[ATTRIBUTES[name][0]]
        else:
            column, decode = "m.metadata", _metadata_value(name)
        sql = self._sql["field_values"].format(column=column)
        rows = self._connection.execute(sql, (json.dumps(memories.tolist()),)).fetchall()
        found = {seq: decode(value) for seq, value in rows if value is not None}
        return [found.get(seq, MISSING) for seq in memories.tolist()]


_COLUMNS = {"tenant": "p.tenant", "user": "p.user"}
_DECODERS: dict[str, Callable[[Any], Any]] = {
    "text": lambda value: value,
    "number": lambda value: value,
    "boolean": lambda value: value == 1,
    "time": from_micros,
}


def _metadata_value(key: str) -> Callable[[str], Any]:
    def decode(text: str) -> Any:
        try:
            return json.loads(text).get(key, MISSING)
        except (ValueError, AttributeError):
            return MISSING  # a damaged row, which `check` reports

    return decode
