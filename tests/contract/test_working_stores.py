"""The stores of working memory keep the contract."""

import pytest

from perdure.testing.contracts.working_store import WorkingStoreContract
from perdure.working_stores.memory import MemoryWorkingStore
from perdure.working_stores.redis import RedisWorkingStore


class TestMemoryWorkingStore(WorkingStoreContract):
    outlives_closing = False

    @pytest.fixture
    def opening(self):
        return MemoryWorkingStore


class TestRedisWorkingStore(WorkingStoreContract):
    @pytest.fixture
    def opening(self, valkey_url):
        return lambda: RedisWorkingStore(valkey_url, timeout_s=10.0)


class TestRedisClusterWorkingStore(WorkingStoreContract):
    @pytest.fixture
    def opening(self, valkey_cluster_url):
        return lambda: RedisWorkingStore(valkey_cluster_url, timeout_s=10.0)
