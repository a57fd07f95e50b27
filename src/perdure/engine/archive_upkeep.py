"""Whether the archive and the store agree, and erasing from the archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from perdure.domain.batches import Manifest, place_of
from perdure.domain.records import Memory
from perdure.domain.results import Problem
from perdure.engine.archive_reading import drop_rows, is_away, rows_by_batch
from perdure.engine.core import Core
from perdure.errors import CorruptArchive, Misconfigured, NotFound, Unavailable
from perdure.ports.archive import Archive

GRACE = timedelta(days=1)
"""A batch that nothing points to may be one whose memories are about to."""
PLACE = "archive"


async def expunge(core: Core, memories: Iterable[Memory], *, now: datetime) -> int:
    """Remove everything the archive holds of these memories; how many rows that were.

    For an erasure, before the store forgets where they lay: a crash in between is mended by
    erasing again. The other memories of the same batches stay where they are. `Unavailable` when
    some may still be there.
    """
    rows = rows_by_batch(memories)
    return sum([
        await drop_rows(core, batch, numbers, now=now, patient=True)
        for batch, numbers in rows.items()
    ])  # fmt: skip


async def check_archive(core: Core, *, repair: bool) -> list[Problem]:
    """What is wrong between the archive and the store.

    Every batch that is needed is read back. Memories whose words are not there are told, and left
    as they are. Batches and rows that nothing points to are told once they are older than a day,
    and removed with `repair`.
    """
    if core.archive is None:
        needed = await core.store.archived_batches()
        return [
            _problem(f"{count} memories lie in batch {batch}, and no archive is configured")
            for batch, count in needed.items()
        ]
    try:
        return [item async for item in _Check(core, core.archive, repair=repair).problems()]
    except (Misconfigured, Unavailable) as error:
        if isinstance(error, Misconfigured) and not await core.store.archived_batches():
            return []  # nobody needs what is missing here
        return [_problem(f"could not be checked: {error}")]


class _Check:
    def __init__(self, core: Core, archive: Archive, *, repair: bool) -> None:
        self._core = core
        self._archive = archive
        self._repair = repair
        self._now = core.now()

    async def problems(self) -> AsyncIterator[Problem]:
        # The archive first: what is put there meanwhile is then not taken for an orphan.
        present = await self._archive.batches()
        needed = await self._core.store.archived_batches()
        for batch in present:
            if batch not in needed and self._is_old(batch):
                if self._repair:
                    await self._archive.delete(batch)
                yield _problem(f"nothing points to batch {batch}", repaired=self._repair)
        for batch in needed:
            async for problem in self._needed(batch):
                yield problem

    def _is_old(self, batch: str) -> bool:
        made_at = made_at_of(batch)
        return made_at is not None and made_at < self._now - GRACE

    async def _needed(self, batch: str) -> AsyncIterator[Problem]:
        memories = await self._core.store.archived_in(batch)
        try:
            manifest = await self._archive.check(batch)
        except (NotFound, CorruptArchive) as error:
            for memory in filter(is_away, memories):
                yield _problem(f"its words are lost: {error}", memory)
            return
        for memory in memories:
            if is_away(memory) and place_of(str(memory.archive)).row not in manifest.rows:
                yield _problem(f"its words are not in batch {batch}", memory)
        async for problem in self._superfluous(manifest, memories):
            yield problem

    async def _superfluous(
        self, manifest: Manifest, memories: list[Memory]
    ) -> AsyncIterator[Problem]:
        """Rows that nothing points to: of memories that changed while they were archived, or that
        lie elsewhere since."""
        used = rows_by_batch(memories).get(manifest.name, set())
        unused = set(manifest.rows) - used
        if not unused or not self._is_old(manifest.name):
            return
        removed = 0
        if self._repair:
            removed = await drop_rows(
                self._core, manifest.name, unused, now=self._now, patient=False
            )
        yield _problem(
            f"nothing points to {len(unused)} rows of batch {manifest.name}",
            repaired=removed == len(unused),
        )


def made_at_of(batch: str) -> datetime | None:
    """When a batch was made, by its name; None for a name that is none of ours."""
    try:
        name = UUID(batch)
    except ValueError:
        return None
    if name.version != 7:
        return None
    return datetime.fromtimestamp((name.int >> 80) / 1000, tz=UTC)


def _problem(problem: str, memory: Memory | None = None, *, repaired: bool = False) -> Problem:
    return Problem(
        place=PLACE,
        problem=problem,
        memory_id=None if memory is None else memory.id,
        repaired=repaired,
    )
