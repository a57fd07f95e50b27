"""Opening a PostgreSQL store: migrations, and clear errors that show no password."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from urllib.parse import quote

import asyncpg
import pytest

from perdure.errors import Misconfigured, NewerStore, PerdureError, Unavailable
from perdure.stores.postgres import PostgresStore
from perdure.stores.postgres.migrating import migrations
from perdure.testing import ILKA, NOON, a_change_set, a_memory
from tests.services.postgres import PostgresServer, free_port

EVERY_MIGRATION = [(script.version, script.name) for script in migrations()]

Opening = Callable[..., Awaitable[PostgresStore]]
_numbers = count(1)


@pytest.fixture
def bare_database(postgres_server: PostgresServer) -> Iterator[str]:
    """Name of a database without pgvector."""
    name = f"bare_{next(_numbers)}"
    postgres_server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield name
    postgres_server.drop_database(name)


@pytest.fixture
def guest(postgres_server: PostgresServer) -> Iterator[str]:
    """Name of a user without rights, whose password is `secret`."""
    name = f"guest_{next(_numbers)}"
    postgres_server.execute(f"CREATE USER {name} PASSWORD 'secret'")
    yield name
    postgres_server.execute(f"DROP USER {name}")


def url_for(server: PostgresServer, *, database: str, user: str, password: str = "secret") -> str:
    return f"postgresql://{user}:{password}@127.0.0.1:{server.port}/{database}"


async def refused(url: str) -> PerdureError:
    """What opening the URL raises; it must not tell the password, nor must anything behind it."""
    with pytest.raises(PerdureError) as raised:
        await PostgresStore.open(url)
    error: BaseException | None = raised.value
    while error is not None:
        assert "secret" not in str(error)
        error = error.__cause__
    return raised.value


async def migrations_in(url: str, schema: str = "perdure") -> list[tuple[int, str]]:
    connection = await asyncpg.connect(url)
    rows = await connection.fetch(f'SELECT version, name FROM "{schema}".schema_migrations')
    await connection.close()
    return [(row["version"], row["name"]) for row in rows]


async def test_opening_twice_migrates_once(open_postgres: Opening, postgres_database: str) -> None:
    first = await open_postgres()
    await first.apply(a_change_set(memory := a_memory()))
    await first.close()
    again = await open_postgres()
    assert await again.get(ILKA, [memory.id]) == {memory.id: memory}
    assert await migrations_in(postgres_database) == EVERY_MIGRATION


async def test_many_may_open_a_new_database_at_once(
    postgres_server: PostgresServer, bare_database: str, open_postgres: Opening
) -> None:
    url = postgres_server.url(bare_database)
    stores = await asyncio.gather(*(open_postgres(url) for _ in range(8)))
    await asyncio.gather(*(store.apply(a_change_set(a_memory())) for store in stores))
    assert await migrations_in(url) == EVERY_MIGRATION


@pytest.mark.parametrize("schema", ["other", "Ünï cödé", 'a"b', "a;b--"])
async def test_stores_in_two_schemas_know_nothing_of_each_other(
    open_postgres: Opening, postgres_database: str, schema: str
) -> None:
    one = await open_postgres()
    other = await open_postgres(f"{postgres_database}?schema={quote(schema)}")
    await one.apply(a_change_set(memory := a_memory()))
    assert await other.get(ILKA, [memory.id]) == {}
    assert await one.get(ILKA, [memory.id]) == {memory.id: memory}


@pytest.mark.parametrize("schema", ["", "pg_catalog", "information_schema", "x" * 64])
async def test_a_schema_must_have_a_possible_name(postgres_database: str, schema: str) -> None:
    error = await refused(f"{postgres_database}?schema={schema}")
    assert isinstance(error, Misconfigured)


async def test_a_newer_schema_is_refused_and_left_alone(
    owner: asyncpg.Connection, postgres_database: str
) -> None:
    await owner.execute("INSERT INTO schema_migrations VALUES (9999, '9999_later')")
    await owner.execute("UPDATE meta SET value = 'of a later version'")
    error = await refused(postgres_database)
    assert isinstance(error, NewerStore)
    assert "9999" in str(error)
    assert await owner.fetchval("SELECT value FROM meta") == "of a later version"


async def test_terms_are_made_anew_when_the_analysis_changed(
    open_postgres: Opening, owner: asyncpg.Connection, store: PostgresStore
) -> None:
    await store.apply(a_change_set(*(a_memory(f"Kettle number {n}.") for n in range(1200))))
    await owner.execute("UPDATE memories SET lexemes = '{1}'")
    await owner.execute("UPDATE meta SET value = '0' WHERE name = 'analysis_version'")
    assert len(await store.check(repair=False)) == 1200
    await open_postgres()
    assert await store.check(repair=False) == []


async def test_pgvector_is_installed_where_the_user_may(
    postgres_server: PostgresServer, bare_database: str, open_postgres: Opening
) -> None:
    store = await open_postgres(postgres_server.url(bare_database))
    assert await store.embedding_model() is None


async def test_pgvector_is_asked_for_where_the_user_may_not_install_it(
    postgres_server: PostgresServer, bare_database: str, guest: str
) -> None:
    error = await refused(url_for(postgres_server, database=bare_database, user=guest))
    assert isinstance(error, Misconfigured)
    assert "CREATE EXTENSION vector" in str(error)


async def test_a_user_who_may_not_make_the_schema_is_told(
    postgres_server: PostgresServer, postgres_database: str, guest: str
) -> None:
    database = postgres_database.rpartition("/")[2]
    error = await refused(url_for(postgres_server, database=database, user=guest))
    assert isinstance(error, Misconfigured)
    assert "lacks a right" in str(error)


async def test_a_wrong_password_is_told_apart(postgres_server: PostgresServer, guest: str) -> None:
    url = url_for(postgres_server, database="perdure", user=guest, password="secret-but-wrong")
    error = await refused(url)
    assert isinstance(error, Misconfigured)
    assert "password" in str(error)


async def test_a_missing_database_is_told_apart(
    postgres_server: PostgresServer, guest: str
) -> None:
    error = await refused(url_for(postgres_server, database="nowhere", user=guest))
    assert isinstance(error, Misconfigured)
    assert "nowhere" in str(error)


async def test_a_server_that_is_down_is_unavailable() -> None:
    error = await refused(f"postgresql://ilka:secret@127.0.0.1:{free_port()}/perdure")
    assert isinstance(error, Unavailable)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ilka:secret@127.0.0.1:port/perdure",
        "postgresql://ilka:secret@127.0.0.1:99999999/perdure",
        "postgresql://ilka:secret@[::1/perdure",
        "postgresql://ilka:secret/with/slashes@127.0.0.1/perdure?sslmode=nonsense",
        "mysql://ilka:secret@127.0.0.1/perdure",
        "postgresql:secret",
    ],
)
async def test_a_url_that_cannot_be_read_is_refused(url: str) -> None:
    assert isinstance(await refused(url), Misconfigured | Unavailable)


def test_without_the_driver_the_extra_is_named() -> None:
    program = """
import asyncio, sys
sys.modules["asyncpg"] = None
from perdure.errors import Misconfigured
from perdure.stores.postgres import open_postgres
try:
    asyncio.run(open_postgres("postgresql://127.0.0.1/perdure"))
except Misconfigured as error:
    assert 'pip install "perdure[postgres]"' in str(error), error
else:
    raise AssertionError("opened")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


async def test_commits_are_durable_whatever_the_database_is_used_to(
    postgres_database: str, postgres_server: PostgresServer, open_postgres: Opening
) -> None:
    name = postgres_database.rpartition("/")[2]
    postgres_server.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    store = await open_postgres()

    async def setting(session) -> str:
        return (await session.composed_rows("SHOW synchronous_commit", {}))[0][0]

    assert await store._transactions.read(setting) == "on"


async def test_people_may_read_with_sql(store: PostgresStore, owner: asyncpg.Connection) -> None:
    fact = a_memory("Ilka lives in Ghent.", subject="user", predicate="lives_in", object="Ghent")
    await store.apply(a_change_set(a_memory("It rained."), fact, at=NOON))
    episodes = await owner.fetch("SELECT content FROM episodic_memories")
    relations = await owner.fetch(
        "SELECT subject, predicate, object, statement FROM knowledge_relations"
    )
    assert [row["content"] for row in episodes] == ["It rained."]
    assert [tuple(row) for row in relations] == [
        ("user", "lives_in", "Ghent", "Ilka lives in Ghent.")
    ]
