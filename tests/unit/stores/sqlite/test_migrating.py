"""Schema versions."""

import sqlite3
from contextlib import closing

import pytest

from perdure.errors import Misconfigured, NewerStore
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteStore
from perdure.stores.sqlite.migrating import (
    APPLICATION_ID,
    Migration,
    migrate,
    migrations,
    newest,
    statements_of,
)


def schema(connection):
    return connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ).fetchall()


def test_replaying_every_migration_gives_the_newest_schema(options, path, open_store):
    open_store(options)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as replayed:
        for number in range(1, newest() + 1):
            migrate(replayed, steps=migrations()[:number])
        with closing(sqlite3.connect(path)) as made:
            assert schema(made) == schema(replayed)


def test_migrating_twice_changes_nothing():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        assert migrate(connection) == [step.number for step in migrations()]
        before = schema(connection)
        assert migrate(connection) == []
        assert schema(connection) == before


def test_a_migration_that_fails_midway_leaves_nothing(path):
    broken = (*migrations(), Migration(newest() + 1, "CREATE TABLE more (a);\nSELECT nonsense;\n"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection)
        before = schema(connection)
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="nonsense"):
            migrate(connection, steps=broken)
        connection.execute("ROLLBACK")
        assert schema(connection) == before
        assert connection.execute("PRAGMA user_version").fetchone() == (newest(),)


def test_a_newer_file_is_refused_and_untouched(options, path, damage):
    run_now(SqliteStore.open(options).close())
    damage(f"PRAGMA user_version = {newest() + 1}")
    before = path.read_bytes()
    with pytest.raises(NewerStore, match="Upgrade"):
        SqliteStore.open(options)
    assert path.read_bytes() == before


def test_another_programs_file_is_refused_and_untouched(options, path, damage):
    damage("CREATE TABLE theirs (a)")
    before = path.read_bytes()
    with pytest.raises(Misconfigured, match="another program"):
        SqliteStore.open(options)
    assert path.read_bytes() == before


def test_a_file_says_whose_it_is(options, damage, open_store):
    open_store(options)
    assert damage("PRAGMA application_id") == [(APPLICATION_ID,)]


def test_a_script_is_cut_at_the_ends_of_statements():
    script = "-- a; comment\nCREATE TABLE a (b); -- more\nINSERT INTO a VALUES (';');\n\n-- end\n"
    found = statements_of(script)
    assert [statement.splitlines()[-1] for statement in found] == [
        "CREATE TABLE a (b); -- more",
        "INSERT INTO a VALUES (';');",
    ]


def test_a_script_must_end_its_last_statement():
    with pytest.raises(ValueError, match="ends inside"):
        statements_of("CREATE TABLE a (b)")
