"""Connections to one file: a pool of readers and one writer."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import TracebackType

from perdure.errors import Closed, Unavailable
from perdure.stores._sql.filters_sqlite import register_functions

_CACHED_STATEMENTS = 256
_WRITER_CACHE_KIB = 8192
_READER_CACHE_KIB = 1024

_inherited: list[object] = []
"""Connections that a fork left in this process. They belong to the parent: closing them here
could disturb its locks, so they are kept for ever."""


def connect(path: Path, *, timeout_s: float = 0.0) -> sqlite3.Connection:
    """A connection in autocommit mode that any thread may use, one at a time."""
    return sqlite3.connect(
        path,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )


def tune_writer(connection: sqlite3.Connection, *, flushes_at_commit: bool) -> None:
    """Settings of the connection that writes. Checkpoints are ours to time."""
    connection.execute(f"PRAGMA synchronous = {'FULL' if flushes_at_commit else 'NORMAL'}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    register_functions(connection)


def open_reader(path: Path, *, timeout_s: float) -> sqlite3.Connection:
    """A connection that cannot change anything."""
    connection = connect(path, timeout_s=timeout_s)
    connection.execute("PRAGMA query_only = 1")
    connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
    connection.execute("PRAGMA temp_store = MEMORY")
    register_functions(connection)
    return connection


class Readers:
    """Lends reading connections: as many as are used at once, each to one thread at a time."""

    def __init__(self, path: Path, *, timeout_s: float) -> None:
        self._path = path
        self._timeout_s = timeout_s
        self._idle: list[sqlite3.Connection] = []
        self._is_closed = False

    def borrow(self) -> Borrowed:
        """A context manager that gives a connection and takes it back."""
        return Borrowed(self)

    def take(self) -> sqlite3.Connection:
        """An idle connection, or a new one."""
        if self._is_closed:
            raise Closed(f"the store {self._path} was closed")
        try:
            return self._idle.pop()
        except IndexError:
            return open_reader(self._path, timeout_s=self._timeout_s)

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Take the connection back for the next reader."""
        self._idle.append(connection)
        if self._is_closed:
            self.close()

    def close(self) -> None:
        """Close idle connections now, borrowed ones when they come back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()

    def abandon(self) -> None:
        """Leave all connections to the process that opened them."""
        self._is_closed = True
        _inherited.extend(self._idle)
        self._idle = []


class Borrowed:
    """One loan of a connection."""

    __slots__ = ("_connection", "_readers")

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._readers.take()
        return self._connection

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        connection = self._connection
        if connection.in_transaction:
            connection.rollback()
        self._readers.give_back(connection)


class ProcessGuard:
    """Refuses to go on in a process that was forked from the one that opened the file, and with a
    file that was moved away or replaced: its log would land beside another file, or nowhere."""

    __slots__ = ("_file", "_path", "_process")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._file = self._identity()

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @property
    def is_owner(self) -> bool:
        """Whether this is the process that opened the file."""
        return os.getpid() == self._process

    def check(self) -> None:
        """Raise `Unavailable` in a forked child, or when the path names another file by now."""
        if os.getpid() != self._process:
            raise Unavailable(
                f"{self._path} was opened before this process was forked; open it again here"
            )
        if self._identity() != self._file:
            raise Unavailable(
                f"{self._path} was moved, replaced or deleted while it was open; close this "
                "memory, put the file back if it is needed, and open it again"
            )


def keep_for_parent(connection: object) -> None:
    """Never close this connection in this process."""
    _inherited.append(connection)
