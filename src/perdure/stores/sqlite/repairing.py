"""`check`: everything found, and what is derived mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from perdure.ports.store import Finding
from perdure.stores.sqlite.checking import (
    Derived,
    PartitionCheck,
    file_findings,
    loose_ends,
    partitions,
)
from perdure.stores.sqlite.committer import Work
from perdure.stores.sqlite.transaction import Transaction

Result = TypeVar("Result")
OnConnection = Callable[[sqlite3.Connection], Result]

_BATCH = 200


class RunsOnConnection(Protocol):
    """Runs work on some connection."""

    def __call__(self, work: OnConnection[Result], /) -> Result:
        """The work's result."""
        ...


class Inspector:
    """Looks at a whole file, partition by partition, and mends what is derived.

    `read` runs work on a reading connection, `write` in a writing transaction, and `rebuild` on
    the writing connection outside any.
    """

    def __init__(
        self,
        *,
        read: RunsOnConnection,
        write: Callable[[Work[Any]], Any],
        rebuild: RunsOnConnection,
    ) -> None:
        self._read = read
        self._write = write
        self._rebuild = rebuild

    def check(self, *, repair: bool) -> list[Finding]:
        """As the store port says."""
        findings = self._file(repair=repair)
        for number, walls in self._read(partitions):
            checked = self._read(partial(_checked, number=number, walls=walls))
            findings += checked.findings
            findings += self._mended(checked.derived, repair=repair)
        return findings + self._mended(self._read(loose_ends), repair=repair)

    def _file(self, *, repair: bool) -> list[Finding]:
        findings = self._read(file_findings)
        if not findings or not repair:
            return findings
        self._rebuild(lambda connection: connection.execute("REINDEX"))
        remaining = {finding.problem for finding in self._read(file_findings)}
        return [replace(item, repaired=item.problem not in remaining) for item in findings]

    def _mended(self, derived: list[Derived], *, repair: bool) -> list[Finding]:
        if repair:
            for start in range(0, len(derived), _BATCH):
                batch = derived[start : start + _BATCH]
                self._write(partial(_mend, batch=batch))
        return [replace(item.finding, repaired=repair) for item in derived]


def _checked(connection: sqlite3.Connection, number: int, walls: tuple[str, str]) -> PartitionCheck:
    """One partition's check in one transaction, so that journal and records belong together."""
    connection.execute("BEGIN")
    try:
        check = PartitionCheck(connection, number, walls)
        check.run()
    finally:
        connection.execute("COMMIT")
    return check


def _mend(tx: Transaction, batch: list[Derived]) -> None:
    for item in batch:
        tx.execute(tx.sql[item.statement], item.values)
        if item.memory:
            tx.vectors_changed(item.memory)
    tx.pages += 2 * len(batch)
