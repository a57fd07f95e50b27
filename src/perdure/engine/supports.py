"""What was drawn from memories, facts and summaries: what is left when one of those is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import Change, Operation
from perdure.domain.consolidation import withdraws
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.domain.summaries import falls_with, is_summary
from perdure.engine.core import Core
from perdure.errors import InvalidInput

LOST_ITS_SUPPORT = "what it was drawn from was forgotten"
ON_REQUEST = "the user asked for it to be lost"
UNDONE = "what took its place was taken back"


def forgotten(memory: Memory, now: datetime, reason: str | None) -> Change:
    """The change that hides a memory from every read."""
    return Change(
        operation=Operation.FORGOTTEN,
        before=memory,
        after=replace(memory, state=State.FORGOTTEN, retired_at=now, version=memory.version + 1),
        reason=reason,
    )


async def facts_drawn_from(core: Core, memories: Iterable[Memory]) -> Mapping[str, Memory]:
    """The stored facts that these memories support, by id."""
    found = await drawn_from(core, memories)
    return {memory_id: memory for memory_id, memory in found.items() if not is_summary(memory)}


async def summaries_to_forget(core: Core, changes: Sequence[Change], now: datetime) -> list[Change]:
    """The changes that take along the summaries which tell what these changes withdraw.

    A summary is forgotten as soon as one of its sources is worded anew, superseded, contested or
    gone; the next consolidation makes it again of what is left. One that the changes themselves
    touch is left to them.
    """
    before: dict[str, Memory] = {}
    after: dict[str, Memory] = {}
    for change in changes:
        if change.before is not None:
            before.setdefault(change.after.id, change.before)
        after[change.after.id] = change.after
    withdrawn = [
        memory
        for memory_id, memory in before.items()
        if memory.supports and withdraws(memory, after[memory_id])
    ]
    if not withdrawn:
        return []
    return [
        forgotten(memory, now, LOST_ITS_SUPPORT)
        for memory in (await drawn_from(core, withdrawn)).values()
        if is_summary(memory) and memory.state is not State.FORGOTTEN and memory.id not in after
    ]


async def drawn_from(core: Core, memories: Iterable[Memory]) -> Mapping[str, Memory]:
    """The stored facts and summaries that these memories support, by id."""
    wanted: dict[Scope, dict[str, None]] = {}
    for memory in memories:
        walls = Scope(tenant=memory.scope.tenant, user=memory.scope.user)
        wanted.setdefault(walls, {}).update(dict.fromkeys(memory.supports))
    found: dict[str, Memory] = {}
    for walls, ids in wanted.items():
        if ids:
            found |= await core.store.get(walls, list(ids))
    return found


def without_support(facts: Iterable[Memory], lost: Iterable[str], now: datetime) -> list[Change]:
    """What becomes of facts when memories are lost: the last support gone, they go too."""
    gone = frozenset(lost)
    changes = []
    for fact in facts:
        if fact.state is State.FORGOTTEN or fact.id in gone:
            continue
        left = tuple(memory_id for memory_id in fact.provenance if memory_id not in gone)
        if falls_with(fact, gone):
            changes.append(forgotten(fact, now, LOST_ITS_SUPPORT))
        elif left != fact.provenance:
            after = replace(fact, provenance=left, version=fact.version + 1)
            changes.append(
                Change(operation=Operation.UPDATED, before=fact, after=after,
                       reason=LOST_ITS_SUPPORT)
            )  # fmt: skip
    return changes


def require_own_words(memory: Memory) -> None:
    """Raise `InvalidInput` for a summary: its words are those of what it was made of."""
    if is_summary(memory):
        raise InvalidInput(
            f"memory {memory.id} is a summary; change what it was made of (its provenance), "
            "and consolidate() makes it again"
        )
