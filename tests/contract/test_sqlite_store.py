"""The SQLite store keeps the contract."""

import pytest

from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing.contracts.congruence import StoreCongruence
from perdure.testing.contracts.store import StoreContract


@pytest.fixture
def opening(tmp_path):
    async def open_store():
        return SqliteStore.open(SqliteOptions(path=tmp_path / "memory.db"))

    return open_store


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def opening(self, opening):
        return opening


class TestSqliteStoreCongruence(StoreCongruence):
    @pytest.fixture
    def opening(self, opening):
        return opening
