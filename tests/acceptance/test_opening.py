"""A store that cannot be used is refused and left as it is; never is a fresh one begun beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import perdure
from perdure import CorruptStore, InvalidInput, Misconfigured, NewerStore, Unavailable
from perdure.testing import HashingEmbedder
from tests.acceptance.reading import texts


@pytest.fixture
def kept(file_home):
    """The path of a closed file with one note."""
    with file_home.open() as memory:
        memory.remember("The note that was there")
    return file_home.path


def everything_beside(path):
    """The bytes of all files in the folder."""
    return {item.name: item.read_bytes() for item in Path(path).parent.iterdir()}


def refused(home, error, match=None):
    """Opening is refused; the files are as they were."""
    before = everything_beside(home.path)
    with pytest.raises(error, match=match) as raised:
        home.open()
    assert everything_beside(home.path) == before
    assert str(home.path) in str(raised.value)


def test_a_file_of_a_newer_version_is_refused_unchanged(file_home, kept):
    with closing(sqlite3.connect(kept)) as connection:
        connection.execute("PRAGMA user_version = 99")
    refused(file_home, NewerStore, match="[Uu]pgrade")


def test_a_database_of_a_newer_version_is_refused_unchanged(postgres_server, postgres_database):
    with perdure.open(postgres_database, embedder=HashingEmbedder()) as memory:
        memory.remember("The note that was there")
    name = postgres_database.rpartition("/")[2]
    later = "INSERT INTO perdure.schema_migrations VALUES (99, 'later')"
    postgres_server.execute(later, database=name)
    with pytest.raises(NewerStore, match="upgrade"):
        perdure.open(postgres_database, embedder=HashingEmbedder())
    counted = postgres_server.execute("SELECT count(*) FROM perdure.memories", database=name)
    assert counted == "1"
    postgres_server.execute(
        "DELETE FROM perdure.schema_migrations WHERE version = 99", database=name
    )
    with perdure.open(postgres_database, embedder=HashingEmbedder()) as memory:
        assert texts(memory.list()) == ["The note that was there"]


def test_a_file_that_is_no_database_is_refused_unchanged(file_home):
    file_home.path.write_bytes(b"These are somebody's notes, and no database at all. " * 40)
    refused(file_home, CorruptStore)


def test_a_file_of_another_program_is_refused_unchanged(file_home):
    with closing(sqlite3.connect(file_home.path)) as connection, connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    refused(file_home, Misconfigured, match="another")


@pytest.mark.parametrize("place", [0, 16, 100, 5_000], ids=["magic", "header", "schema", "page"])
def test_a_damaged_file_is_refused_or_read_but_never_emptied(file_home, kept, place):
    raw = bytearray(kept.read_bytes())
    raw[place : place + 64] = b"\xa5" * 64
    kept.write_bytes(raw)
    try:
        with file_home.open() as memory:
            found = texts(memory.list())
            assert found == ["The note that was there"] or not memory.verify().ok
    except (CorruptStore, Misconfigured):
        assert bytes(raw) == kept.read_bytes()


def test_a_file_cut_short_is_not_taken_for_a_new_one(file_home, kept):
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2])
    try:
        with file_home.open() as memory:
            assert texts(memory.list()) == ["The note that was there"] or not memory.verify().ok
    except (CorruptStore, Misconfigured):
        assert len(kept.read_bytes()) == len(whole) // 2


def test_a_log_without_its_file_is_refused(tmp_path):
    from tests.acceptance.processes import Worker

    path = tmp_path / "memory.db"
    worker = Worker("add_many", str(path), "20", "0")
    worker.go()
    worker.output.readline()
    worker.kill()
    path.rename(tmp_path / "moved away.db")
    with pytest.raises(CorruptStore, match="wal"):
        perdure.open(path, embedder=HashingEmbedder())
    (tmp_path / "moved away.db").rename(path)
    with perdure.open(path, embedder=HashingEmbedder()) as memory:
        assert memory.count() >= 1


def test_a_folder_that_is_missing_is_named(tmp_path):
    path = tmp_path / "not" / "there" / "memory.db"
    with pytest.raises(Misconfigured, match="not/there"):
        perdure.open(path, embedder="off")
    assert not path.parent.exists()


def test_a_folder_in_place_of_a_file_is_refused(tmp_path):
    with pytest.raises(Misconfigured, match="folder"):
        perdure.open(tmp_path, embedder="off")


@pytest.fixture
def ordinary_account():
    """Takes the rights of root away for a while, so that permissions count."""
    if os.geteuid() != 0:
        yield
        return
    import pwd

    os.seteuid(pwd.getpwnam("nobody").pw_uid)
    yield
    os.seteuid(0)


@pytest.fixture
def public_folder():
    """A folder outside any private home."""
    folder = Path(tempfile.mkdtemp(prefix="perdure-opening-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of Unix")
def test_a_folder_that_may_not_be_written_is_named(public_folder, request):
    path = public_folder / "memory.db"
    public_folder.chmod(0o555)
    request.getfixturevalue("ordinary_account")
    with pytest.raises(Misconfigured, match=str(path)):
        perdure.open(path, embedder="off")
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of Unix")
def test_a_file_that_may_not_be_written_is_named_and_unharmed(public_folder, request):
    path = public_folder / "memory.db"
    with perdure.open(path, embedder="off") as memory:
        memory.remember("The note that was there")
    path.chmod(0o444)
    public_folder.chmod(0o555)
    before = path.read_bytes()
    request.getfixturevalue("ordinary_account")
    with pytest.raises(Misconfigured, match=str(path)):
        perdure.open(path, embedder="off")
    assert path.read_bytes() == before


def test_a_server_that_is_not_there_is_named_without_the_password():
    url = "postgresql://somebody:verysecret@127.0.0.1:9/nowhere"
    with pytest.raises(Unavailable) as raised:
        perdure.open(url, embedder="off")
    assert "127.0.0.1:9" in str(raised.value)
    assert "verysecret" not in str(raised.value)
    assert "verysecret" not in repr(raised.value.__cause__)


def test_a_wrong_password_is_named_without_it(postgres_url):
    url = postgres_url.replace("://perdure:", "://perdure:not")
    with pytest.raises((Misconfigured, Unavailable)) as raised:
        perdure.open(url, embedder="off")
    password = url.partition("://perdure:")[2].partition("@")[0]
    assert password not in str(raised.value)


# --- migration ------------------------------------------------------------------------------------


def test_a_migration_that_fails_leaves_the_file_as_it_was_and_can_be_repeated(file_home):
    """An empty file marked as ours, with something in the way of the first table."""
    with file_home.open() as memory:
        memory.remember("Shows how such a file is marked")
    with closing(sqlite3.connect(file_home.path)) as connection:
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
    for path in file_home.path.parent.glob("memory.db*"):
        path.unlink()
    with closing(sqlite3.connect(file_home.path)) as connection, connection:
        connection.execute(f"PRAGMA application_id = {mark}")
        connection.execute("CREATE TABLE journal (in_the_way TEXT)")
        connection.execute("INSERT INTO journal VALUES ('precious')")
    for _ in range(2):
        with pytest.raises(perdure.PerdureError):
            file_home.open()
        with closing(sqlite3.connect(file_home.path)) as connection:
            assert connection.execute("SELECT * FROM journal").fetchall() == [("precious",)]
            assert connection.execute("PRAGMA user_version").fetchone() == (0,)
            tables = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
            ).fetchall()
            assert tables == [("journal",)]
    with closing(sqlite3.connect(file_home.path)) as connection, connection:
        connection.execute("DROP TABLE journal")
    with file_home.open() as memory:
        memory.remember("Now it works")
        assert memory.count() == 1


def test_two_processes_that_open_a_new_file_together_both_succeed(tmp_path):
    from tests.acceptance.processes import run_together

    made = run_together("add_many", str(tmp_path / "memory.db"), "3", processes=3)
    with perdure.open(tmp_path / "memory.db", embedder=HashingEmbedder()) as memory:
        assert memory.count() == sum(map(len, made)) == 9


def test_an_empty_file_becomes_a_store(file_home):
    file_home.path.touch()
    memory = file_home.open()
    memory.remember("Kept in what was empty")
    assert memory.count() == 1


def test_a_path_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for url in ("here.db", "sqlite:///there.db", "./sub.db"):
        with perdure.open(url, embedder="off") as memory:
            memory.remember("Kept")
    assert {path.name for path in tmp_path.glob("*.db")} == {"here.db", "there.db", "sub.db"}


def test_a_file_moved_while_closed_is_the_same_store(file_home, kept):
    target = kept.with_name("moved.db")
    kept.rename(target)
    with perdure.open(target, embedder=HashingEmbedder(), clock=file_home.clock) as memory:
        assert texts(memory.recall("note there")) == ["The note that was there"]


def test_a_blank_url_is_refused():
    for url in ("", "sqlite://", "sqlite:///"):
        with pytest.raises(InvalidInput):
            perdure.open(url, embedder="off")
