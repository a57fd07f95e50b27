"""Whether the archive and the store agree, and erasing from the archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from perdure.domain.batches import Manifest, Whole, place_of
from perdure.domain.erasure import is_erased
from perdure.domain.records import Memory
from perdure.domain.results import Problem
from perdure.domain.scope import Scope
from perdure.engine.archive_reading import NO_ARCHIVE, drop_rows, is_away, rows_by_batch, tidy
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


async def expunge_unclaimed(core: Core, scope: Scope | None, *, now: datetime) -> int:
    """Remove what the archive holds of erased memories in rows that nothing points to; how many
    rows that were.

    An archiving that was cut off leaves a batch, or a part of one, that no memory points to yet;
    one that could not clear up after itself leaves rows of former versions. `expunge` does not
    reach them. A row goes when the store has its memory as erased, and with a `scope` (of which
    everything was erased) also when that admits it and the store does not know it. Of unfinished
    batches nobody knows what they hold: they go as a whole.

    An archiving that another process is just at loses nothing else: a row that stays keeps its
    number, its batch stays whole, and the memories of the others become stubs as they would have.
    For the erased ones its change is refused, as their version has moved. One whose batch went
    before it could be verified begins anew with what stands then (`archiving`). Only what it read
    before the erasure and puts after this looked is not seen here: it removes that itself in the
    end, and if it dies before, the next erasure or `verify` does.

    `Unavailable` or `Misconfigured` when something may still be there. Takes two listings, and once
    in the life of a process the manifest of every batch.
    """
    archive = core.archive
    if archive is None:
        if await core.store.archived_batches():
            raise Misconfigured(NO_ARCHIVE)
        return 0
    for batch in await archive.remnants():
        await tidy(core, batch, now=now, patient=True)
    return sum([
        await drop_rows(core, batch, rows, now=now, patient=True)
        async for batch, rows in _unclaimed(core, archive, scope, patient=True)
    ])  # fmt: skip


async def _unclaimed(
    core: Core, archive: Archive, scope: Scope | None, *, patient: bool
) -> AsyncIterator[tuple[str, set[int]]]:
    """Rows of erased memories that nothing points to, by batch; see `expunge_unclaimed`.

    What cannot be read is an error for the `patient`, who must know; others go on without it.
    """
    batches = await archive.batches()
    pointing = await core.store.archived_batches() if batches else {}
    for batch in batches:
        if core.archived_rows.get(batch) == pointing.get(batch, 0):
            continue  # every row it had, and so every one it has, is needed
        try:
            unused = await _unused(core, archive, batch, pointing.get(batch, 0))
        except CorruptArchive:
            if patient:
                raise
            continue
        gone = await _erased(core, (whole.memory for whole in unused.values()), scope)
        if found := {row for row, whole in unused.items() if whole.memory.id in gone}:
            yield batch, found


async def _unused(core: Core, archive: Archive, batch: str, pointing: int) -> dict[int, Whole]:
    """The rows of a batch that nothing points to, when so many memories point to it."""
    manifest = await archive.manifest(batch)
    if manifest is None:
        return {}
    core.archived_rows[batch] = len(manifest.rows)
    if len(manifest.rows) == pointing:
        return {}
    used = rows_by_batch(await core.store.archived_in(batch)).get(batch, set())
    try:
        return await archive.read(batch, set(manifest.rows) - used)
    except NotFound:
        return {}  # it went meanwhile


async def _erased(core: Core, memories: Iterable[Memory], scope: Scope | None) -> set[str]:
    """Ids of those that the store has as erased, or does not know although it should."""
    of_walls: dict[tuple[str, str], dict[str, Memory]] = {}
    for memory in memories:
        of_walls.setdefault(memory.scope.walls, {})[memory.id] = memory
    gone: set[str] = set()
    for (tenant, user), archived in of_walls.items():
        found = await core.store.get(Scope(tenant=tenant, user=user), list(archived))
        gone.update(
            memory_id
            for memory_id, memory in archived.items()
            if (
                is_erased(found[memory_id])
                if memory_id in found
                else scope is not None and scope.admits(memory.scope)
            )
        )
    return gone


async def check_archive(core: Core, *, repair: bool) -> list[Problem]:
    """What is wrong between the archive and the store.

    Every batch that is needed is read back. Memories whose words are not there are told, and left
    as they are. Batches and rows that nothing points to are told once they are older than a day,
    and removed with `repair`; at any age those of erased memories, and with `repair` what
    interrupted writes left.
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
        async for problem in self._leftovers():
            yield problem
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

    async def _leftovers(self) -> AsyncIterator[Problem]:
        """Parts of batches, and rows of erased memories. Without `repair` only old parts: a young
        one may be of a batch that is being written."""
        for batch in await self._archive.remnants():
            if self._repair:
                repaired = bool(await tidy(self._core, batch, now=self._now, patient=False))
                yield _problem(
                    f"an interrupted write left parts of batch {batch}", repaired=repaired
                )
            elif self._is_old(batch):
                yield _problem(f"an interrupted write left parts of batch {batch}")
        async for batch, rows in _unclaimed(self._core, self._archive, None, patient=False):
            removed = 0
            if self._repair:
                removed = await drop_rows(self._core, batch, rows, now=self._now, patient=False)
            yield _problem(
                f"{len(rows)} rows of batch {batch} are of what was erased",
                repaired=removed == len(rows),
            )

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
