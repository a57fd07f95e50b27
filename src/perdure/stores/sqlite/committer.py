"""Group commit: one of those who want to write leads, and writes for everybody who waits.

A caller leaves a ticket. If nobody leads, it leads: it takes all tickets there are, runs them in one
transaction, makes that durable with one flush, and wakes their owners. Tickets that came meanwhile
(they could not have been acknowledged before the next flush anyway) are led by the one that came
first. While one flushes, other processes write. There is no thread of its own.
"""

from __future__ import annotations

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

Result = TypeVar("Result")
Work = Callable[[Transaction], Result]

_GROUP = 256
_GATHERING_S, _SOON_S = 0.0002, 0.005
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0002, 0.005
_GOLDEN = 0.6180339887


class Ticket(Generic[Result]):
    """One caller's work and what became of it.

    `is_written` once it is in a committed transaction, `is_done` once that is durable or failed.
    """

    __slots__ = ("_gate", "error", "is_done", "is_written", "result", "work")

    def __init__(self, work: Work[Result]) -> None:
        self.work = work
        self.is_written = False
        self.is_done = False
        self.result: Result | None = None
        self.error: BaseException | None = None
        self._gate = Lock()
        self._gate.acquire()

    def wait(self) -> None:
        """Return when it was woken: it is done, or is to lead."""
        self._gate.acquire()

    def wake(self) -> None:
        """Let its owner go on."""
        self._gate.release()


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
        self._queue: deque[Ticket[Any]] = deque()
        self._leader: Ticket[Any] | None = None
        self._order = Lock()  # of the queue and the leader
        self._writing = Lock()  # of the connection
        self._served, self._served_at = 0, 0.0
        self._is_closed = False
        self._pause_phase = 0.0
        self._state = Transaction(connection)

    def run(self, work: Work[Result]) -> Result:
        """The work's result, once what it wrote, and what it read, is durable.

        Work that raises leaves nothing behind, and its error reaches only its own caller. It may
        run more than once.
        """
        ticket = Ticket(work)
        try:
            if not self._is_first(ticket):
                ticket.wait()
            if not ticket.is_done:
                self._lead(ticket)
        finally:
            self._leave(ticket)
        if ticket.error is not None:
            raise ticket.error
        return ticket.result  # type: ignore[return-value]

    def _is_first(self, ticket: Ticket[Any]) -> bool:
        """Queue the ticket; whether it leads."""
        with self._order:
            self._queue.append(ticket)
            if self._leader is not None:
                return False
            self._leader = ticket
            return True

    def _leave(self, ticket: Ticket[Any]) -> None:
        """Hand the lead on, or, interrupted while waiting, leave the queue."""
        with self._order:
            if self._leader is ticket:
                self._leader = self._queue[0] if self._queue else None
                if self._leader is not None:
                    self._leader.wake()
            elif not ticket.is_done and ticket in self._queue:
                self._queue.remove(ticket)

    def _gather(self) -> None:
        """Give those who were served together a moment ago the time to come with their next.

        Else the first of them would lead alone, and the others wait for its flush. It waits only
        while somebody comes: a lone writer never does.
        """
        if self._served < 2 or time.monotonic() - self._served_at > _SOON_S:
            return
        count = len(self._queue)
        while count < self._served:
            time.sleep(_GATHERING_S)
            before, count = count, len(self._queue)
            if count == before:
                return

    def _lead(self, own: Ticket[Any]) -> None:
        self._gather()
        with self._order:
            group = [self._queue.popleft() for _ in range(min(len(self._queue), _GROUP))]
        try:
            with self._writing:
                self._check_open()
                self._write(group)
                self._settle(group)
                self._served, self._served_at = len(group), time.monotonic()
        except Closed as error:
            for ticket in group:
                ticket.error, ticket.is_done = error, True
        finally:
            # When this thread was interrupted, the others' tickets are for the next leader.
            with self._order:
                self._queue.extendleft(
                    ticket for ticket in reversed(group) if not ticket.is_done and ticket is not own
                )
            for ticket in group:
                if ticket.is_done and ticket is not own:
                    ticket.wake()

    def _write(self, group: list[Ticket[Any]]) -> None:
        try:
            self._transact([ticket for ticket in group if not ticket.is_written])
        except Exception as error:
            if len(group) == 1:
                group[0].error = error
                return
            for ticket in group:
                self._write([ticket])

    def _transact(self, tickets: list[Ticket[Any]]) -> None:
        if not tickets:
            return
        connection = self._connection
        self._begin()
        is_committing = False
        try:
            self._state.begin()
            for ticket in tickets:
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
                _mark_written(tickets)
            raise
        _mark_written(tickets)

    def _settle(self, tickets: list[Ticket[Any]]) -> None:
        """Make the tickets' transactions durable, then call them done.

        Also when they only read: an answer must not rest on what a power cut could take back.
        """
        if self._flusher is not None:
            try:
                self._flusher.flush()
            except Unavailable as error:
                for ticket in tickets:
                    ticket.error = ticket.error or error
        for ticket in tickets:
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
        with self._writing:
            self._check_open()
            return action(self._connection)

    def close(self) -> None:
        """Wait for who is writing, then close the connection."""
        with self._writing:
            if not self._is_closed:
                self._is_closed = True
                self._connection.close()
                if self._flusher is not None:
                    self._flusher.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise Closed(f"the store {self._path} was closed")


def _mark_written(tickets: list[Ticket[Any]]) -> None:
    for ticket in tickets:
        ticket.is_written = True
