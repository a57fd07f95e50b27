"""Reads of what was known earlier: folded from the journal, answered by the reference."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from perdure.domain.changes import Vectors
from perdure.ports.embedder import FloatArray
from perdure.stores._reference import Indexed, ReferenceReads, as_known, indexed
from perdure.stores.sqlite.entries import JournalReader
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.reading import readable
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.vectors import packed_bytes, unpack


def known_reads(
    connection: sqlite3.Connection,
    partitions: Partitions,
    journal: JournalReader,
    numbers: Sequence[int],
    moment: datetime,
) -> ReferenceReads:
    """Reads over these partitions as they were known at `moment`, in one snapshot of the file."""
    known: list[Indexed] = []
    connection.execute("BEGIN")
    try:
        for number in numbers:
            current = _current(connection, partitions, number)
            entries = journal.of_partition(connection, number)
            known.extend(as_known(entries, moment, current))
    finally:
        connection.execute("COMMIT")
    return ReferenceReads(known)


def _current(
    connection: sqlite3.Connection, partitions: Partitions, number: int
) -> dict[str, Indexed]:
    """How the partition's memories stand now, by id, with their vectors."""
    sql = statements()
    walls = {number: partitions.walls(connection, number)}
    vectors = _vectors(connection, number)
    rows = connection.execute(sql["partition_memories"], (number,)).fetchall()
    memories = list(readable(rows, walls))
    return {memory.id: indexed(memory, vectors.get(memory.id)) for memory in memories}


def _vectors(connection: sqlite3.Connection, number: int) -> dict[str, Vectors]:
    sql = statements()
    parts: dict[str, list[FloatArray]] = defaultdict(list)
    rows = connection.execute(sql["partition_vectors"], (number,)).fetchall()
    for memory_id, _, dimension, encoding, pieces, data in rows:
        if dimension and len(data) == packed_bytes(encoding, pieces, dimension):
            parts[memory_id].append(unpack(encoding, pieces, data, dimension))
    return {
        memory_id: Vectors(model=rows[0][1], rows=np.concatenate(found))
        for memory_id, found in parts.items()
    }
