"""Erasing memories in one transaction. Their bytes are another matter: see `compacting`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from perdure.domain.changes import Refused
from perdure.domain.erasure import (
    Erased,
    Erasure,
    change_set_of,
    is_erased,
    request_is_erased,
    trace_of_request,
    trace_of_words,
)
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.stores.sqlite.committer import Work
from perdure.stores.sqlite.compacting import DUE
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.preparing import prepared
from perdure.stores.sqlite.repairing import RunsOnConnection
from perdure.stores.sqlite.rows import memory_of
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.transaction import Transaction
from perdure.stores.sqlite.writing import write


class Eraser:
    """What `SqliteStore` does for erasures, with its ways to read and write."""

    def __init__(
        self,
        *,
        read: RunsOnConnection,
        write: Callable[[Work[Any]], Any],
        partitions: Partitions,
        indexes: Indexes,
        encoding: int,
    ) -> None:
        self._read = read
        self._write = write
        self._partitions = partitions
        self._indexes = indexes
        self._encoding = encoding

    def inventory(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """As the store port says."""
        partition = self._partition(scope)
        if partition is None:
            return {}
        return self._read(lambda connection: _inventory(connection, partition, scope))

    def erase(self, erasure: Erasure) -> Erased | Refused:
        """As the store port says."""
        erased: Erased | Refused = self._write(
            lambda tx: _erase(tx, erasure, encoding=self._encoding)
        )
        partition = self._partition(erasure.scope)
        if partition is not None:
            self._indexes.forget(partition)
        return erased

    def withheld(self, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
        """As the store port says."""
        partition = self._partition(scope)
        if partition is None:
            return frozenset()
        return self._read(lambda connection: _withheld(connection, partition, scope, texts))

    def key(self) -> bytes:
        """As the store port says."""
        key: bytes = self._write(_withholding_key)
        return key

    def _partition(self, scope: Scope) -> int | None:
        return self._read(lambda connection: self._partitions.find(connection, scope.walls))


def _inventory(
    connection: sqlite3.Connection, partition: int, scope: Scope
) -> dict[str, tuple[str, ...]]:
    asked = {"partition": partition, "agent": scope.agent, "session": scope.session}
    rows = connection.execute(statements()["inventory"], asked).fetchall()
    return {
        memory_id: () if extra is None else tuple(json.loads(extra).get("supports", ()))
        for memory_id, extra in rows
    }


def _erase(tx: Transaction, erasure: Erasure, *, encoding: int) -> Erased | Refused:
    """Erase, or say why not, inside the transaction."""
    walls = erasure.scope.walls
    partition = tx.find_partition(walls)
    if partition is None:
        return Erased()
    if erasure.is_complete:
        there = _inventory(tx.connection, partition, erasure.scope)
        if turned_up := there.keys() - (erasure.ids or frozenset()):
            return Refused(stale=tuple(sorted(turned_up)))
    memories = _targets(tx, partition, erasure)
    if held := tuple(memory.id for memory in memories if memory.held):
        return Refused(held=held)
    if not memories:
        return Erased()
    counts = _counts(tx, [memory.id for memory in memories])
    result = write(tx, prepared(change_set_of(erasure, memories), encoding=encoding))
    if isinstance(result, Refused):
        return result
    tx.executemany(tx.sql["stop_awaiting"], [(memory.id,) for memory in memories])
    counts |= _withhold(tx, partition, erasure, memories)
    tx.execute(tx.sql["set_meta"], (DUE, f"{iso(erasure.at)} {tx.sequence}"))
    return Erased(
        ids=tuple(memory.id for memory in memories),
        counts={"memories": len(memories), **counts},
        places=tuple(memory.archive for memory in memories if memory.archive is not None),
        sequence=tx.sequence,
        digest=tx.head(partition),
    )


def _targets(tx: Transaction, partition: int, erasure: Erasure) -> list[Memory]:
    if erasure.ids is None:
        rows = tx.execute(tx.sql["partition_memories"], (partition,))
    else:
        asked = (json.dumps(sorted(erasure.ids)), partition)
        rows = tx.execute(tx.sql["many_by_id"], asked)
    walls = {partition: erasure.scope.walls}
    memories = (memory_of(row, walls) for row in rows.fetchall())
    return sorted(
        (memory for memory in memories if not is_erased(memory)), key=lambda memory: memory.id
    )


def _counts(tx: Transaction, ids: Sequence[str]) -> dict[str, int]:
    asked = (json.dumps(ids),)
    (vectors,) = tx.execute(tx.sql["count_vectors"], asked).fetchone()
    (entries,) = tx.execute(tx.sql["count_contents"], asked).fetchone()
    return {"vectors": vectors, "journal entries": entries}


def _withhold(
    tx: Transaction, partition: int, erasure: Erasure, memories: Sequence[Memory]
) -> dict[str, int]:
    """Forget the requests that stored the memories, and leave traces of requests and words."""
    walls, key = erasure.scope.walls, _withholding_key(tx)
    erased = {memory.id for memory in memories}
    rows = tx.execute(tx.sql["partition_keys"], (partition,)).fetchall()
    gone = [
        name
        for name, answer in rows
        if erasure.ids is None or request_is_erased(json.loads(answer), erased)
    ]
    tx.executemany(tx.sql["drop_key"], [(partition, name) for name in gone])
    traces = {trace_of_words(key, walls, memory.content) for memory in memories if memory.content}
    traces |= {trace_of_request(key, walls, name) for name in gone}
    tx.executemany(
        tx.sql["withhold"], [(partition, bytes.fromhex(trace)) for trace in sorted(traces)]
    )
    return {"requests": len(gone)}


def _withholding_key(tx: Transaction) -> bytes:
    """The key that traces are made with, made when first needed."""
    if tx.withholding_key is None:
        tx.make_withholding_key()
    assert tx.withholding_key is not None
    return tx.withholding_key


def _withheld(
    connection: sqlite3.Connection, partition: int, scope: Scope, texts: Sequence[str]
) -> frozenset[int]:
    sql = statements()
    row = connection.execute(sql["meta_value"], ("withholding_key",)).fetchone()
    if row is None:
        return frozenset()
    key = bytes.fromhex(row[0])
    return frozenset(
        position
        for position, text in enumerate(texts)
        if connection.execute(
            sql["is_withheld"],
            (partition, bytes.fromhex(trace_of_words(key, scope.walls, text))),
        ).fetchone()
    )
