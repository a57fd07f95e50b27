"""An archive of Parquet batches, wherever their objects lie.

A batch is a folder: `0.parquet` with the rows and `0.json`, the manifest. The manifest comes last,
so that a batch without one was never finished. When rows are dropped, the others go into
`1.parquet` and the old objects are removed; every object is written once, and at any moment some
whole generation is there. The highest with a manifest counts; an earlier one that a crash left
holds the same rows and more, until `drop` comes back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from perdure.archives import _manifest, _rows
from perdure.archives._objects import Objects
from perdure.domain.batches import Batch, Manifest, Whole
from perdure.errors import Conflict, CorruptArchive, InvalidInput, NotFound

_ROWS, _MANIFEST = ".parquet", ".json"


class _Generation(NamedTuple):
    number: int
    manifest: Manifest


class ParquetArchive:
    """See `perdure.ports.archive.Archive`."""

    is_blocking = True

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    async def put(self, batch: Batch) -> Manifest:
        """Store a batch under a new name; what was stored, with its checksum."""
        if not batch.rows:
            raise InvalidInput(f"batch {batch.name} has no rows")
        taken = f"the archive has a batch {batch.name} already"
        if self._objects.names_in(batch.name):
            raise Conflict(taken)  # perhaps of a later generation only
        data = _rows.written(batch.rows)
        manifest = _manifest.manifest_of(batch.name, batch.made_at, batch.rows, data)
        try:
            self._write(0, manifest, data)
        except FileExistsError as error:
            raise Conflict(taken) from error
        return manifest

    def _write(self, generation: int, manifest: Manifest, data: bytes) -> None:
        self._objects.put_new(f"{manifest.name}/{generation}{_ROWS}", data)
        self._objects.put_new(
            f"{manifest.name}/{generation}{_MANIFEST}", _manifest.written(manifest)
        )

    async def check(self, name: str) -> Manifest:
        """What the archive holds under the name, after reading it back."""
        generation = self._whole(name)
        self._data(generation)
        return generation.manifest

    async def manifest(self, name: str) -> Manifest | None:
        """What the archive says it holds under the name."""
        generation = self._current(name)
        return None if generation is None else generation.manifest

    async def read(self, name: str, rows: Collection[int] | None = None) -> dict[int, Whole]:
        """The rows with these numbers, all of them for None."""
        data = self._data(self._whole(name))
        try:
            return _rows.read(data, rows)
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise CorruptArchive(
                f"batch {name} has the right checksum, and no rows this version understands"
            ) from error

    async def batches(self) -> list[str]:
        """The names under which anything lies; sorted."""
        return sorted(self._objects.folders())

    async def drop(self, name: str, rows: Collection[int]) -> int:
        """Remove rows from a batch for good; how many it had of them."""
        generation = self._current(name)
        if generation is None:
            return 0
        number, manifest = generation
        kept = [row for row in manifest.rows if row not in set(rows)]
        if not kept:
            await self.delete(name)
        elif len(kept) < len(manifest.rows):
            data = _rows.without(self._data(generation), rows)
            number = 1 + max(self._generations(name))
            self._write(number, _manifest.manifest_of(name, manifest.made_at, kept, data), data)
        if kept:
            self._remove(name, keeping=number)
        return len(manifest.rows) - len(kept)

    async def delete(self, name: str) -> None:
        """Remove a batch, or what there is of one."""
        self._remove(name, keeping=None)

    def _remove(self, name: str, *, keeping: int | None) -> None:
        """Remove objects, manifests first: what is left after a crash is no whole batch."""
        doomed = [item for item in self._objects.names_in(name) if _number_of(item) != keeping]
        for item in sorted(doomed, key=lambda item: not item.endswith(_MANIFEST)):
            self._objects.delete(f"{name}/{item}")

    def _whole(self, name: str) -> _Generation:
        generation = self._current(name)
        if generation is None:
            raise NotFound(f"the archive has no batch {name}")
        return generation

    def _current(self, name: str) -> _Generation | None:
        """The generation that counts. Nearly always it is the first, which is looked for first."""
        try:
            return _Generation(0, self._manifest(name, 0))
        except FileNotFoundError:
            pass
        for number in sorted(self._generations(name), reverse=True):
            try:
                return _Generation(number, self._manifest(name, number))
            except FileNotFoundError:
                continue  # of an unfinished one, or removed since
        return None

    def _manifest(self, name: str, number: int) -> Manifest:
        return _manifest.read(self._objects.get(f"{name}/{number}{_MANIFEST}"), name)

    def _generations(self, name: str) -> set[int]:
        numbers = map(_number_of, self._objects.names_in(name))
        return {number for number in numbers if number is not None}

    def _data(self, generation: _Generation) -> bytes:
        """The rows' object, whose checksum is the manifest's."""
        number, manifest = generation
        try:
            data = self._objects.get(f"{manifest.name}/{number}{_ROWS}")
        except FileNotFoundError as error:
            raise CorruptArchive(
                f"batch {manifest.name} has a manifest and no rows; "
                "put its objects back from a copy of the archive"
            ) from error
        if len(data) != manifest.bytes or _manifest.checksum_of(data) != manifest.checksum:
            raise CorruptArchive(
                f"the rows of batch {manifest.name} are not those that were archived; "
                "put the object back from a copy of the archive"
            )
        return data


def _number_of(item: str) -> int | None:
    """Which generation an object belongs to; None for one that is not ours."""
    number, _, _ = item.partition(".")
    return int(number) if number.isascii() and number.isdigit() else None
