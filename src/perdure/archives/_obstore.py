"""Objects through `obstore`: S3-compatible services, Google's and Azure's, files, and memory."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnknownConfigurationKeyError,
)
from obstore.store import LocalStore, MemoryStore, ObjectStore, from_url

from perdure.archives._failures import raise_for

_LASTING = (
    InvalidPathError, NotSupportedError, PermissionDeniedError, UnauthenticatedError,
    UnknownConfigurationKeyError, ValueError,
)  # fmt: skip
_TIMEOUT = timedelta(seconds=30)
_CONNECT_TIMEOUT = timedelta(seconds=5)
_RETRIES = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}


class ObstoreObjects:
    """See `perdure.archives._objects.Objects`."""

    is_create_only = True

    def __init__(self, store: ObjectStore, place: str, *, secrets: Collection[str] = ()) -> None:
        self._store = store
        self._place = place
        self._secrets = secrets

    def put_new(self, name: str, data: bytes) -> None:
        """Store bytes durably under a new name."""
        with self._explained():
            try:
                obstore.put(self._store, name, data, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError) as error:
                raise FileExistsError(name) from error

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        with self._explained():
            return obstore.get(self._store, name).bytes().to_bytes()

    def names(self) -> list[str]:
        """All names."""
        # Not by common prefixes: some services list a folder that is empty meanwhile.
        with self._explained():
            listed = obstore.list(self._store, chunk_size=1000)
            return [item["path"] for chunk in listed for item in chunk]

    def names_in(self, folder: str) -> list[str]:
        """The rest of all names in a folder."""
        with self._explained():
            found = obstore.list_with_delimiter(self._store, folder)["objects"]
        paths = (item["path"].rpartition("/") for item in found)
        return [name for parent, _, name in paths if parent == folder and name]

    def delete(self, name: str) -> None:
        """Remove what is under a name."""
        with self._explained():
            try:
                obstore.delete(self._store, name)
            except FileNotFoundError:
                return

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise
        except FileNotFoundError as error:
            if "NoSuchBucket" not in str(error):
                raise
            raise_for(error, self._place, secrets=self._secrets, lasts=True)
        except (BaseError, ValueError, OSError) as error:
            lasts = isinstance(error, _LASTING)
            raise_for(error, self._place, secrets=self._secrets, lasts=lasts)


class FileObjects(ObstoreObjects):
    """Files below a folder, which is made when the first is put; on the disk when `put` returns.

    Listing and deleting go past `obstore`: it writes a file beside its place (`name#1`) and shows
    no such file, so that the words in one that a killed process left could not be removed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        super().__init__(MemoryStore(), str(folder))
        self._is_open = False

    def _opened(self, *, make: bool) -> bool:
        if not self._is_open and (make or self._folder.is_dir()):
            self._store = LocalStore(prefix=self._folder, mkdir=True, automatic_cleanup=True)
            self._is_open = True
        return self._is_open

    def put_new(self, name: str, data: bytes) -> None:
        """Store bytes durably under a new name."""
        with self._explained():
            self._opened(make=True)
        super().put_new(name, data)
        with self._explained():
            file = self._folder / name
            self._sync(file, file.parent, self._folder, self._folder.parent)

    @staticmethod
    def _sync(*paths: Path) -> None:
        """Bring files, and folders that name them, to the disk."""
        for path in paths:
            handle = os.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        with self._explained():
            if not self._opened(make=False):
                raise FileNotFoundError(name)
        return super().get(name)

    def names(self) -> list[str]:
        """All names, and those of unfinished files."""
        with self._explained():
            return [
                file.relative_to(self._folder).as_posix()
                for folder in _entries(self._folder) if folder.is_dir()
                for file in _entries(folder) if file.is_file()
            ]  # fmt: skip

    def names_in(self, folder: str) -> list[str]:
        """The rest of all names in a folder, and those of unfinished files."""
        with self._explained():
            return [file.name for file in _entries(self._folder / folder) if file.is_file()]

    def delete(self, name: str) -> None:
        """Remove what is under a name, and its folder with the last one; on the disk, too."""
        file = self._folder / name
        with self._explained():
            try:
                file.unlink()
            except FileNotFoundError:
                return
            self._sync(file.parent)
            try:
                file.parent.rmdir()
            except OSError:
                return  # others lie there, or somebody else removed it
            self._sync(self._folder)


def _entries(folder: Path) -> list[Path]:
    """What is in a folder; nothing when it is not there."""
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def memory_objects() -> ObstoreObjects:
    """Objects that end with this process."""
    return ObstoreObjects(MemoryStore(), "memory://")


def service_objects(
    url: str, place: str, options: dict[str, str], *, secrets: Collection[str]
) -> ObstoreObjects:
    """Objects of the service a URL names, such as `s3://bucket/prefix`.

    `options` are obstore's for the service; what they leave out comes from the environment.
    """
    client: dict[str, Any] = {
        "timeout": _TIMEOUT,
        "connect_timeout": _CONNECT_TIMEOUT,
        "allow_http": True,  # the address decides: without one that says so, nothing uses it
    }
    try:
        open_any: Any = from_url  # which options there are depends on the scheme
        store = open_any(url, config=options, client_options=client, retry_config=_RETRIES)
    except (BaseError, ValueError, TypeError) as error:
        raise_for(error, place, secrets=secrets, lasts=True)
    return ObstoreObjects(store, place, secrets=secrets)
