"""Search, and counts, over the indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np

from perdure.domain.query import Condition, Found, Search
from perdure.stores._index.admitting import Mask, admitted
from perdure.stores._index.partition import Partition, Snapshot
from perdure.stores._index.searching import search_partitions
from perdure.stores.sqlite.conditions import filter_fragment
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.statements import statements


def search(
    connection: sqlite3.Connection, indexes: Indexes, numbers: Sequence[int], wanted: Search
) -> Found:
    """As the store port says, over these partitions."""
    has_vectors = wanted.vector is not None and indexes.uses(connection, wanted.model)
    parts = _parts(connection, indexes, numbers, wanted.condition)
    return search_partitions(parts, wanted, has_vectors=has_vectors)


def _parts(
    connection: sqlite3.Connection, indexes: Indexes, numbers: Sequence[int], condition: Condition
) -> Iterator[tuple[Snapshot, Mask]]:
    for number, partition in indexes.each(connection, numbers):
        snapshot = partition.snapshot
        yield snapshot, _mask(connection, number, partition, snapshot, condition)


def _mask(
    connection: sqlite3.Connection,
    number: int,
    partition: Partition,
    snapshot: Snapshot,
    condition: Condition,
) -> Mask:
    mask = admitted(partition, snapshot, condition)
    if condition.filter is not None:
        fragment = filter_fragment(condition.filter)
        sql = statements()["filtered"].format(filter=fragment.sql)
        params = {**fragment.params, "partition": number}
        memories = [row[0] for row in connection.execute(sql, params)]
        mask &= np.isin(snapshot.memories, memories)
    return mask
