"""Correcting: the old memory is succeeded, never overwritten."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from perdure.domain.changes import Change, Operation, SlotState, Vectors
from perdure.domain.query import Condition
from perdure.domain.records import Json, Memory, Source, State
from perdure.domain.results import Outcome, Remembered
from perdure.domain.scope import Scope
from perdure.domain.slots import retire, succeed
from perdure.domain.summaries import is_summary
from perdure.domain.text import identity_text
from perdure.domain.visibility import View, holds
from perdure.engine.core import Core
from perdure.engine.drafts import metadata_of, share
from perdure.engine.editing import merged_metadata
from perdure.engine.observe_working import Working
from perdure.engine.reading import not_found, stored
from perdure.engine.recall import question_of, recall
from perdure.engine.rederiving import rederive
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.supports import require_own_words
from perdure.engine.writing import Retry, collapsed, deciding, write_or_retry
from perdure.errors import Conflict, InvalidInput, NotFound

WAS_WRONG = "was never true"
LEAST_STRENGTH_TO_CORRECT = 0.25
"""A weaker hit may be shown, but nothing takes its place on the strength of a query."""
HITS_LOOKED_AT = 4
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What replaces what was believed.

    `valid_from` is when the new value began (None: now). `retroactive` says that the old one was
    never true: the new one then takes over its whole validity.
    """

    content: str
    valid_from: datetime | None = None
    retroactive: bool = False
    importance: float | None = None
    metadata: Mapping[str, Json] | None = None
    source: Source | None = None
    reason: str | None = None


def looks_like_id(target: str) -> bool:
    """Whether a target is an id rather than a query."""
    return _ID.fullmatch(target) is not None


async def target_of(core: Core, scope: Scope, target: str, now: datetime) -> Memory:
    """The memory a target names, or the best hit for it as a query; `NotFound` without one."""
    if looks_like_id(target):
        return (await stored(core, scope, [target]))[target]
    condition = Condition(view=View(scope=scope, now=now))
    found = await recall(
        core, question_of(core, target), condition, limit=HITS_LOOKED_AT, min_score=0.0
    )
    strong = (hit.memory for hit in found if hit.explanation.strength >= LEAST_STRENGTH_TO_CORRECT)
    # What is wrong in a summary is wrong in what it was made of.
    named = next((memory.id for memory in strong if not is_summary(memory)), None)
    if named is None:
        raise NotFound(
            "no memory in this scope clearly has to do with that query; nothing was corrected. "
            "Ask with words of the memory, or pass its id"
        )
    return (await stored(core, scope, [named]))[named]


async def correct(
    core: Core,
    scope: Scope,
    target: str,
    correction: Correction,
    *,
    now: datetime,
    actor: str | None,
) -> Remembered:
    """Let a new memory take the place of the target, in one transaction.

    Repeating a correction that was already made gives `already_known`. Raises `NotFound` without
    a match, `Conflict` when the target was superseded by something else, `InvalidInput`.
    """
    # The query is answered once; a retry then corrects the same memory, or fails honestly.
    named = (await target_of(core, scope, target, now)).id
    vectors: list[Vectors | None] = []

    async def attempt() -> Remembered:
        old = (await stored(core, scope, [named]))[named]
        require_own_words(old)
        known = await _already_corrected(core, scope, old, correction)
        if known is not None:
            return Remembered(outcome=Outcome.ALREADY_KNOWN, memory=known)
        new = successor(core, old, correction, now)
        if not vectors:
            vectors.extend(
                await core.embedding.vectors([new.searchable_text], speakers=[new.source.speaker])
            )
        result, changes, slots = await _decide(core, old, new, correction, now)
        changes = [
            replace(change, vectors=vectors[0]) if change.after.id == new.id else change
            for change in changes
        ]
        if old.supports or old.predicate is not None:
            result, changes, slots = await _understood(core, old, result, changes, slots, now)
        await write_or_retry(core, changes, at=now, actor=actor, slots=slots)
        return result

    result = await deciding(core, attempt, f"correction of {named}")
    if core.embedding.backlog and vectors and vectors[0] is not None:
        await make_up_backlog(core)
    return result


async def _understood(
    core: Core,
    old: Memory,
    result: Remembered,
    changes: list[Change],
    slots: tuple[SlotState, ...],
    now: datetime,
) -> tuple[Remembered, list[Change], tuple[SlotState, ...]]:
    """The correction with its facts, where the old words had some."""
    working = Working(core=core, now=now)
    working.slot_states.update(((slot.scope, slot.key), slot) for slot in slots)
    was_wrong = any(
        change.after.id == old.id and change.after.retired_at is not None for change in changes
    )
    new = await rederive(working, changes, old, result.memory, was_wrong=was_wrong)
    return replace(result, memory=new), working.changes, tuple(working.slot_states.values())


async def _already_corrected(
    core: Core, scope: Scope, old: Memory, correction: Correction
) -> Memory | None:
    """The memory that already says what the correction says; `Conflict` for another successor."""
    words = identity_text(correction.content)
    if old.superseded_by is None:
        return old if identity_text(old.content) == words else None
    head = old
    while head.superseded_by is not None:
        found = await core.store.get(scope, [head.superseded_by])
        if head.superseded_by not in found:
            raise not_found(head.superseded_by)
        head = found[head.superseded_by]
    if identity_text(head.content) == words and head.state is not State.FORGOTTEN:
        return core.accesses.overlay(head)
    if correction.retroactive:
        return None
    raise Conflict(
        f"memory {old.id} was already superseded by {head.id}; correct that one, "
        "or pass retroactive=True to put right what was believed then"
    )


def successor(core: Core, old: Memory, correction: Correction, now: datetime) -> Memory:
    """The new memory, which takes over what the correction does not say."""
    begins = correction.valid_from or now
    if not correction.retroactive and begins < old.valid_from:
        raise InvalidInput(
            f"valid_from {begins.isoformat()} lies before the corrected memory began "
            f"({old.valid_from.isoformat()}); pass retroactive=True if that one was never true"
        )
    return Memory(
        id=core.new_id(now),
        content=correction.content,
        scope=old.scope,
        kind=old.kind,
        occurred_at=min(now, begins),
        recorded_at=now,
        valid_from=begins,
        importance=(
            old.importance
            if correction.importance is None
            else share(correction.importance, "importance")
        ),
        metadata=(
            old.metadata
            if correction.metadata is None
            else metadata_of(merged_metadata(old, correction.metadata), core.settings)
        ),
        pinned=old.pinned,
        held=old.held,
        key=old.key,
        expires_at=old.expires_at,
        source=correction.source or old.source,
    )


async def _decide(
    core: Core, old: Memory, new: Memory, correction: Correction, now: datetime
) -> tuple[Remembered, list[Change], tuple[SlotState, ...]]:
    members = [old]
    slots: tuple[SlotState, ...] = ()
    if old.key is not None:
        members = await core.store.slot(old.scope, old.key)
        states = frozenset((item.id, item.version) for item in members)
        slots = (SlotState(scope=old.scope, key=old.key, members=states),)
    if correction.retroactive or not holds(old, new.valid_from):
        new = replace(
            new,
            valid_from=old.valid_from,
            valid_to=old.valid_to,
            occurred_at=old.occurred_at,
            occurred_until=old.occurred_until,
            superseded_by=old.superseded_by,
            state=State.SUPERSEDED if old.superseded_by is not None else State.ACTIVE,
            supersedes=(old.id,),
        )
        changes = [
            Change(operation=Operation.CREATED, after=new, reason=correction.reason),
            Change(
                operation=Operation.SUPERSEDED,
                before=old,
                after=retire(old, by=new.id, at=now),
                reason=correction.reason or WAS_WRONG,
            ),
        ]
        result = Remembered(outcome=Outcome.SUPERSEDED, memory=new, superseded=(old.id,))
        return result, changes, slots
    if old not in members:
        raise Retry
    succession = succeed(members, new, now=now, new_id=lambda: core.new_id(now))
    changes = [
        replace(change, reason=correction.reason or change.reason)
        for change in collapsed(list(succession.changes))
    ]
    result = Remembered(
        outcome=Outcome.SUPERSEDED, memory=succession.memory, superseded=succession.superseded
    )
    return result, changes, slots
