"""Many writers on one PostgreSQL: in one pool, in two, and in several processes."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from perdure.domain.changes import Applied, ChangeSet, Refused
from perdure.domain.query import Condition
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.stores.postgres import PostgresStore
from perdure.testing import ILKA, NOON, a_change_set, a_memory

Opening = Callable[..., Awaitable[PostgresStore]]
SEEN = Condition(view=View(scope=ILKA, now=NOON))


def a_fact(text: str) -> ChangeSet:
    """A fact that is written unless it is known."""
    return a_change_set(a_memory(text), unless_known=frozenset((0,)))


@pytest.mark.parametrize("pools", [1, 2, 4])
async def test_sixteen_writers_of_one_fact_leave_one(open_postgres: Opening, pools: int) -> None:
    stores = [await open_postgres() for _ in range(pools)]
    said = await asyncio.gather(
        *(stores[n % pools].apply(a_fact("The kettle is blue.")) for n in range(16))
    )
    assert Counter(type(item) for item in said) == {Applied: 1, Refused: 15}
    assert await stores[0].count(SEEN) == 1
    (kept,) = {item.known[0].id for item in said if isinstance(item, Refused)}
    assert await stores[-1].get(ILKA, [kept])
    assert await stores[0].check(repair=False) == []


PROGRAM = """
import asyncio, sys
from perdure.stores.postgres import PostgresStore
from tests.integration.test_postgres_concurrency import a_fact
from perdure.domain.changes import Applied
from perdure.testing import builders
from itertools import count

async def main():
    builders._numbers = count(int(sys.argv[2]) * 1_000_000)
    store = await PostgresStore.open(sys.argv[1])
    said = [await store.apply(a_fact(f"fact {number}")) for number in range(40)]
    print(sum(isinstance(item, Applied) for item in said))
    await store.close()

asyncio.run(main())
"""


@pytest.mark.slow
async def test_processes_that_add_the_same_facts_leave_each_once(
    store: PostgresStore, postgres_database: str
) -> None:
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, postgres_database, str(number), stdout=PIPE
        )
        for number in range(1, 4)
    ]
    applied = [int((await process.communicate())[0]) for process in processes]
    assert sum(applied) == 40
    assert await store.count(SEEN) == 40
    assert await store.check(repair=False) == []


async def test_an_id_is_given_once_in_the_whole_store(store: PostgresStore) -> None:
    """Users share no lock, so only the database itself can tell."""
    scopes = [Scope(tenant=f"t{number % 3}", user=f"u{number}") for number in range(12)]
    for round_ in range(5):
        said = await asyncio.gather(
            *(
                store.apply(a_change_set(a_memory(scope=scope, id=f"round {round_}")))
                for scope in scopes
            )
        )
        assert Counter(type(item) for item in said) == {Applied: 1, Refused: 11}
        assert {item.stale for item in said if isinstance(item, Refused)} == {(f"round {round_}",)}
    assert await store.check(repair=False) == []


async def test_a_reader_of_a_whole_tenant_passes_nothing_over(
    store: PostgresStore, open_postgres: Opening
) -> None:
    """Entries of several users become visible in another order than they were numbered."""
    reader = await open_postgres()
    view = View(scope=Scope(tenant="t"), now=NOON, everything=True)
    read: list[int] = []

    async def write(user: int) -> None:
        scope = Scope(tenant="t", user=f"user {user}")
        for number in range(25):
            await store.apply(a_change_set(a_memory(f"{number}", scope=scope)))

    async def follow() -> None:
        while True:
            entries = await reader.changes_since(view, read[-1] if read else 0)
            read.extend(entry.sequence for entry in entries)
            if not entries and writing.done():
                return

    writing = asyncio.gather(*(write(user) for user in range(8)))
    await asyncio.gather(writing, follow())
    assert len(read) == 200
    assert read == sorted(read)


async def test_writers_of_several_users_at_once_do_not_lock_each_other_out(
    store: PostgresStore,
) -> None:
    """Change sets that name the same users in another order."""
    scopes = [Scope(tenant=tenant, user=user) for tenant in "ab" for user in "cd"]

    def both_ways(number: int) -> ChangeSet:
        order = scopes if number % 2 else scopes[::-1]
        return a_change_set(*(a_memory(f"{number}", scope=scope) for scope in order))

    said = await asyncio.gather(*(store.apply(both_ways(number)) for number in range(24)))
    assert all(isinstance(item, Applied) for item in said)
    assert await store.check(repair=False) == []
