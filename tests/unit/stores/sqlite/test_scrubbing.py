"""What deleted rows leave behind in the pages of a file is overwritten, and nothing else is."""

import os
import sqlite3
from contextlib import closing
from random import Random

import pytest

from perdure.stores.sqlite.scrubbing import NotScrubbable, scrub

SECRET = "the-erased-words"


@pytest.fixture
def descriptor(path):
    """Opened while no connection is there and closed after all of them: see `raw_file`."""
    path.touch()
    opened = os.open(path, os.O_RDWR)
    yield opened
    os.close(opened)


def connected(path, *, page_size, first="PRAGMA user_version = 1"):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(first)
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, words TEXT)")
    connection.execute("CREATE TABLE w (name TEXT PRIMARY KEY, words TEXT) WITHOUT ROWID")
    return connection


def lived_in(connection, page_size):
    """Rows of all sizes come in any order, so that pages split; every third is erased."""
    chance, longest = Random(8), 2 * page_size
    numbers = chance.sample(range(10**6), 900)
    connection.execute("BEGIN")
    for place, number in enumerate(numbers):
        word = SECRET if place % 3 == 0 else "other"
        length = chance.choice((20, 60, page_size // 5, longest if place % 40 == 0 else 90))
        words = f"{word} {number} " + chance.randbytes(length // 2).hex()
        connection.execute("INSERT INTO t VALUES (?, ?, ?)", (number, f"{word} {number}", words))
        connection.execute("INSERT INTO w VALUES (?, ?)", (f"{number} {word}", words[:120]))
    connection.execute("COMMIT")
    connection.execute("DELETE FROM t WHERE name LIKE ?", (f"{SECRET}%",))
    connection.execute("DELETE FROM w WHERE name LIKE ?", (f"%{SECRET}",))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("page_size", [512, 4096, 8192, 65536])
def test_only_what_is_deleted_goes(path, descriptor, page_size):
    with closing(connected(path, page_size=page_size)) as connection:
        lived_in(connection, page_size)
        assert SECRET.encode() in path.read_bytes()  # else there is nothing to overwrite
        before = list(connection.iterdump())
        assert scrub(descriptor, page_size) > 0
        assert SECRET.encode() not in path.read_bytes()
        assert scrub(descriptor, page_size) == 0
    with closing(sqlite3.connect(path)) as again:
        assert list(again.iterdump()) == before
        assert again.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_file_whose_pages_are_of_other_kinds_too_is_left_alone(path, descriptor):
    with closing(connected(path, page_size=512, first="PRAGMA auto_vacuum = FULL")) as connection:
        lived_in(connection, 512)
        before = path.read_bytes()
        with pytest.raises(NotScrubbable):
            scrub(descriptor, 512)
        assert path.read_bytes() == before


def test_what_is_no_store_is_left_alone(path, descriptor):
    path.write_bytes(b"\x0d" + b"words" * 2000)
    before = path.read_bytes()
    with pytest.raises(NotScrubbable):
        scrub(descriptor, 512)
    assert path.read_bytes() == before
