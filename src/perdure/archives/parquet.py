"""An archive of Parquet batches, wherever their objects lie.

A batch is a folder: `0.parquet` with the rows and `0.json`, the manifest. The manifest comes last,
so that a batch without one was never finished. When rows are dropped, the others go into
`1.parquet` and the old objects are removed; every object is written once, and at any moment some
whole generation is there. The highest with a manifest counts; an earlier one that a crash left
holds the same rows and more, until `drop` comes back.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

from perdure.archives import _manifest, _rows
from perdure.archives._objects import Objects
from perdure.domain.batches import Batch, Manifest, Whole
from perdure.errors import Conflict, CorruptArchive, InvalidInput, NotFound, Unavailable

_ROWS, _MANIFEST = ".parquet", ".json"
_SIGN = "abandoned"


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
        manifest, _ = self._loaded(name)
        return manifest

    async def manifest(self, name: str) -> Manifest | None:
        """What the archive says it holds under the name."""
        generation = self._current(name)
        return None if generation is None else generation.manifest

    async def read(self, name: str, rows: Collection[int] | None = None) -> dict[int, Whole]:
        """The rows with these numbers, all of them for None."""
        _, data = self._loaded(name)
        try:
            return _rows.read(data, rows)
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise CorruptArchive(
                f"batch {name} has the right checksum, and no rows this version understands"
            ) from error

    async def batches(self) -> list[str]:
        """The names under which anything lies; sorted."""
        return sorted(self._contents())

    async def remnants(self) -> list[str]:
        """The names under which anything lies that is no part of a whole batch; sorted."""
        return sorted(name for name, items in self._contents().items() if not _is_one_whole(items))

    def _contents(self) -> dict[str, set[str]]:
        """The objects under each name."""
        found: dict[str, set[str]] = {}
        for path in self._objects.names():
            name, separator, item = path.partition("/")
            if separator:
                found.setdefault(name, set()).add(item)
        return found

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

    async def abandon(self, name: str) -> bool:
        """Remove what there is of an unfinished batch; false for a whole one."""
        if self._current(name) is not None:
            return False
        if not self._objects.names_in(name):
            return True
        if not self._objects.is_create_only:
            raise Unavailable(
                f"batch {name} is unfinished, and at this place nobody can tell whether it is "
                "being written; verify removes it once it is a day old"
            )
        # Its writer has to put the first manifest's name last, and cannot from here on. The sign
        # comes before and goes after everything else, so that a crash leaves what is recognised.
        sign, first = f"{name}/{_SIGN}", f"{name}/0{_MANIFEST}"
        with suppress(FileExistsError):
            self._objects.put_new(sign, _manifest.ABANDONED)
        try:
            self._objects.put_new(first, _manifest.ABANDONED)
        except FileExistsError:
            if self._current(name) is not None:  # finished just now
                self._objects.delete(sign)
                return False
        others = {f"{name}/{item}" for item in self._objects.names_in(name)} - {first, sign}
        for item in [*others, first, sign]:
            self._objects.delete(item)
        return True

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
        data = self._objects.get(f"{name}/{number}{_MANIFEST}")
        if data == _manifest.ABANDONED:
            raise FileNotFoundError(name)
        return _manifest.read(data, name)

    def _generations(self, name: str) -> set[int]:
        numbers = map(_number_of, self._objects.names_in(name))
        return {number for number in numbers if number is not None}

    def _loaded(self, name: str) -> tuple[Manifest, bytes]:
        """A whole batch, its checksum compared."""
        generation = self._whole(name)
        try:
            return generation.manifest, self._data(generation)
        except CorruptArchive:
            later = self._whole(name)
            if later.number == generation.number:
                raise
            return later.manifest, self._data(later)  # rows were dropped meanwhile

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
    """Which generation an object belongs to; None for one that is none of ours, or unfinished."""
    number, dot, kind = item.partition(".")
    is_ours = f"{dot}{kind}" in (_ROWS, _MANIFEST) and number.isascii() and number.isdigit()
    return int(number) if is_ours else None


def _is_one_whole(items: Collection[str]) -> bool:
    """Whether these are objects of one finished generation, and nothing else. That its rows were
    lost leaves nothing to remove."""
    numbers = {_number_of(item) for item in items}
    is_finished = any(item.endswith(_MANIFEST) for item in items)
    return is_finished and len(numbers) == 1 and None not in numbers
