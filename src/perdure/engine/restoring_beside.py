"""What a forgetting did beside the memory itself, undone when the memory is brought back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perdure.domain.changes import Change, JournalEntry, Operation
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.scope import Scope
from perdure.engine.core import Core
from perdure.engine.supports import LOST_ITS_SUPPORT, ON_REQUEST, UNDONE, facts_drawn_from

HOLDS_AGAIN = "what it rests on was restored"
SUCCEEDED_AGAIN = "what had taken its place was restored"


def as_before(entries: Sequence[JournalEntry]) -> Memory | None:
    """The memory of this history as it stood before it was forgotten last; None if it never did."""
    forgetting = last_forgetting(entries)
    if forgetting is None:
        return None
    return _as_of(entries, forgetting.sequence)


def last_forgetting(entries: Sequence[JournalEntry]) -> JournalEntry | None:
    """The entry of a history by which its memory was forgotten last."""
    found = [entry for entry in entries if entry.operation is Operation.FORGOTTEN]
    return found[-1] if found else None


def _as_of(entries: Sequence[JournalEntry], sequence: int) -> Memory | None:
    earlier = replay(entry for entry in entries if entry.sequence < sequence)
    return next(iter(earlier.values()), None)


async def undone_beside(core: Core, scope: Scope, back: Memory) -> list[Change]:
    """The changes that belong to bringing `back` back, beside its own.

    The facts that fell with it hold again, and those that lost it as one of several supports
    have it again. What it and they had taken the place of, and held again when they were
    forgotten, is succeeded again. A memory that was changed otherwise since then keeps that.
    """
    forgetting = last_forgetting(await core.store.history(scope, back.id))
    if forgetting is None:
        return []
    changes = []
    succeeded = list(back.supersedes)
    for fact in (await facts_drawn_from(core, [back])).values():
        change = await _fact_back(core, fact, back, forgetting)
        if change is None:
            continue
        changes.append(change)
        if change.operation is Operation.RESTORED:
            succeeded += change.after.supersedes
    stored = await core.store.get(scope, list(dict.fromkeys(succeeded))) if succeeded else {}
    for memory in stored.values():
        reopened = await _succeeded_again(core, memory, forgetting)
        if reopened is not None:
            changes.append(reopened)
    return changes


async def _fact_back(
    core: Core, fact: Memory, back: Memory, forgetting: JournalEntry
) -> Change | None:
    entries = await core.store.history(fact.scope, fact.id)
    if fact.state is not State.FORGOTTEN:
        before = _as_of(entries, _first_of_write(entries, forgetting))
        if before is None or back.id not in before.provenance or back.id in fact.provenance:
            return None
        after = replace(fact, provenance=(*fact.provenance, back.id), version=fact.version + 1)
        return Change(operation=Operation.UPDATED, before=fact, after=after, reason=HOLDS_AGAIN)
    fell = last_forgetting(entries)
    if fell is None or not _fell_with(fell, forgetting):
        return None
    before = _as_of(entries, fell.sequence)
    if before is None:
        return None
    others = [memory_id for memory_id in before.provenance if memory_id != back.id]
    stored = await core.store.get(fact.scope, others) if others else {}
    left = [
        memory_id
        for memory_id in others
        if memory_id in stored and stored[memory_id].state is not State.FORGOTTEN
    ]
    after = replace(
        before,
        provenance=(*left, back.id),
        version=fact.version + 1,
        accessed_count=fact.accessed_count,
        last_accessed_at=fact.last_accessed_at,
    )
    return Change(operation=Operation.RESTORED, before=fact, after=after, reason=HOLDS_AGAIN)


async def _succeeded_again(core: Core, memory: Memory, forgetting: JournalEntry) -> Change | None:
    """What held again because of the forgetting, as it stood before; None for anything else."""
    entries = await core.store.history(memory.scope, memory.id)
    told = [entry for entry in entries if entry.operation is not Operation.ACCESSED]
    if not told or told[-1].reason != UNDONE or not _is_same_write(told[-1], forgetting):
        return None
    before = _as_of(entries, told[-1].sequence)
    if before is None or before.superseded_by is None:
        return None
    after = replace(
        before,
        version=memory.version + 1,
        accessed_count=memory.accessed_count,
        last_accessed_at=memory.last_accessed_at,
    )
    return Change(
        operation=Operation.SUPERSEDED, before=memory, after=after, reason=SUCCEEDED_AGAIN
    )


def _fell_with(fell: JournalEntry, forgetting: JournalEntry) -> bool:
    """Whether a fact was forgotten because of others, and not for itself."""
    if fell.reason == LOST_ITS_SUPPORT:
        return True
    return fell.reason == ON_REQUEST and _is_same_write(fell, forgetting)


def _is_same_write(one: JournalEntry, other: JournalEntry) -> bool:
    return (one.request_id, one.at) == (other.request_id, other.at)


def _first_of_write(entries: Sequence[JournalEntry], write: JournalEntry) -> int:
    """The sequence before which a history knew nothing of that write."""
    same = [entry.sequence for entry in entries if _is_same_write(entry, write)]
    return min([*same, write.sequence])
