"""Forgetting on request, one by one and in bulk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from perdure.domain.changes import Change, Operation, Refused
from perdure.domain.query import Condition, Query
from perdure.domain.records import Memory, State
from perdure.domain.results import Forgotten
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.engine.core import Core
from perdure.engine.reading import not_found
from perdure.engine.supports import facts_drawn_from, forgotten, without_support
from perdure.engine.writing import deciding, write, write_or_retry
from perdure.errors import Conflict, InvalidInput

BULK = 5_000


async def forget(
    core: Core,
    scope: Scope,
    ids: Sequence[str],
    *,
    now: datetime,
    actor: str | None,
    reason: str | None,
) -> Forgotten:
    """Hide memories from every read; `restore` brings them back.

    All or nothing: `NotFound` when an id is unknown. One that is forgotten already stays so.
    """
    wanted = list(dict.fromkeys(ids))
    for memory_id in wanted:
        if not isinstance(memory_id, str) or not memory_id:
            raise InvalidInput(f"an id is text, not {shown(memory_id)}")

    async def attempt() -> Forgotten:
        found = await core.store.get(scope, wanted)
        for memory_id in wanted:
            if memory_id not in found:
                raise not_found(memory_id)
        wanted_now = [item for item in found.values() if item.state is not State.FORGOTTEN]
        changes = await losing(core, wanted_now, now, reason)
        await write_or_retry(core, changes, at=now, actor=actor)
        core.short_term.forgotten(change.after for change in changes)
        return Forgotten(
            ids=tuple(
                change.after.id for change in changes if change.operation is Operation.FORGOTTEN
            )
        )

    return await deciding(core, attempt, "forget")


async def losing(
    core: Core, memories: Sequence[Memory], now: datetime, reason: str | None
) -> list[Change]:
    """The memories forgotten, and the facts that rested on nothing else."""
    changes = [forgotten(memory, now, reason) for memory in memories]
    if any(memory.supports for memory in memories):
        facts = await facts_drawn_from(core, memories)
        lost = [memory.id for memory in memories]
        changes += without_support(facts.values(), lost, now)
    return changes


async def forget_all(
    core: Core, condition: Condition, *, now: datetime, actor: str | None, reason: str | None
) -> Forgotten:
    """Forget everything the condition admits, in transactions of up to 5,000 memories.

    Needs no embedder and no model. Memories stored while it runs may be forgotten too.
    """
    ids: list[str] = []
    conflicts = 0
    while True:
        memories = await core.store.query(Query(condition=condition, limit=BULK))
        if not memories:
            return Forgotten(ids=tuple(ids))
        changes = await losing(core, memories, now, reason)
        if isinstance(await write(core, changes, at=now, actor=actor), Refused):
            conflicts += 1
            if conflicts > core.settings.conflict_retries:
                raise Conflict(
                    f"others kept changing the same memories; {len(ids)} were forgotten, "
                    "call again for the rest"
                )
            continue
        core.short_term.forgotten(memories)
        ids.extend(change.after.id for change in changes if change.operation is Operation.FORGOTTEN)
