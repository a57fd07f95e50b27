"""A connection or the server is lost in the middle of a change: never half of it, never twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress

import asyncpg
import pytest

from perdure.domain.changes import Applied, ChangeSet, IdempotencyKey, Refused
from perdure.domain.query import Condition
from perdure.domain.visibility import View
from perdure.errors import Closed, Unavailable
from perdure.stores.postgres import PostgresStore
from perdure.testing import ILKA, NOON, a_change_set, a_memory, vectors_of
from perdure.testing.builders import a_change
from tests.services.postgres import PostgresServer, running_postgres

Opening = Callable[..., Awaitable[PostgresStore]]
SEEN = Condition(view=View(scope=ILKA, now=NOON))


def a_whole_change() -> ChangeSet:
    """A change that touches every table."""
    memory = a_memory()
    return a_change_set(
        a_change(memory, vectors=vectors_of((1, 0, 0, 0))),
        idempotency=(IdempotencyKey(scope=ILKA, key="k", request="r", answer={"id": memory.id}),),
    )


async def written_once(store: PostgresStore, changes: ChangeSet) -> None:
    """All of the change is there, one time."""
    (memory,) = (change.after for change in changes.changes)
    assert await store.get(ILKA, [memory.id]) == {memory.id: memory}
    assert len(await store.history(ILKA, memory.id)) == 1
    assert await store.lacking_vectors("scripted@1/4", limit=10) == []
    repeated = await store.apply(changes)
    assert isinstance(repeated, Refused)
    assert repeated.repeated == {0: {"id": memory.id}}
    assert await store.check(repair=False) == []


async def held_up(owner: asyncpg.Connection) -> None:
    """Return when somebody waits for a lock."""
    for _ in range(1000):
        if await owner.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            return
        await asyncio.sleep(0.01)
    pytest.fail("nobody waits for a lock")


KILLING = """
CREATE SEQUENCE kills;
CREATE FUNCTION kill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Sequences are not rolled back, so this counts the attempts.
    IF nextval('kills') <= {times} THEN
        PERFORM pg_terminate_backend(pg_backend_pid());
        PERFORM pg_sleep(5);
    END IF;
    RETURN NEW;
END $$;
CREATE CONSTRAINT TRIGGER kill AFTER INSERT ON {table} DEFERRABLE INITIALLY {moment}
FOR EACH ROW EXECUTE FUNCTION kill();
"""


@pytest.mark.parametrize("moment", ["IMMEDIATE", "DEFERRED"])
@pytest.mark.parametrize(
    "table", ["memory_owners", "memories", "vectors", "idempotency", "journal"]
)
async def test_a_connection_killed_while_writing_is_replaced(
    store: PostgresStore, owner: asyncpg.Connection, table: str, moment: str
) -> None:
    """Also while committing, which is when deferred triggers run."""
    await owner.execute(KILLING.format(table=table, moment=moment, times=2))
    changes = a_whole_change()
    assert isinstance(await store.apply(changes), Applied)
    assert await owner.fetchval("SELECT last_value FROM kills") > 2
    await written_once(store, changes)


@pytest.mark.slow
async def test_a_change_that_never_gets_through_writes_nothing(
    store: PostgresStore, owner: asyncpg.Connection
) -> None:
    await owner.execute(KILLING.format(table="journal", moment="IMMEDIATE", times=1000))
    with pytest.raises(Unavailable, match="nothing was written"):
        await store.apply(a_whole_change())
    for table in ("memory_owners", "memories", "vectors", "idempotency", "journal"):
        assert await owner.fetchval(f"SELECT count(*) FROM {table}") == 0


async def test_a_connection_killed_while_waiting_for_another_writer_is_replaced(
    store: PostgresStore, owner: asyncpg.Connection
) -> None:
    async with owner.transaction():
        await owner.execute("LOCK TABLE memories IN SHARE MODE")
        writing = asyncio.create_task(store.apply(changes := a_whole_change()))
        await held_up(owner)
        await owner.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted")
    assert isinstance(await writing, Applied)
    await written_once(store, changes)


class Forgetful:
    """Between a store and its server; loses the answer to a commit when told to."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.loses_next_answer = False
        self.refuses = False
        self.lost = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.close()
            return
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self._port)
        forward = asyncio.create_task(self._answers(from_server, writer))
        try:
            while data := await reader.read(1 << 16):
                if self.loses_next_answer and b"COMMIT;" in data:
                    self.loses_next_answer = False
                    forward.cancel()
                    await asyncio.wait([forward])
                    to_server.write(data)
                    await from_server.read(1 << 16)  # the server has committed
                    self.lost += 1
                    break
                to_server.write(data)
        finally:
            forward.cancel()
            writer.transport.abort()
            to_server.close()

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                writer.write(data)
            writer.close()


@pytest.fixture
async def proxied(
    postgres_database: str, postgres_server: PostgresServer, open_postgres: Opening
) -> AsyncIterator[tuple[PostgresStore, Forgetful]]:
    """A store whose connections go through a `Forgetful`."""
    between = Forgetful(postgres_server.port)
    async with await asyncio.start_server(between.serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        url = postgres_database.replace(f":{postgres_server.port}/", f":{port}/")
        store = await open_postgres(url)
        yield store, between
        await store.close()


async def test_a_commit_whose_answer_was_lost_is_asked_after_and_not_repeated(
    proxied: tuple[PostgresStore, Forgetful],
) -> None:
    store, between = proxied
    between.loses_next_answer = True
    changes = a_whole_change()
    assert isinstance(await store.apply(changes), Applied)
    assert between.lost == 1
    await written_once(store, changes)


@pytest.mark.slow
async def test_a_commit_that_cannot_be_asked_after_is_not_called_unwritten(
    proxied: tuple[PostgresStore, Forgetful],
) -> None:
    store, between = proxied
    between.loses_next_answer = True
    between.refuses = True
    changes = a_whole_change()
    with pytest.raises(Unavailable, match="could not be learnt"):
        await store.apply(changes)
    between.refuses = False
    await written_once(store, changes)


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server for tests that hurt it."""
    with running_postgres() as server:
        yield server


@pytest.mark.slow
async def test_nothing_acknowledged_is_lost_when_the_server_crashes(
    own_server: PostgresServer, open_postgres: Opening
) -> None:
    """A killed backend makes PostgreSQL end all others and recover from its log."""
    url = own_server.url()
    acknowledged: list[str] = []
    crashes = 0

    async def write(store: PostgresStore, name: str) -> None:
        number = 0
        while crashes < 3 or number < 5:
            memory = a_memory(f"{name} {number}")
            if isinstance(await store.apply(a_change_set(memory)), Applied):
                acknowledged.append(memory.id)
            number += 1

    one, other = await open_postgres(url, pool_size=4), await open_postgres(url, pool_size=4)
    writing = [
        asyncio.create_task(write(store, f"writer {number}"))
        for number, store in enumerate((one, one, other, other))
    ]
    for _ in range(3):
        await asyncio.sleep(0.3)
        await crash(url)
        await asyncio.sleep(0.5)
        crashes += 1
    await asyncio.gather(*writing)
    found = await one.get(ILKA, acknowledged)
    assert len(acknowledged) >= 20
    assert found.keys() == set(acknowledged)
    assert await one.count(SEEN) == len(acknowledged)
    assert await other.check(repair=False) == []


async def crash(url: str) -> None:
    connection = await asyncpg.connect(url)
    victim = await connection.fetchval(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'perdure' LIMIT 1"
    )
    await connection.close()
    os.kill(victim, signal.SIGKILL)


async def test_a_cancelled_change_is_not_written_and_hinders_nobody(
    open_postgres: Opening, owner: asyncpg.Connection
) -> None:
    store = await open_postgres(pool_size=1)
    async with owner.transaction():
        await owner.execute("LOCK TABLE journal IN SHARE MODE")
        writing = asyncio.create_task(store.apply(cancelled := a_whole_change()))
        await held_up(owner)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert await store.get(ILKA, [cancelled.changes[0].after.id]) == {}
    changes = a_whole_change()
    assert isinstance(await store.apply(changes), Applied)
    await written_once(store, changes)
    assert await store.count(SEEN) == 1


async def test_closing_lets_a_change_finish_and_then_refuses(
    open_postgres: Opening, owner: asyncpg.Connection
) -> None:
    store = await open_postgres()
    async with owner.transaction():
        await owner.execute("LOCK TABLE memories IN SHARE MODE")
        writing = asyncio.create_task(store.apply(changes := a_whole_change()))
        await held_up(owner)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0.05)
        assert not closing.done()
    assert isinstance(await writing, Applied)
    await closing
    with pytest.raises(Closed):
        await store.get(ILKA, [])
    await written_once(await open_postgres(), changes)
