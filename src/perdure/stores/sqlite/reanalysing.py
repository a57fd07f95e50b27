"""Making the stored terms anew when a newer version of the package analyses text otherwise."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from perdure.domain.analysis import VERSION
from perdure.domain.records import Memory
from perdure.stores.sqlite.preparing import packed_lexemes
from perdure.stores.sqlite.reading import UNREADABLE
from perdure.stores.sqlite.rows import Row, Walls, memory_of
from perdure.stores.sqlite.statements import statements

_BATCH = 500


def reanalyse(connection: sqlite3.Connection) -> int:
    """Bring all terms to the present analysis; how many memories were. Inside a transaction."""
    sql = statements()
    row = connection.execute(sql["meta_value"], ("analysis_version",)).fetchone()
    if row is not None and row[0] == VERSION:
        return 0
    done = 0
    for batch in _batches(connection):
        connection.executemany(sql["set_lexemes"], batch)
        done += len(batch)
    connection.execute(sql["set_meta"], ("analysis_version", VERSION))
    if done:
        connection.execute(sql["everything_changed"])
    return done


def _batches(connection: sqlite3.Connection) -> Iterator[list[tuple[bytes, int]]]:
    sql = statements()
    walls = {number: (tenant, user) for number, tenant, user in
             connection.execute(sql["all_partitions"])}  # fmt: skip
    last = 0
    while True:
        rows = connection.execute(sql["memories_after"], (last, _BATCH)).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        readable = [(row[0], _memory(row, walls)) for row in rows]
        yield [(packed_lexemes(memory), seq) for seq, memory in readable if memory is not None]


def _memory(row: Row, walls: Mapping[int, Walls]) -> Memory | None:
    """The row's memory; None for a damaged one, which must not keep the others from being read."""
    try:
        return memory_of(row, walls)
    except UNREADABLE:
        return None
