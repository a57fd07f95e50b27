"""Reading the archive, and removing rows from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta

from perdure.domain.archiving import filled
from perdure.domain.batches import Whole, place_of
from perdure.domain.changes import JournalEntry
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.engine.core import Core
from perdure.errors import CorruptArchive, Misconfigured, NotFound, Unavailable
from perdure.ports.archive import Archive

NO_ARCHIVE = (
    "no archive is configured; open the store with settings=Settings(archive=…), such as "
    "file:///folder or s3://bucket/prefix"
)
LEASE = timedelta(minutes=10)


def archive_of(core: Core) -> Archive:
    """The archive; `Misconfigured` without one."""
    if core.archive is None:
        raise Misconfigured(NO_ARCHIVE)
    return core.archive


def is_away(memory: Memory) -> bool:
    """Whether words of the memory lie in the archive and nowhere else."""
    return memory.archive is not None and (memory.is_stub or memory.state is State.COMPRESSED)


def rows_by_batch(memories: Iterable[Memory]) -> dict[str, set[int]]:
    """Where the memories lie: row numbers by batch. Those that lie nowhere are left out."""
    rows: dict[str, set[int]] = defaultdict(set)
    for memory in memories:
        if memory.archive is not None:
            place = place_of(memory.archive)
            rows[place.batch].add(place.row)
    return dict(rows)


async def archived_wholes(core: Core, memories: Iterable[Memory]) -> dict[str, Whole]:
    """What lies in the archive of memories that point there, by id.

    `CorruptArchive` when a batch is missing, damaged, or holds something else in that place.
    """
    wanted = {memory.id: place_of(memory.archive) for memory in memories if memory.archive}
    rows: dict[str, set[int]] = defaultdict(set)
    for place in wanted.values():
        rows[place.batch].add(place.row)
    found: dict[tuple[str, int], Whole] = {}
    for batch, numbers in rows.items():
        try:
            read = await archive_of(core).read(batch, numbers)
        except NotFound as error:
            raise CorruptArchive(
                f"batch {batch} is not in the archive; put it back from a copy, or point "
                "settings.archive to where it lies"
            ) from error
        found |= {(batch, row): whole for row, whole in read.items()}
    wholes: dict[str, Whole] = {}
    for memory_id, place in wanted.items():
        whole = found.get((place.batch, place.row))
        if whole is None or whole.memory.id != memory_id:
            raise CorruptArchive(f"memory {memory_id} is not in the archive at {place}")
        wholes[memory_id] = whole
    return wholes


async def filled_history(
    core: Core, scope: Scope, memory_id: str, entries: Sequence[JournalEntry]
) -> Sequence[JournalEntry]:
    """A memory's entries, with the contents that lie in the archive where these are needed.

    A history still tells what happened when the archive is out of reach: without the words.
    """
    if core.archive is None or not any(entry.is_emptied for entry in entries):
        return entries
    memory = (await core.store.get(scope, [memory_id])).get(memory_id)
    if memory is None or memory.archive is None:
        return entries
    try:
        archived = await archived_wholes(core, [memory])
    except (Misconfigured, Unavailable):
        return entries
    return filled(entries, archived[memory_id].entries)


async def drop_rows(
    core: Core, batch: str, rows: Collection[int], *, now: datetime, patient: bool
) -> int:
    """Remove rows from a batch, one caller at a time; how many it had of them.

    While somebody else is at it: `Unavailable` for the `patient`, who must know that the rows are
    gone; otherwise they stay, and `verify` finds that nothing points to them.
    """
    return await _alone(
        core, batch, lambda: archive_of(core).drop(batch, rows), now=now, patient=patient
    )


async def tidy(core: Core, batch: str, *, now: datetime, patient: bool) -> int:
    """Remove what interrupted writes left of a batch; 1 when that was something, else 0.

    Of a whole batch what does not belong to it, of an unfinished one everything: who is just
    writing it begins anew. For the `patient` see `drop_rows`.
    """
    archive = archive_of(core)

    async def tidied() -> int:
        if await archive.manifest(batch) is None and await archive.abandon(batch):
            return 1
        await archive.drop(batch, ())
        return 1

    return await _alone(core, batch, tidied, now=now, patient=patient)


async def _alone(
    core: Core, batch: str, work: Callable[[], Awaitable[int]], *, now: datetime, patient: bool
) -> int:
    """The result of work on a batch that only one may do at a time."""
    owner, name = core.new_id(now), f"archive:{batch}"
    if not await core.store.lease(name, owner=owner, now=now, duration=LEASE):
        if patient:
            raise Unavailable(f"batch {batch} is being rewritten by another process; try again")
        return 0
    try:
        return await work()
    except (Misconfigured, Unavailable):
        if patient:
            raise
        return 0
    finally:
        await core.store.release(name, owner=owner)
