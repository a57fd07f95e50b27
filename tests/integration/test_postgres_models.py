"""Changing the model whose vectors are used, while others write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg

from perdure.domain.changes import Vectors
from perdure.stores.postgres import PostgresStore, modelling
from perdure.testing import MODEL, a_change, a_change_set, a_memory, vectors_of

Opening = Callable[..., Awaitable[PostgresStore]]


def offered(model: str) -> Vectors:
    return vectors_of((1, 2, 3, 4), (1, 0, 0, 0), model=model)


async def test_no_vector_of_the_old_model_outlives_the_change(
    store: PostgresStore, open_postgres: Opening, owner: asyncpg.Connection
) -> None:
    other = await open_postgres()
    await store.adopt_model(MODEL, replacing=None)

    async def write(number: int) -> None:
        for _ in range(10):
            await (store, other)[number % 2].apply(
                a_change_set(a_change(a_memory(), vectors=offered(MODEL)))
            )

    writing = asyncio.gather(*(write(number) for number in range(6)))
    await asyncio.sleep(0.1)
    assert await store.adopt_model("new@1/4", replacing=MODEL)
    assert not writing.done()
    await writing
    assert await owner.fetchval("SELECT count(*) FROM vectors") == 0
    assert len(await other.lacking_vectors("new@1/4", limit=100)) == 60


async def test_two_first_models_leave_one(
    store: PostgresStore, open_postgres: Opening, owner: asyncpg.Connection
) -> None:
    stores = [store, await open_postgres()]
    await asyncio.gather(
        *(
            stores[number % 2].apply(
                a_change_set(a_change(a_memory(), vectors=offered(f"model {number % 2}")))
            )
            for number in range(12)
        )
    )
    (row,) = await owner.fetch("SELECT model, count(*) / 2 FROM vectors GROUP BY model")
    assert tuple(row) == (await store.embedding_model(), 6)


async def test_a_change_of_model_that_was_interrupted_is_finished_by_the_next(
    store: PostgresStore, owner: asyncpg.Connection, monkeypatch
) -> None:
    monkeypatch.setattr(modelling, "BATCH", 7)
    memories = [a_memory(f"{number}") for number in range(20)]
    await store.apply(a_change_set(*(a_change(item, vectors=offered(MODEL)) for item in memories)))
    await owner.execute("UPDATE meta SET value = 'new@1/4' WHERE name = 'embedding_model'")
    assert len(await store.lacking_vectors("new@1/4", limit=100)) == 20
    assert await store.adopt_model("new@1/4", replacing=None)
    assert await owner.fetchval("SELECT count(*) FROM vectors") == 0
    assert await store.check(repair=False) == []
