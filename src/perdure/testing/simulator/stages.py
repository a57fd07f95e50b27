"""The stages that come with the package: in memory, on SQLite, on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from perdure.archives._obstore import memory_objects
from perdure.bootstrap import sqlite_file
from perdure.errors import Misconfigured
from perdure.ports.store import Store
from perdure.stores.memory import MemoryStore
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing.simulator.world import Stage

Staging = Callable[[], AbstractAsyncContextManager[Stage]]
"""Sets up an empty stage, and clears it away afterwards."""


def staging_of(store: str) -> Staging:
    """The stages for `memory`, `sqlite` or a `postgresql://` URL.

    Each gets data of its own: files in a new folder, or a schema in the database, dropped
    afterwards. `Misconfigured` for anything else.
    """
    if store == "memory":
        return in_memory
    if store == "sqlite":
        return on_sqlite
    if store.startswith(("postgresql://", "postgres://")):
        return lambda: on_postgres(store)
    raise Misconfigured(f"a simulation runs on memory, sqlite or postgresql://…, not {store!r}")


def needs_loop(store: str) -> bool:
    """Whether a stage for this store needs an event loop."""
    return store not in ("memory", "sqlite")


@asynccontextmanager
async def in_memory() -> AsyncIterator[Stage]:
    """A store in the process. Restarts keep the object, for its data end with it."""
    with TemporaryDirectory(prefix="perdure-simulator-") as name:

        async def opened() -> Store:
            return MemoryStore(identity="simulator", salts=bytes)

        yield Stage(
            open_store=opened,
            objects=memory_objects(),
            folder=Path(name),
            outlives_closing=False,
        )


@asynccontextmanager
async def on_sqlite() -> AsyncIterator[Stage]:
    """A file, and the archive in a folder beside it."""
    with TemporaryDirectory(prefix="perdure-simulator-") as name:
        folder = Path(name)
        path = sqlite_file(folder / "memory.db")
        assert path is not None

        async def opened() -> Store:
            return SqliteStore.open(SqliteOptions(path=path, durability="normal"))

        yield Stage(open_store=opened, folder=folder)


@asynccontextmanager
async def on_postgres(url: str) -> AsyncIterator[Stage]:
    """A schema of its own in the database, dropped afterwards; the archive in a folder."""
    import asyncpg

    from perdure.stores.postgres import open_postgres
    from perdure.stores.postgres.addresses import quoted

    with TemporaryDirectory(prefix="perdure-simulator-") as name:
        schema = Path(name).name.replace("-", "_").lower()
        address = f"{url}{'&' if '?' in url else '?'}schema={schema}"

        async def opened() -> Store:
            store: Store = await open_postgres(address)
            return store

        try:
            yield Stage(open_store=opened, folder=Path(name))
        finally:
            connection = await asyncpg.connect(url)
            try:
                await connection.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE")
            finally:
                await connection.close()
