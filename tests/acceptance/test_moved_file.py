"""A file that is moved away, replaced or deleted under an open memory: no write is acknowledged
that the next opening would not find."""

import os

import pytest

import perdure


def opened(path):
    return perdure.open(path, embedder="off")


def gone(path, tmp_path):
    os.unlink(path)


def moved(path, tmp_path):
    os.rename(path, tmp_path / "elsewhere.db")


def replaced(path, tmp_path):
    other = tmp_path / "other.db"
    with opened(other) as memory:
        memory.remember("something else")
    os.replace(other, path)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be moved on Windows")
@pytest.mark.parametrize("happens", [gone, moved, replaced])
def test_a_write_to_a_file_that_is_not_there_any_more_is_refused(tmp_path, happens):
    path = tmp_path / "memory.db"
    memory = opened(path)
    memory.remember("one")
    happens(path, tmp_path)
    with pytest.raises(perdure.Unavailable, match="moved, replaced or deleted"):
        memory.remember("two")
    with pytest.raises(perdure.Unavailable, match="moved, replaced or deleted"):
        memory.recall("one")
    memory.close()


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be moved on Windows")
def test_what_was_acknowledged_before_a_move_is_in_the_moved_file_with_its_log(tmp_path):
    path = tmp_path / "memory.db"
    memory = opened(path)
    memory.remember("one")
    for suffix in ("", "-wal", "-shm"):
        os.rename(f"{path}{suffix}", tmp_path / f"elsewhere.db{suffix}")
    memory.close()
    with opened(tmp_path / "elsewhere.db") as again:
        assert [item.content for item in again.list()] == ["one"]
