"""The in-memory store keeps the contract."""

import pytest

from perdure.stores.memory import MemoryStore
from perdure.testing.contracts.congruence import StoreCongruence
from perdure.testing.contracts.store import StoreContract


class TestMemoryStore(StoreContract):
    outlives_closing = False

    @pytest.fixture
    def opening(self):
        async def open_store():
            return MemoryStore()

        return open_store


class TestMemoryStoreCongruence(StoreCongruence):
    @pytest.fixture
    def opening(self):
        async def open_store():
            return MemoryStore()

        return open_store
