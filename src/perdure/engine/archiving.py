"""Putting memories into the archive: whole ones that leave the store, and originals of summaries.

The order is what makes it safe: the batch is written, read back and compared; only then do the
memories change, each only while it still has the version that was written. A crash before that
leaves a batch that nothing points to, which `verify` removes, and an erasure what it holds of the
erased; a memory that was changed meanwhile stays as it is.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from perdure.domain.archiving import made_whole, may_rest, stub_of, summarised
from perdure.domain.batches import Batch, Place, Whole
from perdure.domain.changes import Change, Operation, Refused
from perdure.domain.compression import summary_of
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.engine.archive_reading import (
    archive_of,
    archived_wholes,
    drop_rows,
    is_away,
    rows_by_batch,
)
from perdure.engine.core import Core
from perdure.engine.writing import write
from perdure.errors import Conflict, CorruptArchive, Misconfigured, NotFound, Unavailable

log = logging.getLogger(__name__)

MOST_ROWS = 5_000
MOST_CHARS = 32_000_000
"""A batch ends at so many memories, or characters of them: it is written and read in one piece."""
OWN_BATCH = 500
"""A user with so many memories gets batches of their own, so that erasing them rewrites none."""

ChangesOf = Callable[[Mapping[int, Whole], str], Awaitable[list[Change]]]


async def archive(
    core: Core,
    memories: Iterable[Memory],
    *,
    now: datetime,
    actor: str | None,
    reasons: Mapping[str, str | None] | None = None,
) -> frozenset[str]:
    """Put memories away: their words, vectors and history go into the archive, a stub stays.

    Returns the ids of those that are away now. Left out are those that may not rest, that are away
    already, and that somebody changed since they were read. `Misconfigured` without an archive.
    """
    archive_of(core)
    told = reasons or {}

    async def stubs(rows: Mapping[int, Whole], batch: str) -> list[Change]:
        return [
            Change(
                operation=Operation.ARCHIVED,
                before=whole.memory,
                after=stub_of(whole.memory, Place(batch=batch, row=row)),
                reason=told.get(whole.memory.id),
            )
            for row, whole in rows.items()
        ]

    wanted = [memory for memory in memories if may_rest(memory)]
    return await _put_away(core, wanted, stubs, now=now, actor=actor)


async def compress(
    core: Core,
    memories: Iterable[Memory],
    *,
    now: datetime,
    actor: str | None,
    reasons: Mapping[str, str | None] | None = None,
) -> frozenset[str]:
    """Replace the words of memories by a summary; the original and its history are archived.

    The summary is what is found from then on: it gets vectors of its own. Returns the ids of what
    was compressed; texts too short to gain anything by it are left as they are, and see `archive`.
    """
    archive_of(core)
    told = reasons or {}
    summaries = {
        memory.id: summary
        for memory in memories
        if may_rest(memory)
        and memory.state in (State.ACTIVE, State.SUPERSEDED)
        and (summary := summary_of(memory.content)) is not None
    }

    async def compressed(rows: Mapping[int, Whole], batch: str) -> list[Change]:
        after = [
            summarised(whole.memory, summaries[whole.memory.id], Place(batch=batch, row=row))
            for row, whole in rows.items()
        ]
        vectors = await core.embedding.vectors(
            [item.searchable_text for item in after],
            speakers=[item.source.speaker for item in after],
        )
        return [
            Change(
                operation=Operation.COMPRESSED,
                before=whole.memory,
                after=item,
                vectors=made,
                reason=told.get(item.id),
            )
            for whole, item, made in zip(rows.values(), after, vectors, strict=True)
        ]

    wanted = [memory for memory in memories if memory.id in summaries]
    return await _put_away(core, wanted, compressed, now=now, actor=actor)


async def _put_away(
    core: Core,
    memories: Sequence[Memory],
    changes_of: ChangesOf,
    *,
    now: datetime,
    actor: str | None,
) -> frozenset[str]:
    done: set[str] = set()
    for group in batches_of(memories):
        done |= await _put_group(core, group, changes_of, now=now, actor=actor)
    return frozenset(done)


async def _put_group(
    core: Core,
    group: Sequence[Memory],
    changes_of: ChangesOf,
    *,
    now: datetime,
    actor: str | None,
) -> set[str]:
    """Archive one batch of what still stands; the ids of those that are away now.

    Written once more with what stands then, when the batch was not there as it was written: an
    erasure takes the erased from batches that nothing points to yet, and unfinished ones whole.
    """
    try:
        name, rows = await _written(core, group, now)
    except (Conflict, CorruptArchive, NotFound):
        name, rows = await _written(core, group, now)
    return await _point(core, name, rows, changes_of, now=now, actor=actor) if rows else set()


def batches_of(memories: Iterable[Memory]) -> list[list[Memory]]:
    """The memories in groups of a batch each: of one tenant, users with many apart, each once."""
    of_user: dict[tuple[str, str], dict[str, Memory]] = defaultdict(dict)
    for memory in memories:
        of_user[memory.scope.walls][memory.id] = memory
    groups: dict[tuple[str, str | None], list[Memory]] = defaultdict(list)
    for (tenant, user), found in of_user.items():
        has_own = len(found) >= OWN_BATCH
        groups[tenant, user if has_own else None] += found.values()
    return [part for group in groups.values() for part in _cut(group)]


def _cut(memories: list[Memory]) -> list[list[Memory]]:
    parts: list[list[Memory]] = [[]]
    size = 0
    for memory in memories:
        if len(parts[-1]) >= MOST_ROWS or (parts[-1] and size + len(memory.content) > MOST_CHARS):
            parts.append([])
            size = 0
        parts[-1].append(memory)
        size += len(memory.content)
    return parts if parts[0] else []


async def _standing(core: Core, memories: Sequence[Memory]) -> list[Whole]:
    """All that is held of the memories that are as they were read, from here and the archive."""
    ids_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for memory in memories:
        ids_of[memory.scope.walls].append(memory.id)
    found: dict[str, Whole] = {}
    for (tenant, user), ids in ids_of.items():
        found |= await core.store.whole(Scope(tenant=tenant, user=user), ids)
    return [
        found[memory.id]
        for memory in memories
        if memory.id in found and found[memory.id].memory.version == memory.version
    ]


async def _written(
    core: Core, memories: Sequence[Memory], now: datetime
) -> tuple[str, dict[int, Whole]]:
    """A new batch of those that are as they were read, compared: its name and rows, if any."""
    rows = dict(enumerate(await _standing(core, memories)))
    name = core.new_id(now)
    if rows:
        batch = Batch(name=name, made_at=now, rows=await _complete(core, rows))
        async with _discarded_if_it_fails(core, name):
            await _write_verified(core, batch)
    return name, rows


async def _point(
    core: Core,
    name: str,
    rows: Mapping[int, Whole],
    changes_of: ChangesOf,
    *,
    now: datetime,
    actor: str | None,
) -> set[str]:
    """Let the memories of a written batch point to it; the ids of those that do."""
    async with _discarded_if_it_fails(core, name):
        changes = await changes_of(rows, name)
    changed = await _change(core, rows, name, changes, changes_of, now=now, actor=actor)
    gone = {whole.memory.id: whole.memory for row, whole in rows.items() if row in changed}
    core.short_term.forgotten(gone.values())
    if len(changed) < len(rows):
        await drop_rows(core, name, rows.keys() - changed, now=now, patient=False)
    await _drop_replaced(core, gone.values(), now)
    return set(gone)


async def _complete(core: Core, rows: Mapping[int, Whole]) -> dict[int, Whole]:
    """The rows with what of them lies in an earlier batch."""
    away = [whole.memory for whole in rows.values() if is_away(whole.memory)]
    earlier = await archived_wholes(core, away) if away else {}
    return {
        row: made_whole(whole, earlier[whole.memory.id]) if whole.memory.id in earlier else whole
        for row, whole in rows.items()
    }


async def _write_verified(core: Core, batch: Batch) -> None:
    cold = archive_of(core)
    written = await cold.put(batch)
    if await cold.check(batch.name) != written:
        raise CorruptArchive(
            f"batch {batch.name} was not read back as it was written; nothing was changed. "
            "Look at the disk or the service of the archive"
        )


@asynccontextmanager
async def _discarded_if_it_fails(core: Core, name: str) -> AsyncIterator[None]:
    """Removes a batch when what is done here fails; one that cannot be reached then is left to
    erasures and to `verify`.

    Not for the change itself: whether one that failed was written may not be known.
    """
    try:
        yield
    except Exception:
        try:
            await archive_of(core).delete(name)
        except (Misconfigured, Unavailable) as error:
            log.warning("archiving.batch_left", extra={"batch": name, "error": str(error)})
        raise


async def _change(
    core: Core,
    rows: Mapping[int, Whole],
    name: str,
    changes: list[Change],
    changes_of: ChangesOf,
    *,
    now: datetime,
    actor: str | None,
) -> set[int]:
    """Change the memories of a batch that nobody changed meanwhile; the rows of those."""
    left = dict(rows)
    for _ in range(core.settings.conflict_retries + 1):
        if not changes:
            break
        emptied = frozenset(change.after.id for change in changes)
        written = await write(core, changes, at=now, actor=actor, emptied=emptied)
        if not isinstance(written, Refused):
            return set(left)
        stale = set(written.stale)
        left = {row: whole for row, whole in left.items() if whole.memory.id not in stale}
        changes = await changes_of(left, name)
    return set()


async def _drop_replaced(core: Core, before: Iterable[Memory], now: datetime) -> None:
    """Remove the rows of earlier batches that the new one replaced."""
    for batch, rows in rows_by_batch(before).items():
        await drop_rows(core, batch, rows, now=now, patient=False)
