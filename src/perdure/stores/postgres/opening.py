"""From a URL to a pool of connections to a database whose schema is up to date."""

from __future__ import annotations

from typing import Any, NamedTuple

from perdure.errors import Misconfigured, PerdureError
from perdure.stores.postgres.addresses import Address, quoted
from perdure.stores.postgres.driver import Connection, asyncpg, teach
from perdure.stores.postgres.failures import is_of_driver, translated
from perdure.stores.postgres.migrating import migrate
from perdure.stores.postgres.transactions import Session

OLDEST_SERVER = 150_000
CONNECT_TIMEOUT_S = 15.0
COMMAND_TIMEOUT_S = 60.0
LOCK_TIMEOUT = "30s"
POOL_SIZE = 10


class _Server(NamedTuple):
    vector_schema: str
    settings: dict[str, str]


async def open_pool(address: Address, *, size: int = POOL_SIZE) -> Any:
    """Connect, bring the schema up to date, and give a pool of at most `size` connections.

    Raises `Unavailable` when the server does not answer and `Misconfigured` when it or the
    database cannot hold a store; `NewerStore` when a newer version was here.
    """
    driver = asyncpg()
    try:
        server = await _prepared(driver, address)
        return await driver.create_pool(
            address.dsn,
            min_size=1,
            max_size=size,
            timeout=CONNECT_TIMEOUT_S,
            command_timeout=COMMAND_TIMEOUT_S,
            server_settings=server.settings,
            init=lambda connection: teach(connection, server.vector_schema),
        )
    except PerdureError:
        raise
    except (driver.ClientConfigurationError, ValueError):
        # Not from the error: it may quote the URL, and the URL has the password.
        raise Misconfigured(
            "the postgresql:// URL cannot be read; write postgresql://user:password@host:port/"
            "database with special characters of the password percent-encoded"
        ) from None
    except Exception as error:
        if not is_of_driver(error):
            raise
        raise translated(error, address.place) from error


async def _prepared(driver: Any, address: Address) -> _Server:
    connection = await driver.connect(
        address.dsn, timeout=CONNECT_TIMEOUT_S, command_timeout=COMMAND_TIMEOUT_S
    )
    try:
        vector_schema, settings = await _examined(driver, connection, address)
        path = f"{address.quoted_schema}, {quoted(vector_schema)}"
        await connection.execute("SELECT set_config('search_path', $1, false)", path)
        await teach(connection, vector_schema)
        async with connection.transaction():
            await migrate(Session(connection), address)
        return _Server(vector_schema, {**settings, "search_path": path})
    finally:
        await connection.close(timeout=CONNECT_TIMEOUT_S)


async def _examined(
    driver: Any, connection: Connection, address: Address
) -> tuple[str, dict[str, str]]:
    """The schema of pgvector, installed if need be, and the settings of every connection."""
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
    settings = {"application_name": "perdure", "lock_timeout": LOCK_TIMEOUT, "timezone": "UTC"}
    settings["jit"] = "off"  # compiling short statements takes longer than running them
    if server["synchronous_commit"] == "off":
        # What is acknowledged must survive a crash, whatever the database's habit.
        settings["synchronous_commit"] = "on"
    if server["vector_schema"] is not None:
        return str(server["vector_schema"]), settings
    if not await Session(connection).value("has_pgvector"):
        raise Misconfigured(
            f"{address.place}: the server lacks the pgvector extension; install it there "
            "(https://github.com/pgvector/pgvector), then open the store again"
        )
    return await _install_pgvector(driver, connection, address), settings


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
