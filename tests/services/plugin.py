"""Fixtures for the servers in this folder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.services.buckets import Buckets
from tests.services.moto import running_moto
from tests.services.postgres import PostgresServer, running_postgres
from tests.services.seaweedfs import running_seaweedfs
from tests.services.valkey import ValkeyServer, running_valkey

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One PostgreSQL for the whole run, started when first asked for."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(postgres_server: PostgresServer) -> str:
    """URL of a database that all tests of the run share."""
    return postgres_server.url()


@pytest.fixture
def postgres_database(postgres_server: PostgresServer) -> Iterator[str]:
    """URL of a database for this test alone, empty but for the `vector` extension."""
    name = f"test_{next(_numbers)}"
    yield postgres_server.create_database(name)
    postgres_server.drop_database(name)


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[ValkeyServer]:
    """One Valkey for the whole run, started when first asked for."""
    with running_valkey() as server:
        yield server


@pytest.fixture(scope="session")
def valkey_url(valkey_server: ValkeyServer) -> str:
    """URL of a Valkey that all tests of the run share: each takes a user of its own."""
    return valkey_server.url


@pytest.fixture(scope="session")
def valkey_cluster_url() -> Iterator[str]:
    """URL of a cluster of one node, shared in the same way."""
    with running_valkey(cluster=True) as server:
        yield server.url.replace("redis://", "redis+cluster://").removesuffix("/0")


@pytest.fixture
def own_valkey() -> Iterator[ValkeyServer]:
    """A Valkey for this test alone, which may kill it."""
    with running_valkey() as server:
        yield server


@pytest.fixture(scope="session")
def moto_buckets() -> Iterator[Buckets]:
    """A quick S3 for the whole run, started when first asked for."""
    with running_moto() as buckets:
        yield buckets


@pytest.fixture(scope="session")
def seaweed_buckets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buckets]:
    """A real S3 for the whole run, started when first asked for."""
    with running_seaweedfs(tmp_path_factory.mktemp("seaweedfs")) as buckets:
        yield buckets
