"""Objects through `fsspec`: HDFS, SFTP, and whatever else has a file system for it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import fsspec

from perdure.archives._failures import raise_for

_LASTING = (PermissionError, ImportError, ValueError, TypeError, NotImplementedError)


class FsspecObjects:
    """See `perdure.archives._objects.Objects`.

    Create-only as far as the file system can: where it knows no such write, a look comes first.
    """

    is_create_only = False

    def __init__(self, files: Any, root: str, place: str, *, secrets: Collection[str] = ()) -> None:
        self._files = files
        self._root = root.rstrip("/")
        self._place = place
        self._secrets = secrets

    def put_new(self, name: str, data: bytes) -> None:
        """Store bytes under a new name: written beside it, then given the name."""
        path = f"{self._root}/{name}"
        partial = f"{path}.{os.getpid()}.partial"
        with self._explained():
            if self._files.exists(path):
                raise FileExistsError(name)
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            with self._files.open(partial, "wb") as file:
                file.write(data)
                self._sync(file)
            self._files.mv(partial, path)

    @staticmethod
    def _sync(file: Any) -> None:
        """Bring a file of this machine to the disk; other places answer for themselves."""
        try:
            number = file.fileno()
        except (AttributeError, OSError, NotImplementedError):
            return
        file.flush()
        os.fsync(number)

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        with self._explained():
            data: bytes = self._files.cat_file(f"{self._root}/{name}")
            return data

    def names(self) -> list[str]:
        """All names."""
        with self._explained():
            self._files.invalidate_cache()
            try:
                paths = self._files.find(self._root)
            except FileNotFoundError:
                return []
        return [path.partition(f"{self._root}/")[2] for path in paths]

    def names_in(self, folder: str) -> list[str]:
        """The rest of all names in a folder."""
        with self._explained():
            self._files.invalidate_cache()
            try:
                found = self._files.ls(f"{self._root}/{folder}", detail=True)
            except FileNotFoundError:
                return []
        return [item["name"].rpartition("/")[2] for item in found if item["type"] == "file"]

    def delete(self, name: str) -> None:
        """Remove what is under a name, and its folder with the last one."""
        path = f"{self._root}/{name}"
        folder = path.rpartition("/")[0]
        with self._explained():
            try:
                self._files.rm_file(path)
                self._files.invalidate_cache()
                if not self._files.ls(folder):
                    self._files.rmdir(folder)
            except FileNotFoundError:
                return

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (FileExistsError, FileNotFoundError):
            raise
        except Exception as error:  # every file system has errors of its own
            lasts = isinstance(error, _LASTING)
            raise_for(error, self._place, secrets=self._secrets, lasts=lasts)


def fsspec_objects(
    url: str, place: str, options: Mapping[str, str], *, secrets: Collection[str]
) -> FsspecObjects:
    """Objects of the file system a URL names, with its options."""
    try:
        files, root = fsspec.core.url_to_fs(url, **options)
    except Exception as error:  # as above
        raise_for(error, place, secrets=secrets, lasts=isinstance(error, _LASTING))
    return FsspecObjects(files, root, place, secrets=secrets)
