"""Reads of the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import lru_cache

from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.codec import Document
from perdure.domain.journal import canonical, seal_of
from perdure.domain.scope import Scope
from perdure.domain.times import from_micros, iso
from perdure.domain.visibility import View
from perdure.stores.sqlite.abridging import unabridged
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.statements import statements

NO_LIMIT = -1

_OPERATIONS = {operation.value: operation for operation in Operation}
Walls = tuple[str, str]


@lru_cache(maxsize=1024)
def _scope(walls: Walls, agent: str, session: str) -> Scope:
    return Scope(tenant=walls[0], agent=agent, user=walls[1], session=session)


def entry_of(row: Row, walls: Walls) -> JournalEntry:
    """The journal entry of a row of `entry_columns`."""
    (
        sequence, at, operation, memory_id, version, _, agent, session, actor, request_id,
        config_hash, reason, change, previous, digest, salt, seal,
    ) = row  # fmt: skip
    scope, moment = _scope(walls, agent, session), from_micros(at)
    known = unabridged(change, memory_id=memory_id, scope=scope, at=iso(moment)) if salt else {}
    return JournalEntry(
        sequence=sequence,
        at=moment,
        operation=_OPERATIONS[operation],
        memory_id=memory_id,
        version=version,
        scope=scope,
        actor=actor,
        request_id=request_id,
        config_hash=config_hash,
        reason=reason,
        change=known,
        previous=previous.hex(),
        digest=digest.hex(),
        salt=salt.hex(),
        seal=seal.hex() if seal else _seal(salt, reason, known),
    )


def _seal(salt: bytes, reason: str | None, change: Document) -> str:
    """The seal of contents that are there: it is kept only once they are not."""
    return seal_of(salt.hex(), reason, canonical(change)) if salt else ""


class JournalReader:
    """Reads of journal entries over borrowed connections."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self._sql = statements()

    def history(
        self, connection: sqlite3.Connection, scope: Scope, memory_id: str
    ) -> list[JournalEntry]:
        """As the store port says."""
        partition = self._partitions.find(connection, scope.walls)
        if partition is None:
            return []
        asked = {"partition": partition, "id": memory_id}
        return self._entries(connection, connection.execute(self._sql["memory_entries"], asked))

    def of_memories(
        self, connection: sqlite3.Connection, asked: dict[str, object]
    ) -> dict[str, list[JournalEntry]]:
        """All entries of some memories, accesses too, in order by id."""
        found: dict[str, list[JournalEntry]] = {}
        rows = connection.execute(self._sql["whole_entries"], asked)
        for entry in self._entries(connection, rows):
            found.setdefault(entry.memory_id, []).append(entry)
        return found

    def changes_since(
        self, connection: sqlite3.Connection, view: View, sequence: int, limit: int | None
    ) -> list[JournalEntry]:
        """As the store port says."""
        asked = {"after": sequence, "limit": NO_LIMIT if limit is None else limit}
        scope = view.scope
        if view.everything:
            asked_of = {**asked, "tenant": scope.tenant}
            return self._entries(
                connection, connection.execute(self._sql["tenant_entries"], asked_of)
            )
        partition = self._partitions.find(connection, scope.walls)
        if partition is None:
            return []
        asked["partition"] = partition
        if not (scope.agent or scope.session):
            rows = connection.execute(self._sql["partition_entries"], asked)
        else:
            narrowed = {**asked, "agent": scope.agent, "session": scope.session}
            rows = connection.execute(self._sql["admitted_entries"], narrowed)
        return self._entries(connection, rows)

    def of_partition(self, connection: sqlite3.Connection, partition: int) -> list[JournalEntry]:
        """All entries of a partition in order."""
        asked = {"partition": partition, "after": 0, "limit": NO_LIMIT}
        return self._entries(connection, connection.execute(self._sql["partition_entries"], asked))

    def _entries(self, connection: sqlite3.Connection, rows: Iterable[Row]) -> list[JournalEntry]:
        return [entry_of(row, self._partitions.walls(connection, row[5])) for row in list(rows)]
