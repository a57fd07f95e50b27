"""Files that can be opened, and those that cannot."""

import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from perdure.errors import CorruptStore, InvalidInput, Misconfigured, PerdureError
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.stores.sqlite import opening as opening_module
from perdure.stores.sqlite.failures import translated
from perdure.testing.builders import a_memory


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(Misconfigured, match="is a folder"):
        SqliteStore.open(SqliteOptions(path=tmp_path))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(Misconfigured, match=r"nowhere does not exist"):
        SqliteStore.open(SqliteOptions(path=tmp_path / "nowhere" / "memory.db"))
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_is_no_database_is_left_as_it_is(options, path):
    path.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(CorruptStore):
        SqliteStore.open(options)
    assert path.read_bytes() == b"Dear diary, " * 1000
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("leftover", ["missing", "empty"])
def test_no_new_store_is_made_beside_a_log_with_data(stand, path, tmp_path, options, leftover):
    stand.keep(a_memory())
    orphan = tmp_path / "elsewhere" / path.name
    orphan.parent.mkdir()
    shutil.copy(f"{path}-wal", f"{orphan}-wal")
    if leftover == "empty":
        orphan.touch()
    with pytest.raises(CorruptStore, match="put the file back"):
        SqliteStore.open(replace(options, path=orphan))
    assert Path(f"{orphan}-wal").stat().st_size > 0


def test_a_damaged_header_is_reported(stand, path, options):
    stand.keep(a_memory())
    stand.close()
    raw = bytearray(path.read_bytes())
    raw[100:200] = b"\xff" * 100
    path.write_bytes(raw)
    with pytest.raises(CorruptStore, match="damaged"):
        SqliteStore.open(options)
    assert path.read_bytes() == bytes(raw)


def test_many_may_open_a_new_file_at_once(tmp_path, open_store):
    # Often, because what can go wrong takes some luck.
    with ThreadPoolExecutor(8) as pool:
        for number in range(30):
            options = SqliteOptions(path=tmp_path / f"{number}.db")
            for store in list(pool.map(open_store, [options] * 8)):
                run_now(store.close())


def test_a_relative_path_stays_what_it_was(tmp_path, monkeypatch, open_store):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "later").mkdir()
    store = open_store(SqliteOptions(path=Path("memory.db")))
    monkeypatch.chdir(tmp_path / "later")
    with store._readers.borrow() as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    assert os.listdir(tmp_path / "later") == []


def test_an_old_library_is_refused(options, monkeypatch):
    monkeypatch.setattr(opening_module, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(Misconfigured, match="SQLite"):
        SqliteStore.open(options)


UNPRIVILEGED = textwrap.dedent("""
    import os, sys
    from pathlib import Path
    from perdure.errors import Misconfigured
    from perdure.stores.sqlite import SqliteOptions, SqliteStore
    from perdure.stores.sqlite.migrating import migrations
    migrations()  # while the package's files can still be read
    os.setgid(65534); os.setuid(65534)
    try:
        SqliteStore.open(SqliteOptions(path=Path(sys.argv[1])))
    except Misconfigured as error:
        print(error)
        sys.exit(7)
""")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs to change its account")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written_is_said(what):
    # Not the test's own folder: the other account could not even look into it.
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "memory.db"
        if what == "file":
            run_now(SqliteStore.open(SqliteOptions(path=path)).close())
            path.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, str(path)],
            capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
    assert done.returncode == 7, done.stderr
    assert str(path) in done.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("durability", "sometimes"),
        ("vector_format", "float16"),
        ("page_size", 1000),
        ("index_bytes", -1),
        ("busy_timeout_s", -0.1),
    ],
)
def test_a_wrong_setting_is_refused(path, name, value):
    with pytest.raises(InvalidInput, match=name):
        SqliteOptions(**{"path": path, name: value})


@pytest.mark.parametrize("code", ["SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CORRUPT", "SQLITE_BUSY"])
def test_driver_errors_keep_the_path_and_the_name(path, code):
    error = sqlite3.OperationalError("secret words")
    error.sqlite_errorcode, error.sqlite_errorname = getattr(sqlite3, code), code
    told = translated(error, path)
    assert isinstance(told, PerdureError)
    assert str(path) in str(told)
    assert code in str(told)
