"""From a URL to a pool of connections to a database whose schema is up to date."""

from __future__ import annotations

from typing import Any

from perdure.errors import Misconfigured, PerdureError
from perdure.stores.postgres.addresses import Address, quoted
from perdure.stores.postgres.driver import Connection, asyncpg, teach
from perdure.stores.postgres.failures import is_of_driver, translated
from perdure.stores.postgres.migrating import migrate
from perdure.stores.postgres.transactions import Session

OLDEST_SERVER = 150_000
CONNECT_TIMEOUT_S = 15.0
COMMAND_TIMEOUT_S = 60.0
POOL_SIZE = 10


SETTINGS = {
    "application_name": "perdure",
    "timezone": "UTC",
    "lock_timeout": "30s",
    "jit": "off",  # compiling short statements takes longer than running them
}


async def open_pool(address: Address, *, size: int = POOL_SIZE) -> Any:
    """Connect, bring the schema up to date, and give a pool of at most `size` connections.

    Raises `Unavailable` when the server does not answer and `Misconfigured` when it or the
    database cannot hold a store; `NewerStore` when a newer version was here.
    """
    driver = asyncpg()
    preparation = _Preparation(driver, address)
    pool: Any = None
    try:
        pool = driver.create_pool(
            address.dsn,
            min_size=0,
            max_size=size,
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=COMMAND_TIMEOUT_S,
            server_settings=SETTINGS,
            init=preparation.prepare,
            reset=_leave_as_it_is,
        )
        await pool
        # The first connection makes everything ready, or says what is in the way.
        await pool.release(await pool.acquire())
    except BaseException as error:
        if pool is not None:
            pool.terminate()
        if not isinstance(error, Exception) or isinstance(error, PerdureError):
            raise
        if isinstance(error, ValueError | OverflowError) and not preparation.is_connected:
            # Not from the error: it may quote the URL, and the URL has the password.
            raise Misconfigured(
                "the postgresql:// URL cannot be read; write postgresql://user:password@host:port/"
                "database with special characters of the password percent-encoded"
            ) from None
        if not is_of_driver(error):
            raise
        raise translated(error, address.place) from error
    return pool


async def _leave_as_it_is(_: Connection) -> None:
    """Nothing to put right when a connection goes back: no work leaves anything behind in it."""


class _Preparation:
    """Makes each new connection ready; the first one makes the schema ready too."""

    def __init__(self, driver: Any, address: Address) -> None:
        self._driver = driver
        self._address = address
        self._vector_schema: str | None = None
        self._sets_commit = False
        self.is_connected = False

    async def prepare(self, connection: Connection) -> None:
        self.is_connected = True
        is_first = self._vector_schema is None
        if self._vector_schema is None:
            self._vector_schema, self._sets_commit = await _examined(
                self._driver, connection, self._address
            )
        path = f"{self._address.quoted_schema}, {quoted(self._vector_schema)}"
        session = Session(connection)
        await session.value("use_schemas", path=path)
        if self._sets_commit:
            await session.value("commit_durably")
        await teach(connection, self._vector_schema)
        if is_first:
            async with connection.transaction():
                await migrate(session, self._address)


async def _examined(driver: Any, connection: Connection, address: Address) -> tuple[str, bool]:
    """The schema of pgvector, installed if need be, and whether commits must be made durable."""
    (server,) = await Session(connection).rows("server")
    if server["version"] < OLDEST_SERVER:
        raise Misconfigured(
            f"{address.place} runs on PostgreSQL {server['version'] // 10_000}; "
            f"a store needs {OLDEST_SERVER // 10_000} or newer"
        )
    if server["encoding"] != "UTF8":
        raise Misconfigured(
            f"{address.place} has the encoding {server['encoding']}; create it with UTF8"
        )
    if server["is_replica"]:
        raise Misconfigured(f"{address.place} is a read-only replica; name the primary")
    is_lazy = server["synchronous_commit"] == "off"
    if server["vector_schema"] is not None:
        return str(server["vector_schema"]), is_lazy
    if not await Session(connection).value("has_pgvector"):
        raise Misconfigured(
            f"{address.place}: the server lacks the pgvector extension; install it there "
            "(https://github.com/pgvector/pgvector), then open the store again"
        )
    return await _install_pgvector(driver, connection, address), is_lazy


async def _install_pgvector(driver: Any, connection: Connection, address: Address) -> str:
    try:
        await connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
    except driver.InsufficientPrivilegeError as error:
        raise Misconfigured(
            f"{address.place}: the user may not install pgvector; let an administrator run "
            "CREATE EXTENSION vector; in that database"
        ) from error
    except driver.UniqueViolationError:
        # Somebody else installed it in this very moment.
        pass
    (server,) = await Session(connection).rows("server")
    return str(server["vector_schema"])
