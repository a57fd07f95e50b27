"""Freeing the file of the bytes of what was erased."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perdure.ports.store import Finding
from perdure.stores._verification import unfinished
from perdure.stores.sqlite.committer import Work
from perdure.stores.sqlite.durability import flush
from perdure.stores.sqlite.failures import is_busy
from perdure.stores.sqlite.raw_file import RawFile
from perdure.stores.sqlite.repairing import RunsOnConnection
from perdure.stores.sqlite.scrubbing import NotScrubbable, scrub
from perdure.stores.sqlite.statements import statements

log = logging.getLogger(__name__)

DUE = "compaction"
"""The name in `meta` of what was erased since the file was last compacted."""
_PATIENCE_MS = 2_000
_ATTEMPTS = 5
_CAN_SCRUB = hasattr(os, "pwrite")


class Compactor:
    """Takes what is left of erased rows out of the file and its log.

    With `secure_delete`, deleted rows are overwritten at once. Two places keep older copies: the log,
    which is folded into the file and cut, and pages that were split since, which are overwritten
    where nothing lies. A file that is half empty is written anew instead, and so is smaller.
    """

    def __init__(
        self,
        path: Path,
        raw: RawFile,
        *,
        read: RunsOnConnection,
        write: Callable[[Work[Any]], Any],
        exclusively: RunsOnConnection,
    ) -> None:
        self._log = Path(f"{path}-wal")
        self._raw = raw
        self._read = read
        self._write = write
        self._exclusively = exclusively

    def compact(self) -> bool:
        """As the store port says."""
        due = self._read(_due)
        if due is None:
            return True
        is_small = self._read(_is_half_empty)
        if not is_small and _CAN_SCRUB:
            try:
                return self._exclusively(lambda connection: self._scrub(connection, due))
            except NotScrubbable:
                pass
        if not self._exclusively(_rewrite):
            return False
        self._write(lambda tx: tx.execute(tx.sql["clear_meta"], (DUE, due)))
        return True

    def check(self, *, repair: bool) -> list[Finding]:
        """Whether a compaction is due; it is made up for when `repair`."""
        if self._read(_due) is None:
            return []
        return [unfinished(repaired=repair and self.compact())]

    def _scrub(self, connection: sqlite3.Connection, due: str) -> bool:
        """Cut the log and overwrite what pages hold beside their rows; whether that was possible.

        Copies of pages in somebody's cache still hold what is overwritten here, and are written
        along with the next change to them. So this is a writing transaction, which makes every
        connection read anew, and its own cache is empty when it begins.
        """
        connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
        try:
            for _ in range(_ATTEMPTS):
                if not _cut(connection):
                    return False
                connection.execute("BEGIN IMMEDIATE")
                if self._log_is_empty():
                    self._overwrite(connection)
                    connection.execute(statements()["clear_meta"], (DUE, due))
                    connection.execute("COMMIT")
                    return True
                connection.execute("ROLLBACK")  # somebody wrote in between
        except (sqlite3.OperationalError, OSError) as error:
            _tell(error)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute("PRAGMA busy_timeout = 0")
        return False

    def _log_is_empty(self) -> bool:
        return not self._log.exists() or self._log.stat().st_size == 0

    def _overwrite(self, connection: sqlite3.Connection) -> None:
        (page_size,) = connection.execute("PRAGMA page_size").fetchone()
        descriptor = self._raw.descriptor()
        pages = scrub(descriptor, page_size)
        flush(descriptor)
        log.debug("store.scrubbed", extra={"pages": pages})


def _due(connection: sqlite3.Connection) -> str | None:
    """What was erased since the file was last compacted; None for nothing."""
    row = connection.execute(statements()["meta_value"], (DUE,)).fetchone()
    return None if row is None else str(row[0])


def _is_half_empty(connection: sqlite3.Connection) -> bool:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return bool(2 * free >= pages)


def _rewrite(connection: sqlite3.Connection) -> bool:
    """Write the whole file anew and cut the log; whether nothing old is left in either.

    Readers are waited for, for a while.
    """
    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
    try:
        connection.execute("VACUUM")
        return _cut(connection)
    except sqlite3.OperationalError as error:
        _tell(error)
        return False
    finally:
        connection.execute("PRAGMA busy_timeout = 0")


def _cut(connection: sqlite3.Connection) -> bool:
    """Fold the log into the file, cut it and empty the cache; whether nothing is left in the log."""
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute("PRAGMA shrink_memory")
    return not busy


def _tell(error: Exception) -> None:
    is_waiting = isinstance(error, sqlite3.OperationalError) and is_busy(error)
    log.warning("store.compaction_failed", extra={"error": str(error), "is_busy": is_waiting})
