"""Group commit: whoever holds the writer's lock writes for everybody who waits.

A caller leaves a ticket and asks for the lock. The one who gets it takes all tickets there are and
runs them in one transaction; the others find theirs done. There is no thread of its own, and a
caller's answer is given only after the transaction is durable.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from perdure.errors import Closed, Unavailable
from perdure.stores.sqlite.durability import LogFlusher
from perdure.stores.sqlite.failures import is_busy
from perdure.stores.sqlite.transaction import Transaction

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Work = Callable[[Transaction], Result]

_GROUP = 256
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0002, 0.005
_GOLDEN = 0.6180339887


class Ticket(Generic[Result]):
    """One caller's work and what became of it."""

    __slots__ = ("commit", "error", "is_done", "result", "work")

    def __init__(self, work: Work[Result]) -> None:
        self.work = work
        self.is_done = False
        self.result: Result | None = None
        self.error: BaseException | None = None
        self.commit = 0


class Committer:
    """Runs work in transactions of the one writing connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        busy_timeout_s: float,
        flusher: LogFlusher | None,
    ) -> None:
        self._connection = connection
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._flusher = flusher
        self._commits = 0
        self._queue: deque[Ticket[Any]] = deque()
        self._lock = Lock()
        self._is_closed = False
        self._pause_phase = 0.0
        self._state = Transaction(connection)

    def run(self, work: Work[Result]) -> Result:
        """The work's result, once what it wrote is durable.

        Work that raises leaves nothing behind, and its error reaches only its own caller. It may
        run more than once.
        """
        ticket = Ticket(work)
        self._queue.append(ticket)
        if not ticket.is_done:
            with self._lock:
                if not ticket.is_done:
                    self._lead(ticket)
        if ticket.error is not None:
            raise ticket.error
        if self._flusher is not None:
            self._flusher.wait(ticket.commit)
        return ticket.result  # type: ignore[return-value]

    def _lead(self, own: Ticket[Any]) -> None:
        if self._is_closed:
            raise Closed(f"the store {self._path} was closed")
        group: list[Ticket[Any]] = []
        while self._queue and len(group) < _GROUP:
            group.append(self._queue.popleft())
        if own not in group:
            # Another leader took it and was interrupted, or the queue is longer than a group.
            group.append(own)
        self._write(group)

    def _write(self, group: list[Ticket[Any]]) -> None:
        try:
            self._transact(group)
        except Exception as error:
            if len(group) == 1:
                group[0].error = error
                group[0].is_done = True
                return
            for ticket in group:
                self._write([ticket])

    def _transact(self, group: list[Ticket[Any]]) -> None:
        connection = self._connection
        self._begin()
        is_committing = False
        try:
            self._state.begin()
            for ticket in group:
                if not ticket.is_done:
                    ticket.result = ticket.work(self._state)
            self._state.finish()
            is_committing = True
            connection.execute("COMMIT")
        except BaseException as error:
            self._state.forget()
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            elif is_committing and not isinstance(error, Exception):
                # Interrupted between the commit and here: it is done.
                self._mark_done(group)
            raise
        self._mark_done(group)

    def _mark_done(self, group: list[Ticket[Any]]) -> None:
        self._commits += 1
        if self._flusher is not None:
            self._flusher.committed = self._commits
        for ticket in group:
            ticket.commit = self._commits
            ticket.is_done = True

    def _begin(self) -> None:
        """Get the file's write lock, waiting for other processes.

        SQLite's own waiting sleeps ever longer, which starves one process among several.
        """
        pause = _FIRST_PAUSE_S
        deadline: float | None = None
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                now = time.monotonic()
                if deadline is None:
                    deadline = now + self._busy_timeout_s
                elif now > deadline:
                    raise
            self._pause_phase = (self._pause_phase + _GOLDEN) % 1.0
            time.sleep(pause * (0.5 + self._pause_phase))
            pause = min(pause * 1.05, _LONGEST_PAUSE_S)

    @property
    def written_pages(self) -> int:
        """About how many pages this process has added to the log since this was set to 0."""
        return self._state.pages

    @written_pages.setter
    def written_pages(self, pages: int) -> None:
        self._state.pages = pages

    def exclusively(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run an action on the writing connection outside any transaction."""
        with self._lock:
            if self._is_closed:
                raise Closed(f"the store {self._path} was closed")
            return action(self._connection)

    def close(self) -> None:
        """Wait for who is writing, make what was written durable, and close the connection."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            try:
                if self._flusher is not None:
                    self._flusher.wait(self._commits)
            except Unavailable as error:
                # Those who wait for it are told; what was acknowledged is safe.
                log.warning("store.not_flushed", extra={"error": str(error)})
            finally:
                self._connection.close()
