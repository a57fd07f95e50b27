"""Forgetting on request, and bringing back while that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import Change, Operation, Refused, SlotState, Vectors
from perdure.domain.query import Condition, Query
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.resting import touched
from perdure.domain.results import Forgotten
from perdure.domain.scope import Scope
from perdure.domain.slots import retire
from perdure.domain.summaries import is_summary
from perdure.domain.text import shown
from perdure.engine.archive_reading import is_away
from perdure.engine.core import Core
from perdure.engine.reading import not_found
from perdure.engine.supports import facts_drawn_from, forgotten, without_support
from perdure.engine.writing import Retry, deciding, write, write_or_retry
from perdure.errors import Conflict, InvalidInput

BULK = 5_000
TAKEN_BACK = "its predecessor was restored"


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


async def restore(
    core: Core, scope: Scope, memory_id: str, *, now: datetime, actor: str | None
) -> Memory:
    """Bring a forgotten, superseded or archived memory back; one that is current stays as it is.

    A forgotten memory returns as it was before. One that was archived or compressed has its words,
    vectors and history again; it is as it was then, superseded if it was so. Restoring a superseded one undoes the
    supersession: what took its place is retired, readable as superseded. Raises `NotFound`, and
    `Conflict` when its slot has another value meanwhile or its words are gone.
    """

    async def attempt() -> Memory:
        found = await core.store.get(scope, [memory_id])
        if memory_id not in found:
            raise not_found(memory_id)
        memory = found[memory_id]
        if is_away(memory):
            from perdure.engine.archive_restoring import bring_back

            for restored in await bring_back(core, [memory], now=now, actor=actor):
                return restored
            raise Retry
        if not (memory.content or memory.archive):
            raise Conflict(f"the words of memory {memory_id} were not kept; it cannot be restored")
        changes = await _restoration(core, scope, memory, now)
        changes[:1] = [replace(change, after=touched(change.after, now)) for change in changes[:1]]
        if not changes:
            return core.accesses.overlay(memory)
        back = changes[0].after
        slots = await _slot_precondition(core, back, changes)
        vectors = await _vectors_of(core, memory, back)
        changes[0] = replace(changes[0], vectors=vectors)
        await write_or_retry(core, changes, at=now, actor=actor, slots=slots)
        core.short_term.reread(back.scope)
        if is_away(back):
            raise Retry  # it was archived before it was forgotten: its words next
        return core.accesses.overlay(back)

    return await deciding(core, attempt, f"restore of {memory_id}")


async def _vectors_of(core: Core, memory: Memory, back: Memory) -> Vectors | None:
    """Stores may have dropped the vectors of what was forgotten; make them again."""
    if memory.state is not State.FORGOTTEN or back.is_stub:
        return None
    [vectors] = await core.embedding.vectors([back.searchable_text], speakers=[back.source.speaker])
    return vectors


async def _restoration(core: Core, scope: Scope, memory: Memory, now: datetime) -> list[Change]:
    """The changes that bring the memory back, itself first; none when it is current."""
    version = memory.version + 1
    if memory.state is State.FORGOTTEN:
        if is_summary(memory):
            raise Conflict(
                f"memory {memory.id} is a summary, which may tell what was forgotten since; "
                "consolidate() makes a new one of what is held"
            )
        entries = await core.store.history(scope, memory.id)
        until = max(
            position
            for position, entry in enumerate(entries)
            if entry.operation is Operation.FORGOTTEN
        )
        before = replay(entries[:until]).get(memory.id)
        if before is None:
            raise Conflict(f"memory {memory.id} was imported as forgotten; it cannot be restored")
        return [_restored(memory, replace(before, version=version))]
    if memory.state is State.ARCHIVED:
        is_former = memory.superseded_by is not None
        state = State.SUPERSEDED if is_former else State.ACTIVE
        return [_restored(memory, replace(memory, state=state, version=version))]
    if memory.superseded_by is not None:
        back = replace(
            memory, state=State.ACTIVE, valid_to=None, retired_at=None, superseded_by=None,
            version=version,
        )  # fmt: skip
        return [_restored(memory, back), *await _successors_retired(core, scope, memory, now)]
    return []


def _restored(before: Memory, after: Memory) -> Change:
    after = replace(
        after,
        accessed_count=before.accessed_count,
        last_accessed_at=before.last_accessed_at,
    )
    return Change(operation=Operation.RESTORED, before=before, after=after)


async def _successors_retired(
    core: Core, scope: Scope, memory: Memory, now: datetime
) -> list[Change]:
    """Everything that took the memory's place, one after the other, taken back."""
    changes: list[Change] = []
    following = memory.superseded_by
    while following is not None:
        found = (await core.store.get(scope, [following])).get(following)
        if found is None:
            break
        following = found.superseded_by
        if found.state is State.FORGOTTEN or found.retired_at is not None:
            continue
        changes.append(
            Change(
                operation=Operation.SUPERSEDED,
                before=found,
                after=retire(found, by=memory.id, at=now),
                reason=TAKEN_BACK,
            )
        )
    return changes


async def _slot_precondition(
    core: Core, back: Memory, changes: Sequence[Change]
) -> tuple[SlotState, ...]:
    """That the slot is free for the time the memory holds; `Conflict` when it is not."""
    if back.key is None:
        return ()
    members = await core.store.slot(back.scope, back.key)
    leaving = {change.after.id for change in changes}
    for other in members:
        if other.id not in leaving and _overlap(back, other):
            raise Conflict(
                f"slot {back.key!r} has another value for that time, memory {other.id}; "
                "forget or correct it first"
            )
    states = frozenset((item.id, item.version) for item in members)
    return (SlotState(scope=back.scope, key=back.key, members=states),)


def _overlap(one: Memory, other: Memory) -> bool:
    return (one.valid_to is None or other.valid_from < one.valid_to) and (
        other.valid_to is None or one.valid_from < other.valid_to
    )
