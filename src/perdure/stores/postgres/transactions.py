"""Running work in transactions: tried again when that is safe, and never in doubt about a commit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from perdure.errors import Closed, PerdureError, Unavailable
from perdure.stores._sql.statements import load, numbered
from perdure.stores.postgres.driver import Connection
from perdure.stores.postgres.failures import is_lost, is_of_driver, is_passing, translated
from perdure.stores.postgres.rows import Row

Result = TypeVar("Result")

ATTEMPTS = 7
FIRST_PAUSE_S = 0.05
"""Doubled after each attempt: a restarted server has some three seconds to come back."""
ACQUIRE_TIMEOUT_S = 30.0
CLOSE_TIMEOUT_S = 30.0

STATEMENTS: Mapping[str, str] = load("perdure.stores.postgres")


class Session:
    """One connection, spoken to in named statements with named values."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def rows(self, name: str, /, **values: Any) -> list[Row]:
        """Every row the statement gives."""
        return await self.composed_rows(STATEMENTS[name], values)

    async def composed_rows(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        """The same for a statement that Python finished."""
        numbered_sql, names = numbered(sql)
        rows: list[Row] = await self._connection.fetch(
            numbered_sql, *(values[name] for name in names)
        )
        return rows

    async def value(self, name: str, /, **values: Any) -> Any:
        """The first column of the first row, or None."""
        sql, names = numbered(STATEMENTS[name])
        return await self._connection.fetchval(sql, *(values[name] for name in names))

    async def many(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Run the statement once for each row of values."""
        if rows:
            sql, names = numbered(STATEMENTS[name])
            await self._connection.executemany(
                sql, [tuple(row[name] for name in names) for row in rows]
            )

    async def script(self, sql: str) -> None:
        """Run several statements without values."""
        await self._connection.execute(sql)


Work = Callable[[Session], Awaitable[Result]]
Witness = Callable[[Session, Result], Awaitable[bool]]
"""Looks whether what the work wrote is there."""


class _CommitInDoubt(Exception):
    """The connection was lost while the transaction was being committed."""

    def __init__(self, transaction: str) -> None:
        self.transaction = transaction


class Transactions:
    """Transactions on a pool of connections."""

    def __init__(self, pool: Any, place: str) -> None:
        self._pool = pool
        self._place = place
        self._is_closed = False

    async def read(self, work: Work[Result]) -> Result:
        """Run work of a single statement."""

        async def once() -> Result:
            async with self._acquired() as connection:
                return await work(Session(connection))

        return await self._persistently(once)

    async def snapshot(self, work: Work[Result]) -> Result:
        """Run work of several statements that all see the same moment, and write nothing."""
        return await self._persistently(
            lambda: self._within(work, isolation="repeatable_read", readonly=True)
        )

    async def write(self, work: Work[Result], *, witness: Witness[Result] | None = None) -> Result:
        """Run the work in a transaction, and return when it is committed durably.

        Nothing is written when this raises, except that an `Unavailable` may say it is not known.
        The work runs again after a conflict or a lost connection, so it must have no effects
        outside the transaction. When the connection is lost during the commit, the witness tells
        whether to run it again; work without one may be done twice.
        """

        async def once() -> Result:
            outcome: list[Result] = []
            try:
                return await self._within(work, outcome=outcome, isolation="read_committed")
            except _CommitInDoubt as doubt:
                if witness is not None and await self._ask(
                    doubt.transaction, lambda session: witness(session, outcome[0])
                ):
                    return outcome[0]
                raise ConnectionResetError("lost before the commit") from doubt

        return await self._persistently(once)

    async def bare(self, sql: str) -> None:
        """Run one statement that must not be in a transaction, such as `VACUUM`."""

        async def once() -> None:
            async with self._acquired() as connection:
                await Session(connection).script(sql)

        await self._persistently(once)

    async def close(self) -> None:
        """Let what runs finish, for a while, and close every connection."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await asyncio.wait_for(self._pool.close(), CLOSE_TIMEOUT_S)
        except TimeoutError:
            self._pool.terminate()

    async def _persistently(self, once: Callable[[], Awaitable[Result]]) -> Result:
        """Run until it succeeds, a number of times; only failures that wrote nothing."""
        pause = FIRST_PAUSE_S
        for attempt in range(1, ATTEMPTS + 1):
            if self._is_closed:
                raise Closed(f"the store on {self._place} was closed")
            try:
                return await once()
            except PerdureError:
                raise
            except Exception as error:
                if not is_of_driver(error):
                    raise
                may_pass = is_lost(error) or is_passing(error)
                if not may_pass or attempt == ATTEMPTS:
                    raise translated(error, self._place) from error
            await asyncio.sleep(pause)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    async def _within(
        self, work: Work[Result], *, outcome: list[Result] | None = None, **options: Any
    ) -> Result:
        """Run the work in one transaction. `outcome` gets its result before the commit."""
        async with self._acquired() as connection:
            transaction = connection.transaction(**options)
            await transaction.start()
            session = Session(connection)
            try:
                result = await work(session)
                number = None if outcome is None else await session.value("transaction_id")
            except BaseException:
                await _undo(transaction, connection)
                raise
            if outcome is not None:
                outcome.append(result)
            try:
                await transaction.commit()
            except Exception as error:
                is_in_doubt = is_lost(error) or isinstance(error, TimeoutError)
                if number is not None and is_in_doubt:
                    raise _CommitInDoubt(number) from error
                raise
            return result

    @asynccontextmanager
    async def _acquired(self) -> AsyncIterator[Connection]:
        connection = await self._pool.acquire(timeout=ACQUIRE_TIMEOUT_S)
        try:
            yield connection
        finally:
            # A dead connection is dropped by the pool; that it cannot be tidied up is no news.
            try:
                await self._pool.release(connection)
            except Exception as error:
                if not is_of_driver(error):
                    raise

    async def _ask(self, transaction: str, was_written: Work[bool]) -> bool:
        """Whether a transaction whose commit got no answer was committed.

        Its status alone cannot tell: a server that crashed may have given the number of a
        transaction it forgot to another one. So the status only says when to look.
        """

        async def asked(session: Session) -> bool | None:
            if await session.value("transaction_status", id=transaction) == "in progress":
                return None
            return await was_written(session)

        pause = FIRST_PAUSE_S
        cause: BaseException | None = None
        for _ in range(ATTEMPTS):
            await asyncio.sleep(pause)
            pause *= 2
            try:
                async with self._acquired() as connection:
                    answer = await asked(Session(connection))
            except Exception as error:
                if not is_of_driver(error):
                    raise
                cause = error
                continue
            if answer is not None:
                return answer
        raise Unavailable(
            f"the connection to {self._place} was lost while a change was being committed, and "
            "whether it was written could not be learnt; look before writing again, or repeat the "
            "call with the same idempotency key"
        ) from cause


async def _undo(transaction: Any, connection: Connection) -> None:
    """Roll back; a connection on which that fails is not used again."""
    try:
        await transaction.rollback()
    except Exception as error:
        if not is_of_driver(error):
            raise
        connection.terminate()
