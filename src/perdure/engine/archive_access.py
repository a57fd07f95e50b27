"""An archive that is opened when first used: its libraries take a while to load."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from threading import Lock

from perdure.domain.batches import Batch, Manifest, Whole
from perdure.ports.archive import Archive

Open = Callable[[str], Awaitable[Archive]]


class ArchiveLater:
    """See `perdure.ports.archive.Archive`; every method may raise what opening raises.

    `identity` gives the store's, which names its part of a place that several stores may share.
    `is_blank` tells, without opening anything, of a place where nothing was ever put.
    """

    def __init__(
        self,
        identity: Callable[[], Awaitable[str]],
        open_archive: Open,
        is_blank: Callable[[str], bool],
    ) -> None:
        self._identity = identity
        self._open = open_archive
        self._is_blank = is_blank
        self._archive: Archive | None = None
        self._lock = Lock()

    async def _opened(self) -> Archive:
        if self._archive is None:
            made = await self._open(await self._identity())
            with self._lock:  # of two who were first, the second takes what the first opened
                if self._archive is None:
                    self._archive = made
        return self._archive

    async def put(self, batch: Batch) -> Manifest:
        """Store a batch under a new name."""
        return await (await self._opened()).put(batch)

    async def check(self, name: str) -> Manifest:
        """What the archive holds under the name, after reading it back."""
        return await (await self._opened()).check(name)

    async def manifest(self, name: str) -> Manifest | None:
        """What the archive says it holds under the name."""
        return await (await self._opened()).manifest(name)

    async def read(self, name: str, rows: Collection[int] | None = None) -> dict[int, Whole]:
        """The rows with these numbers."""
        return await (await self._opened()).read(name, rows)

    async def batches(self) -> list[str]:
        """The names under which anything lies."""
        return [] if await self._holds_nothing() else await (await self._opened()).batches()

    async def remnants(self) -> list[str]:
        """The names under which anything lies that is no part of a whole batch."""
        return [] if await self._holds_nothing() else await (await self._opened()).remnants()

    async def _holds_nothing(self) -> bool:
        return self._archive is None and self._is_blank(await self._identity())

    async def abandon(self, name: str) -> bool:
        """Remove what there is of an unfinished batch."""
        return await (await self._opened()).abandon(name)

    async def drop(self, name: str, rows: Collection[int]) -> int:
        """Remove rows from a batch for good."""
        return await (await self._opened()).drop(name, rows)

    async def delete(self, name: str) -> None:
        """Remove a batch, or what there is of one."""
        await (await self._opened()).delete(name)
