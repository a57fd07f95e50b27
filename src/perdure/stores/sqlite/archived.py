"""Reads for the archive: all of a memory at once, and what points where."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

import numpy as np

from perdure.domain.batches import Whole
from perdure.domain.changes import Vectors
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.ports.embedder import FloatArray
from perdure.stores.sqlite.entries import JournalReader
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.reading import readable
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.vectors import unpack


def identity(connection: sqlite3.Connection) -> str:
    """As the store port says."""
    (value,) = connection.execute(statements()["identity"]).fetchone()
    return str(value)


def whole(
    connection: sqlite3.Connection,
    partitions: Partitions,
    journal: JournalReader,
    scope: Scope,
    ids: Sequence[str],
) -> dict[str, Whole]:
    """As the store port says."""
    partition = partitions.find(connection, scope.walls)
    if partition is None or not ids:
        return {}
    connection.execute("BEGIN")  # so that all three see the same moment
    try:
        wanted = json.dumps(list(ids))
        rows = connection.execute(statements()["many_by_id"], (wanted, partition)).fetchall()
        asked = {"ids": wanted, "partition": partition}
        entries = journal.of_memories(connection, asked)
        vectors = _vectors(connection, asked)
    finally:
        connection.execute("COMMIT")
    return {
        memory.id: Whole(
            memory=memory,
            entries=tuple(entries.get(memory.id, ())),
            vectors=vectors.get(memory.id),
        )
        for memory in readable(rows, {partition: scope.walls})
    }


def _vectors(connection: sqlite3.Connection, asked: dict[str, object]) -> dict[str, Vectors]:
    parts: dict[str, list[FloatArray]] = {}
    model = ""
    for memory_id, model, dimension, encoding, pieces, data in connection.execute(  # noqa: B007
        statements()["whole_vectors"], asked
    ):
        parts.setdefault(memory_id, []).append(unpack(encoding, pieces, data, dimension))
    return {
        memory_id: Vectors(model=model, rows=rows[0] if len(rows) == 1 else np.concatenate(rows))
        for memory_id, rows in parts.items()
    }


def archived_batches(connection: sqlite3.Connection) -> dict[str, int]:
    """As the store port says."""
    return dict(connection.execute(statements()["archived_batches"]).fetchall())


def archived_in(connection: sqlite3.Connection, partitions: Partitions, batch: str) -> list[Memory]:
    """As the store port says."""
    rows = connection.execute(statements()["archived_in"], (batch,)).fetchall()
    walls = {row[1]: partitions.walls(connection, row[1]) for row in rows}
    return list(readable(rows, walls))
