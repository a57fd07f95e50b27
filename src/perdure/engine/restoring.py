"""Bringing memories back: forgotten, superseded, compressed and archived ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import Change, Operation, SlotState
from perdure.domain.records import Memory, State
from perdure.domain.resting import touched
from perdure.domain.scope import Scope
from perdure.domain.slots import retire
from perdure.domain.summaries import is_summary
from perdure.engine.archive_reading import is_away
from perdure.engine.core import Core
from perdure.engine.reading import not_found
from perdure.engine.restoring_beside import as_before, undone_beside
from perdure.engine.writing import Retry, deciding, write_or_retry
from perdure.errors import Conflict

TAKEN_BACK = "its predecessor was restored"


async def restore(
    core: Core, scope: Scope, memory_id: str, *, now: datetime, actor: str | None
) -> Memory:
    """Bring a forgotten, superseded or archived memory back; one that is current stays as it is.

    A forgotten memory returns as it was before, and the facts drawn from it with it; what held
    again because it was forgotten is succeeded again. One that was archived or compressed has its
    words, vectors and history again; it is as it was then, superseded if it was so. Restoring a
    superseded one undoes the supersession: what took its place is retired, readable as superseded.
    Raises `NotFound`, and `Conflict` when a slot has another value meanwhile or its words are gone.
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
        if memory.state is State.FORGOTTEN:
            changes += await undone_beside(core, scope, back)
        slots = await _slot_preconditions(core, changes)
        changes = [await _with_vectors(core, change) for change in changes]
        await write_or_retry(core, changes, at=now, actor=actor, slots=slots)
        core.short_term.reread(back.scope)
        if is_away(back):
            raise Retry  # it was archived before it was forgotten: its words next
        return core.accesses.overlay(back)

    return await deciding(core, attempt, f"restore of {memory_id}")


async def _with_vectors(core: Core, change: Change) -> Change:
    """Stores may have dropped the vectors of what was forgotten; make them again."""
    before, back = change.before, change.after
    if before is None or before.state is not State.FORGOTTEN or back.is_stub:
        return change
    [vectors] = await core.embedding.vectors([back.searchable_text], speakers=[back.source.speaker])
    return replace(change, vectors=vectors)


async def _restoration(core: Core, scope: Scope, memory: Memory, now: datetime) -> list[Change]:
    """The changes that bring the memory back, itself first; none when it is current."""
    version = memory.version + 1
    if memory.state is State.FORGOTTEN:
        if is_summary(memory):
            raise Conflict(
                f"memory {memory.id} is a summary, which may tell what was forgotten since; "
                "consolidate() makes a new one of what is held"
            )
        before = as_before(await core.store.history(scope, memory.id))
        if before is None:  # it was never in sight: the words of a request to lose something
            before = replace(memory, state=State.ACTIVE, retired_at=None)
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


async def _slot_preconditions(core: Core, changes: Sequence[Change]) -> tuple[SlotState, ...]:
    """That the slots are free for the times the memories hold; `Conflict` when one is not."""
    states: dict[tuple[Scope, str], SlotState] = {}
    leaving = {change.after.id for change in changes}
    for change in changes:
        back = change.after
        takes_part = change.operation is Operation.RESTORED and back.retired_at is None
        if back.key is None or not takes_part:
            continue
        members = await core.store.slot(back.scope, back.key)
        for other in members:
            if other.id not in leaving and _overlap(back, other):
                raise Conflict(
                    f"slot {back.key!r} has another value for that time, memory {other.id}; "
                    "forget or correct it first"
                )
        versions = frozenset((item.id, item.version) for item in members)
        slot = SlotState(scope=back.scope, key=back.key, members=versions)
        states[back.scope, back.key] = slot
    return tuple(states.values())


def _overlap(one: Memory, other: Memory) -> bool:
    return (one.valid_to is None or other.valid_from < one.valid_to) and (
        other.valid_to is None or one.valid_from < other.valid_to
    )
