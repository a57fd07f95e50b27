"""Fixtures of the tests against real services."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest

from perdure.stores.postgres import PostgresStore


@pytest.fixture
async def open_postgres(
    postgres_database: str,
) -> AsyncIterator[Callable[..., Awaitable[PostgresStore]]]:
    """Opens stores on this test's database, or on another URL; closes them after the test."""
    async with AsyncExitStack() as stack:

        async def opened(url: str = postgres_database, **options: Any) -> PostgresStore:
            store = await PostgresStore.open(url, **options)
            stack.push_async_callback(store.close)
            return store

        yield opened


@pytest.fixture
async def store(open_postgres: Callable[..., Awaitable[PostgresStore]]) -> PostgresStore:
    """A PostgreSQL store on this test's database."""
    return await open_postgres()


@pytest.fixture
async def owner(store: PostgresStore, postgres_database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that goes behind the store's back."""
    connection = await asyncpg.connect(postgres_database)
    await connection.execute("SET search_path = perdure, public")
    yield connection
    await connection.close()
