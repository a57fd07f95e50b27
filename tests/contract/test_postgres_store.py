"""The store on PostgreSQL keeps the contract."""

import asyncio

import asyncpg
import pytest

from perdure.stores.postgres import PostgresStore
from perdure.testing.contracts.congruence import StoreCongruence
from perdure.testing.contracts.store import StoreContract

EMPTY = "SET search_path = contract; " + "".join(
    f"DELETE FROM {table};"
    for table in ("vectors", "memories", "memory_owners", "journal", "idempotency", "leases")
)


@pytest.fixture(scope="module")
def schema_url(postgres_url: str) -> str:
    url = f"{postgres_url}?schema=contract"

    async def made() -> None:
        await (await PostgresStore.open(url)).close()

    asyncio.run(made())
    return url


@pytest.fixture
def emptied_url(schema_url: str, postgres_url: str) -> str:
    """One schema for all tests, emptied before each: making a new one takes far longer."""

    async def empty() -> None:
        connection = await asyncpg.connect(postgres_url)
        await connection.execute(EMPTY + "DELETE FROM meta WHERE name = 'embedding_model'")
        await connection.close()

    asyncio.run(empty())
    return schema_url


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def opening(self, emptied_url):
        async def open_store():
            return await PostgresStore.open(emptied_url)

        return open_store


class TestPostgresStoreCongruence(StoreCongruence):
    @pytest.fixture
    def opening(self, emptied_url):
        async def open_store():
            return await PostgresStore.open(emptied_url)

        return open_store
