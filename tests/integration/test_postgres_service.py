"""The PostgreSQL that other tests rely on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import pytest

from tests.services.postgres import PostgresFailed, PostgresServer

ROOT = Path(__file__).resolve().parents[2]


async def test_a_test_database_is_current_and_finds_the_nearest_vector(
    postgres_database: str,
) -> None:
    connection = await asyncpg.connect(postgres_database)
    try:
        await connection.execute("CREATE TABLE item (name text, place vector(2))")
        await connection.execute("INSERT INTO item VALUES ('near', '[1,1]'), ('far', '[9,9]')")
        nearest = await connection.fetchval("SELECT name FROM item ORDER BY place <=> '[2,1]'")
        version = connection.get_server_version()
    finally:
        await connection.close()
    assert nearest == "near"
    assert version.major == 18


@pytest.mark.parametrize("_run", ["first", "second"])
async def test_each_test_starts_with_an_empty_database(postgres_database: str, _run: str) -> None:
    connection = await asyncpg.connect(postgres_database)
    try:
        await connection.execute("CREATE TABLE left_behind ()")
    finally:
        await connection.close()


async def test_a_test_may_leave_its_connections_open(postgres_server: PostgresServer) -> None:
    connection = await asyncpg.connect(postgres_server.create_database("left_open"))
    postgres_server.drop_database("left_open")
    with pytest.raises(asyncpg.PostgresError):
        await connection.fetchval("SELECT 1")
    connection.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_the_server_goes_when_its_tests_are_killed(ended_by: signal.Signals) -> None:
    program = (
        "import time; from tests.services.postgres import running_postgres\n"
        "with running_postgres() as server: print(server.url(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as tests:
        assert tests.stdout
        server = PostgresServer.from_url(tests.stdout.readline().strip())
        folder = Path(server.execute("SHOW data_directory"))
        tests.send_signal(ended_by)
    wait_until_gone(folder)
    with pytest.raises(PostgresFailed, match="refused"):
        server.execute("SELECT 1")


def wait_until_gone(folder: Path) -> None:
    deadline = time.monotonic() + 30
    while folder.exists():
        if time.monotonic() > deadline:
            pytest.fail(f"{folder} is still there")
        time.sleep(0.1)
