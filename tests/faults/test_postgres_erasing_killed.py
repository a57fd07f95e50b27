"""A client that is killed in the middle of an erasure has erased all of it or nothing, and what it
left in the tables of the server goes with the next look or the next erasure."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

import perdure
from perdure.testing import HashingEmbedder

pytestmark = pytest.mark.slow

SECRET = "grüne-Münzen-秘密"
MEMORIES = 30
DIMENSION = 16
ERASES = f"""
import sys, perdure
from perdure.testing import HashingEmbedder
memory = perdure.open(sys.argv[1], embedder=HashingEmbedder({DIMENSION}))
memory.scoped(user="gone").erase()
"""

BUSY = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()
"""


@pytest.fixture
async def memory(postgres_database):
    embedder = HashingEmbedder(DIMENSION)
    async with await perdure.open_async(postgres_database, embedder=embedder) as memory:
        for user, words in (("gone", SECRET), ("stays", "plain")):
            view = memory.scoped(user=user)
            told = await view.remember_many(
                [
                    {"content": f"{words} {n}", "key": f"{words}-{n}", "metadata": {"n": words}}
                    for n in range(MEMORIES)
                ]
            )
            await view.update(told[0].memory.id, content=f"{words} in other words")
            await view.remember(f"{words} with a key", idempotency_key=f"{words}-key")
        yield memory


@pytest.fixture
async def owner(memory, postgres_database):
    """A connection that goes behind the store's back."""
    connection = await asyncpg.connect(postgres_database)
    await connection.execute("SET search_path = perdure, public")
    await connection.execute("ANALYZE")  # as the server does by itself now and then
    yield connection
    await connection.close()


async def killed(owner, url, table, mode):
    """Kill a client that erases when it waits for a lock on the table, and let the server go on."""
    async with held(url, table, mode):
        with subprocess.Popen([sys.executable, "-c", ERASES, url]) as child:  # noqa: ASYNC220
            await somebody_waits(owner, child)
            child.kill()
    await nobody_else_is_there(owner)


@asynccontextmanager
async def held(url, table, mode):
    connection = await asyncpg.connect(url)
    async with connection.transaction():
        await connection.execute(f"LOCK TABLE perdure.{table} IN {mode} MODE")
        yield
    await connection.close()


async def somebody_waits(owner, child):
    for _ in range(10_000):
        if await owner.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
            return
        assert child.poll() is None, "it ended without waiting for the lock"
        await asyncio.sleep(0.01)
    pytest.fail("nobody waits for the lock")


async def nobody_else_is_there(owner):
    """The server's side of the dead client has noticed, and is gone."""
    for _ in range(10_000):
        if not await owner.fetchval(BUSY):
            return
        await asyncio.sleep(0.01)
    pytest.fail("the dead client's work goes on")


async def raw(owner):
    """Every file of the database, as it lies on the disk."""
    await owner.execute("CHECKPOINT")
    folder = Path(await owner.fetchval("SHOW data_directory"), "base")
    number = await owner.fetchval("SELECT oid FROM pg_database WHERE datname = current_database()")
    files = [file for file in (folder / str(number)).iterdir() if file.is_file()]
    return b"".join(file.read_bytes() for file in files)


async def left(memory):
    return await memory.scoped(user="gone").count(include=("superseded", "archived", "former"))


async def test_the_words_are_found_where_nothing_was_erased(memory, owner):
    assert SECRET.encode() in await raw(owner)
    assert await left(memory) == MEMORIES + 1


@pytest.mark.parametrize("table", ["memories", "withheld"])
async def test_killed_before_the_end_it_erased_nothing(memory, owner, postgres_database, table):
    await killed(owner, postgres_database, table, "SHARE")  # which hinders changes
    assert await left(memory) == MEMORIES + 1
    assert (await memory.verify()).ok
    certificate = await memory.scoped(user="gone").erase()
    assert certificate.complete
    assert certificate.counts["memories"] == MEMORIES + 1
    await nothing_is_left(memory, owner)


@pytest.mark.parametrize(("table", "by"), [("memories", "verify"), ("journal", "erase")])
async def test_killed_while_tables_are_freed_it_is_made_up_for(
    memory, owner, postgres_database, table, by
):
    await killed(owner, postgres_database, table, "ACCESS SHARE")  # which hinders VACUUM FULL alone
    assert await left(memory) == 0
    [problem] = (await memory.verify(repair=False)).problems
    assert problem.place == "files"
    if by == "verify":
        assert all(problem.repaired for problem in (await memory.verify()).problems)
    else:
        assert (await memory.scoped(user="gone").erase()).complete
    await nothing_is_left(memory, owner)


async def nothing_is_left(memory, owner):
    assert SECRET.encode() not in await raw(owner)
    assert (await memory.verify()).ok
    assert await memory.scoped(user="stays").count() == MEMORIES + 1
