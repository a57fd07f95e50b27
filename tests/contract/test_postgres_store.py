"""The store on PostgreSQL keeps the contract."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from perdure.stores.postgres import PostgresStore
from perdure.testing.contracts.congruence import StoreCongruence
from perdure.testing.contracts.store import StoreContract

EMPTY = "SET search_path = contract; " + "".join(
    f"DELETE FROM {table};"
    for table in (
        "vectors",
        "memories",
        "memory_owners",
        "journal",
        "idempotency",
        "leases",
        "residents",
        "usage_days",
        "marks",
        "withheld",
    )
)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def cleaner(postgres_url: str, runner: asyncio.Runner) -> Iterator[asyncpg.Connection]:
    connection = runner.run(asyncpg.connect(postgres_url))
    yield connection
    runner.run(connection.close())


@pytest.fixture(scope="module")
def schema_url(postgres_url: str, runner: asyncio.Runner) -> str:
    url = f"{postgres_url}?schema=contract"
    runner.run(runner.run(PostgresStore.open(url)).close())
    return url


@pytest.fixture
def emptied_url(schema_url: str, cleaner: asyncpg.Connection, runner: asyncio.Runner) -> str:
    """One schema for all tests, emptied before each: making a new one takes far longer."""
    runner.run(
        cleaner.execute(
            EMPTY
            + "DELETE FROM meta WHERE name IN ('embedding_model', 'withholding_key', 'compaction')"
        )
    )
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
