"""Opening a file: what is there, whether it may be used, and bringing it up to date."""

from __future__ import annotations

import logging
import sqlite3
import time
from pathlib import Path

from perdure.errors import CorruptStore, Misconfigured, NewerStore, PerdureError
from perdure.stores.sqlite.connections import connect, tune_writer
from perdure.stores.sqlite.durability import IS_SUPPORTED
from perdure.stores.sqlite.failures import damaged, is_busy, translated
from perdure.stores.sqlite.migrating import APPLICATION_ID, migrate, newest
from perdure.stores.sqlite.options import SqliteOptions
from perdure.stores.sqlite.reanalysing import reanalyse
from perdure.stores.sqlite.statements import statements

log = logging.getLogger(__name__)

OLDEST_SQLITE = (3, 35, 0)
_PAUSE_S = 0.002


def open_writer(options: SqliteOptions) -> sqlite3.Connection:
    """The writing connection to the file, which is made if there is none, and is up to date.

    Raises `Misconfigured`, `NewerStore`, `CorruptStore` or `Unavailable`; a file that cannot be
    used is left as it is.
    """
    _check_library()
    _check_place(options.path)
    try:
        connection = connect(options.path, timeout_s=options.busy_timeout_s)
    except sqlite3.Error as error:
        raise translated(error, options.path) from error
    try:
        _check_identity(connection, options.path)
        _make_ready(connection, options)
    except sqlite3.Error as error:
        connection.close()
        raise translated(error, options.path) from error
    except UnicodeDecodeError as error:
        # Not even SQLite's own message about the schema could be read.
        connection.close()
        raise damaged(options.path, "schema") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _check_library() -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise Misconfigured(
            f"this Python has SQLite {sqlite3.sqlite_version}; at least {oldest} is needed"
        )


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise Misconfigured(f"{path} is a folder; name a file in it, such as {path / 'memory.db'}")
    if not path.parent.is_dir():
        raise Misconfigured(f"the folder {path.parent} does not exist; make it, or choose another")
    log_file = Path(f"{path}-wal")
    is_missing = not path.exists() or path.stat().st_size == 0
    if is_missing and log_file.exists() and log_file.stat().st_size > 0:
        raise CorruptStore(
            f"{path} is missing or empty, but {log_file} holds data that belongs to it; "
            "put the file back beside it, or move the log away to begin a new store"
        )


def _check_identity(connection: sqlite3.Connection, path: Path) -> None:
    """Whether the file is empty or ours, before anything about it is changed."""
    # In one transaction: somebody may be making the store right now.
    connection.execute("BEGIN")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    connection.execute("COMMIT")
    if application == APPLICATION_ID and version > newest():
        raise NewerStore(
            f"{path} has schema version {version}; this package knows up to {newest()}. "
            "Upgrade perdure; the file was not touched"
        )
    if tables and application != APPLICATION_ID:
        raise Misconfigured(
            f"{path} is an SQLite file of another program; choose another path. It was not touched"
        )


def _make_ready(connection: sqlite3.Connection, options: SqliteOptions) -> None:
    connection.execute(f"PRAGMA page_size = {options.page_size}")
    _use_log(connection, options)
    is_flushed_by_us = options.durability == "normal" or IS_SUPPORTED
    tune_writer(connection, flushes_at_commit=not is_flushed_by_us)
    connection.execute("BEGIN IMMEDIATE")
    try:
        applied = migrate(connection)
        # On a file that may not be written, SQLite would begin a reading transaction in silence.
        connection.execute(statements()["touch_nothing"])
        reanalysed = reanalyse(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if applied:
        log.info("store.migrated", extra={"path": str(options.path), "migrations": applied})
    if reanalysed:
        log.info("store.reanalysed", extra={"path": str(options.path), "memories": reanalysed})
    # From here on the writer waits for others by itself.
    connection.execute("PRAGMA busy_timeout = 0")


def _use_log(connection: sqlite3.Connection, options: SqliteOptions) -> None:
    """Switch a new file to write-ahead logging. SQLite does not wait for others here."""
    deadline = time.monotonic() + options.busy_timeout_s
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
            continue
        if mode != "wal":
            raise _no_log(options.path, mode)
        return


def _no_log(path: Path, mode: str) -> PerdureError:
    return Misconfigured(
        f"{path} stays in journal mode {mode!r}: its file system has no shared memory "
        "(a network drive?); keep the store on a local disk"
    )
