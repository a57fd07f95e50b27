"""What a simulation runs on: a store, an archive and a clock that outlive every restart."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random

from perdure.archives._objects import Objects
from perdure.archives._obstore import FileObjects
from perdure.archives.parquet import ParquetArchive
from perdure.bootstrap import open_over
from perdure.client import AsyncMemoryManager
from perdure.config import Settings
from perdure.embedders.hashing import HashingEmbedder
from perdure.ports.archive import Archive
from perdure.ports.store import Store
from perdure.testing.clock import FakeClock
from perdure.testing.faults import Faults, faulty_archive, faulty_objects, faulty_store

DIMENSION = 64
SETTINGS = Settings(
    short_term_size=3,
    quota=12,
    durability="normal",
    compress_after=timedelta(days=3),
    archive_after=timedelta(days=9),
)
"""Small enough that a few dozen steps reach everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where the data of one simulation lie.

    `open_store` opens the same data every time. `folder`, empty at the start, is for exports and
    for the archive, and holds the store's own files if it has any. `objects` are the archive's
    files where they lie elsewhere. `outlives_closing` is false for a store whose data end with it;
    it is then opened once.
    """

    open_store: Callable[[], Awaitable[Store]]
    folder: Path
    objects: Objects | None = None
    outlives_closing: bool = True
    settings: Settings = SETTINGS


class World:
    """The opened store, archive and manager of a stage, and the clock they share."""

    memory: AsyncMemoryManager
    store: Store
    archive: Archive

    def __init__(self, stage: Stage, seed: int) -> None:
        self.stage = stage
        self.clock = FakeClock()
        self.faults = Faults()
        self._embedder = HashingEmbedder(DIMENSION)
        self._chance = Random(f"ids of {seed}")
        self._kept: Store | None = None

    async def open(self) -> None:
        """Open the store and the archive as a new process would."""
        if self._kept is None:
            self.store = await self.stage.open_store()
            self._kept = None if self.stage.outlives_closing else self.store
        objects = self.stage.objects or FileObjects(self.stage.folder / "archive")
        files = faulty_objects(objects, self.faults)
        self.archive = ParquetArchive(files)
        self.memory = await open_over(
            faulty_store(self.store, self.faults, stays_open=self._kept is not None),
            archive=faulty_archive(self.archive, self.faults),
            embedder=self._embedder,
            clock=self.clock,
            settings=self.stage.settings,
            entropy=self._chance.randbytes,
        )

    async def reopen(self) -> None:
        """Close everything in order, and open it again, also when the closing fails."""
        try:
            await self.memory.close()
        finally:
            await self.open()

    async def lose(self) -> None:
        """End without a farewell, as a killed process, and open again."""
        if self._kept is None:
            await self.store.close()
        await self.open()

    async def close(self) -> None:
        """Close everything."""
        with self.faults.suspended():
            await self.memory.close()
