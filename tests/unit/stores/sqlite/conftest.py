"""A SQLite store in a folder of its own, and ways to look behind it."""

import sqlite3
from contextlib import closing

import pytest

from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing.contracts._store_stand import standing


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def options(path):
    return SqliteOptions(path=path)


@pytest.fixture
def open_store():
    """Opens stores, and closes them after the test."""
    stores = []

    def opened(options):
        stores.append(SqliteStore.open(options))
        return stores[-1]

    yield opened
    for store in stores:
        run_now(store.close())


@pytest.fixture
def opening(options):
    async def open_store():
        return SqliteStore.open(options)

    return open_store


@pytest.fixture
def stand(opening):
    with standing(opening) as stand:
        yield stand


@pytest.fixture
def damage(path):
    """Run SQL behind the store's back."""

    def run(sql, *values):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return connection.execute(sql, values).fetchall()

    return run
