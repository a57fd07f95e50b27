"""After an erasure the file and its log hold nothing of it, whoever else has the file open."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from perdure.domain.erasure import Erased, Erasure
from perdure.domain.scope import Scope
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore, compacting
from perdure.testing.builders import NOON, a_change, a_change_set, a_memory, successor, vectors_of

SECRET = "grüße-秘密"
GONE, STAYS = Scope(user="gone"), Scope(user="stays")


def memories_of(scope, word, amount):
    return [
        replace(a_memory(f"{word} {n}", scope=scope), id=f"{scope.user}-{n}") for n in range(amount)
    ]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A file where memories of two users lie side by side and grew and shrank in any order, so
    that pages were split; with pages of 4096 bytes copies of words are left then."""
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    store = SqliteStore.open(SqliteOptions(path=path, page_size=4096, durability="normal"))
    chance, word = Random(3), {GONE: SECRET, STAYS: "kept"}
    kept, secret = memories_of(STAYS, "kept", 120), memories_of(GONE, SECRET, 40)
    every = [item for n, one in enumerate(secret) for item in (one, *kept[n * 3 : n * 3 + 3])]
    vectors = vectors_of((1.0, 0.0, 0.0, 0.0))
    run_now(store.apply(a_change_set(*(a_change(item, vectors=vectors) for item in every))))
    for _ in range(2 * len(every)):
        place = chance.randrange(len(every))
        before = every[place]
        content = f"{word[before.scope]} " * chance.randrange(1, 60)
        every[place] = successor(before, content=content)
        run_now(store.apply(a_change_set(a_change(every[place], before=before))))
    run_now(store.close())
    return path


@pytest.fixture
def options(path, filled):
    shutil.copy(filled, path)
    return SqliteOptions(path=path, durability="normal")


@pytest.fixture
def store(options, open_store):
    """The filled store."""
    return open_store(options)


def erase(store, scope=GONE):
    assert isinstance(run_now(store.erase(Erasure(scope=scope, ids=None, at=NOON))), Erased)


def left_in(path):
    """Whether the words lie in any file of the store."""
    files = path.parent.glob(f"{path.name}*")
    return any(SECRET.encode() in file.read_bytes() for file in files)


def log_of(path):
    return Path(f"{path}-wal")


def fold(store):
    """Write what is in the log into the file, and cut the log."""
    store._committer.exclusively(
        lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    )


TABLES = {"memories": "pinned", "journal": "reloads"}
"""Those with words, each with a column of zeros and ones."""


def read_everything(store):
    """Have every page with words in the writer's cache."""
    for table, column in TABLES.items():
        query = f"SELECT sum({column}) FROM {table}"
        store._committer.exclusively(lambda writer, query=query: writer.execute(query).fetchone())


def change_everything(store):
    """Write every page with words, as it is in the writer's cache, but for one bit of each row."""
    for table, column in TABLES.items():
        change = f"UPDATE {table} SET {column} = 1 - {column}"
        store._committer.exclusively(lambda writer, change=change: writer.execute(change))


def test_the_words_leave_the_file_and_its_log(options, store):
    erase(store)
    fold(store)
    assert left_in(options.path)  # in the pages alone
    assert run_now(store.compact())
    assert not left_in(options.path)
    assert run_now(store.check(repair=False)) == []


def test_a_file_that_stays_more_than_half_full_keeps_its_size(options, store):
    erase(store)
    fold(store)
    size = options.path.stat().st_size
    assert run_now(store.compact())
    assert options.path.stat().st_size == size


def test_one_that_is_half_empty_gets_smaller(options, store):
    long = a_memory(f"{SECRET} " * 50_000, scope=GONE)
    run_now(store.apply(a_change_set(a_change(long))))
    fold(store)
    size = options.path.stat().st_size
    erase(store)
    assert run_now(store.compact())
    assert options.path.stat().st_size < size / 2
    assert not left_in(options.path)


def test_who_has_read_pages_before_brings_nothing_back(options, store, open_store):
    other = open_store(options)
    for each in (store, other):
        read_everything(each)
    erase(store)
    assert run_now(store.compact())
    for writer in (store, other):
        change_everything(writer)
        fold(writer)
        assert not left_in(options.path)


def test_who_writes_meanwhile_is_waited_out(options, store, open_store, monkeypatch):
    other, cut, left = open_store(options), compacting._cut, [None]
    erase(store)
    read_everything(other)

    def cut_and_written_to(connection):
        done = cut(connection)
        if left:
            left.pop()
            change_everything(other)
        return done

    monkeypatch.setattr(compacting, "_cut", cut_and_written_to)
    assert run_now(store.compact())
    assert not left_in(options.path)


def test_while_somebody_reads_it_stays_due(options, store, monkeypatch):
    monkeypatch.setattr(compacting, "_PATIENCE_MS", 1)
    with closing(sqlite3.connect(options.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        erase(store)
        assert not run_now(store.compact())
        [finding] = run_now(store.check(repair=False))
        assert not finding.repaired
    [finding] = run_now(store.check(repair=True))
    assert finding.repaired
    assert not left_in(options.path)


def test_a_disk_that_fails_leaves_it_due(options, store, monkeypatch):
    erase(store)

    def fail(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr("perdure.stores.sqlite.scrubbing.os.pwrite", fail)
        assert not run_now(store.compact())
    assert run_now(store.compact())
    assert not left_in(options.path)


READS_AND_GOES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM memories").fetchone()
connection.close()
"""


@pytest.mark.skipif(os.name != "posix", reason="locks of another kind")
def test_closing_one_store_leaves_the_locks_of_another(options, store, open_store):
    other = open_store(options)
    erase(store)
    assert run_now(store.compact())
    run_now(store.close())
    run_now(other.apply(a_change_set(a_change(a_memory("still here", scope=STAYS)))))
    # Who believes to be the last to close folds the log into the file and removes it.
    subprocess.run([sys.executable, "-c", READS_AND_GOES, str(options.path)], check=True)
    assert log_of(options.path).exists()
