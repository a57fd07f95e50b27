"""Every archive keeps the contract, wherever its objects lie."""

import itertools

import pytest

from perdure.archives.opening import open_archive
from perdure.archives.parquet import ParquetArchive
from perdure.testing.contracts.archive import ArchiveContract

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
