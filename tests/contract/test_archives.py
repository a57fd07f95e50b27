"""Every archive keeps the contract, wherever its objects lie."""

import itertools
from pathlib import Path

import pytest

from perdure.archives._fsspec import fsspec_objects
from perdure.archives._obstore import FileObjects, memory_objects
from perdure.archives.opening import open_archive
from perdure.archives.parquet import ParquetArchive
from perdure.errors import Conflict, CorruptArchive, Unavailable
from perdure.ports.blocking import run_now
from perdure.testing.builders import a_memory
from perdure.testing.contracts.archive import FIRST, ArchiveContract, a_batch, a_whole

_names = (f"place-{number}" for number in itertools.count(1))


class TestFiles(ArchiveContract):
    @pytest.fixture
    def opening(self, tmp_path):
        return lambda: open_archive(f"file://{tmp_path}/with%20a%20space", "me")


class TestMemory(ArchiveContract):
    outlives_closing = False

    @pytest.fixture
    def opening(self):
        return lambda: open_archive("memory://", "me")


class TestFsspecFiles(ArchiveContract):
    @pytest.fixture
    def opening(self, tmp_path):
        return lambda: open_archive(f"fsspec+file://{tmp_path}/place", "me")


class TestFsspecMemory(ArchiveContract):
    @pytest.fixture
    def opening(self):
        place = next(_names)
        return lambda: open_archive(f"fsspec+memory:///{place}", "me")


class TestQuickS3(ArchiveContract):
    @pytest.fixture
    def opening(self, moto_buckets):
        url = moto_buckets.place()
        return lambda: open_archive(url, "me")


class TestRealS3(ArchiveContract):
    @pytest.fixture
    def opening(self, seaweed_buckets):
        url = seaweed_buckets.place()
        return lambda: open_archive(url, "me")


def test_an_archive_of_a_url_is_one_of_batches():
    assert isinstance(open_archive("memory://", "me"), ParquetArchive)


KINDS = {
    "files": lambda folder: FileObjects(folder / "place"),
    "memory": lambda _: memory_objects(),
    "fsspec": lambda folder: fsspec_objects(f"file://{folder}/place", "place", {}, secrets=()),
}


@pytest.fixture(params=KINDS)
def objects(request, tmp_path: Path):
    return KINDS[request.param](tmp_path)


def put(objects, *texts):
    batch = a_batch(FIRST, *(a_whole(a_memory(text)) for text in texts))
    run_now(ParquetArchive(objects).put(batch))


def test_an_unfinished_batch_is_abandoned_where_its_writer_is_sure_to_notice(objects):
    archive = ParquetArchive(objects)
    put(objects, "half")
    objects.delete(f"{FIRST}/0.json")
    assert run_now(archive.remnants()) == [FIRST]
    assert run_now(archive.manifest(FIRST)) is None
    if not objects.is_create_only:
        with pytest.raises(Unavailable, match="a day"):
            run_now(archive.abandon(FIRST))
        return
    assert run_now(archive.abandon(FIRST))
    assert objects.names() == []


@pytest.mark.parametrize("nth", [1, 2, 3, 4, 5])
def test_what_was_being_abandoned_cannot_be_finished_and_is_abandoned_again(tmp_path, nth):
    objects = FileObjects(tmp_path / "place")
    archive = ParquetArchive(objects)
    put(objects, "half")
    manifest = objects.get(f"{FIRST}/0.json")
    objects.delete(f"{FIRST}/0.json")
    calls = []

    class Dies:
        def __getattr__(self, name):
            if name in ("put_new", "delete"):
                calls.append(name)
                if len(calls) == nth:
                    raise KeyboardInterrupt
            return getattr(objects, name)

    with pytest.raises(KeyboardInterrupt):
        run_now(ParquetArchive(Dies()).abandon(FIRST))
    assert run_now(archive.remnants()) == [FIRST]
    assert run_now(archive.manifest(FIRST)) is None
    if calls == ["put_new", "put_new", "delete"]:
        with pytest.raises(FileExistsError):
            objects.put_new(f"{FIRST}/0.json", manifest)
    with pytest.raises(Conflict):
        put(objects, "again")
    assert run_now(archive.abandon(FIRST))
    assert objects.names() == []


def test_a_batch_that_is_finished_while_it_is_abandoned_stays(tmp_path):
    objects = FileObjects(tmp_path / "place")
    put(objects, "late")
    manifest = objects.get(f"{FIRST}/0.json")
    objects.delete(f"{FIRST}/0.json")

    class Late:
        def __getattr__(self, name):
            return getattr(objects, name)

        def put_new(self, name, data):
            if name.endswith("0.json"):
                objects.put_new(name, manifest)
            objects.put_new(name, data)

    archive = ParquetArchive(Late())
    assert not run_now(archive.abandon(FIRST))
    assert run_now(archive.remnants()) == []
    assert [whole.memory.content for whole in run_now(archive.read(FIRST)).values()] == ["late"]


def test_lost_rows_are_no_remnant(objects):
    archive = ParquetArchive(objects)
    put(objects, "lost")
    objects.delete(f"{FIRST}/0.parquet")
    assert run_now(archive.remnants()) == []
    with pytest.raises(CorruptArchive):
        run_now(archive.read(FIRST))


def test_what_a_later_generation_replaced_is_a_remnant(objects):
    archive = ParquetArchive(objects)
    put(objects, "goes", "stays")
    rows = objects.get(f"{FIRST}/0.parquet")
    run_now(archive.drop(FIRST, [0]))
    objects.put_new(f"{FIRST}/0.parquet", rows)
    assert run_now(archive.remnants()) == [FIRST]
    assert not run_now(archive.abandon(FIRST))
    assert run_now(archive.drop(FIRST, [])) == 0
    assert run_now(archive.remnants()) == []
    assert list(run_now(archive.read(FIRST))) == [1]
