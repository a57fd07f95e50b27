"""A disk without room: the error says so, and nothing is lost."""

import os
import subprocess

import pytest

from perdure.domain.changes import Applied
from perdure.errors import Unavailable
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing.builders import ILKA, a_change_set, a_memory


def fill_up(store):
    """Add until there is no room; the memories that were acknowledged."""
    kept = []

    def add():
        for _ in range(2_000):
            memory = a_memory("x" * 5_000)
            assert isinstance(run_now(store.apply(a_change_set(memory))), Applied)
            kept.append(memory)

    with pytest.raises(Unavailable, match="no room left"):
        add()
    return kept


def assert_kept(store, memories):
    found = run_now(store.get(ILKA, [memory.id for memory in memories]))
    assert found == {memory.id: memory for memory in memories}
    assert run_now(store.check(repair=False)) == []


def test_a_full_file_refuses_and_keeps(tmp_path):
    options = SqliteOptions(path=tmp_path / "memory.db")
    store = SqliteStore.open(options)
    run_now(store.apply(a_change_set(a_memory())))
    store._writer.execute("PRAGMA max_page_count = 200")
    kept = fill_up(store)
    assert kept
    assert_kept(store, kept)
    store._writer.execute("PRAGMA max_page_count = 100000")
    more = a_memory()
    assert isinstance(run_now(store.apply(a_change_set(more))), Applied)
    assert_kept(store, [*kept, more])
    run_now(store.close())


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if os.name != "posix" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def test_a_full_disk_refuses_and_keeps(small_disk):
    options = SqliteOptions(path=small_disk / "memory.db", checkpoint_bytes=1 << 19)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (1 << 20))
    store = SqliteStore.open(options)
    kept = fill_up(store)
    assert kept
    assert_kept(store, kept)
    ballast.unlink()
    more = a_memory()
    assert isinstance(run_now(store.apply(a_change_set(more))), Applied)
    run_now(store.close())
    store = SqliteStore.open(options)
    assert_kept(store, [*kept, more])
    run_now(store.close())
