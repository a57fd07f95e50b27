"""Storing deliberately: one memory or many, all or nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from perdure.domain.changes import Change, IdempotencyKey, Operation, Refused, SlotState, Vectors
from perdure.domain.duplicates import restates
from perdure.domain.erasure import WITHHELD
from perdure.domain.records import Kind, Memory
from perdure.domain.results import Outcome, Remembered
from perdure.domain.scope import Scope
from perdure.domain.slots import succeed
from perdure.domain.text import identity_text
from perdure.engine.core import Core
from perdure.engine.drafts import Draft
from perdure.engine.observe_working import Working
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.short_term import Room, departure
from perdure.engine.writing import Retry, collapsed, deciding, write
from perdure.errors import Conflict

SlotKey = tuple[Scope, str]


@dataclass(slots=True)
class _Plan:
    """What one attempt would write, and what each draft then gets back."""

    changes: list[Change] = field(default_factory=list)
    unless_known: set[str] = field(default_factory=set)
    slots: dict[SlotKey, list[Memory]] = field(default_factory=dict)
    slot_states: dict[SlotKey, SlotState] = field(default_factory=dict)
    answers: dict[int, Remembered] = field(default_factory=dict)
    arriving: dict[Scope, list[int]] = field(default_factory=dict)
    rooms: list[Room] = field(default_factory=list)
    keyed: tuple[int, ...] = ()
    working: Working | None = None

    def working_on(self, core: Core, now: datetime) -> Working:
        """What understanding looks at: the stored memories with the changes so far."""
        if self.working is None:
            self.working = Working(core=core, now=now)
        return self.working

    def add(self, change: Change) -> None:
        """Take a change in, where later drafts see it."""
        if self.working is not None:
            self.working.add(change)
        else:
            self.changes.append(change)


async def remember(
    core: Core, drafts: Sequence[Draft], *, now: datetime, actor: str | None
) -> list[Remembered]:
    """Store every draft in one transaction; the answers are in the order of the drafts."""
    texts = [draft.memory.searchable_text for draft in drafts]
    vectors = await core.embedding.vectors(
        texts, speakers=[draft.memory.source.speaker for draft in drafts]
    )
    firsts = _first_requests(drafts)
    settled: dict[int, Remembered] = {}

    async def attempt() -> list[Remembered]:
        plan = _Plan()
        try:
            await _draw_up(core, plan, drafts, vectors, {*settled, *firsts}, now)
            result = await _write(core, plan, drafts, settled, now=now, actor=actor)
            if isinstance(result, Refused):
                await _settle(core, result, plan, drafts, settled)
                raise Retry
        except BaseException:
            for scope in plan.arriving:
                core.short_term.reread(scope)
            raise
        for room in plan.rooms:
            core.short_term.written(room)
        answers = plan.answers | settled
        answers |= {at: replace(answers[first], repeated=True) for at, first in firsts.items()}
        return [answers[position] for position in range(len(drafts))]

    answers = await deciding(core, attempt, "remember")
    if core.embedding.backlog and any(item is not None for item in vectors):
        await make_up_backlog(core)
    return answers


def _first_requests(drafts: Sequence[Draft]) -> dict[int, int]:
    """Where a draft repeats the request of an earlier one: its position and that one's.

    `Conflict` when one idempotency key is used for two things.
    """
    firsts: dict[int, int] = {}
    if len(drafts) < 2:
        return firsts
    seen: dict[tuple[str, str, str], int] = {}
    for position, draft in enumerate(drafts):
        if draft.idempotency_key is None:
            continue
        first = seen.setdefault((*draft.memory.scope.walls, draft.idempotency_key), position)
        if first == position:
            continue
        if drafts[first].request != draft.request:
            raise _clash([draft.idempotency_key])
        firsts[position] = first
    return firsts


def _clash(keys: Iterable[str | None]) -> Conflict:
    return Conflict(
        f"idempotency key {', '.join(map(repr, keys))} was used before for something else; "
        "use a fresh key for a new request. Nothing was changed"
    )


async def _draw_up(
    core: Core,
    plan: _Plan,
    drafts: Sequence[Draft],
    vectors: Sequence[Vectors | None],
    settled: Collection[int],
    now: datetime,
) -> None:
    """Fill in the plan."""
    for position, draft in enumerate(drafts):
        if position in settled:
            continue
        memory, made = draft.memory, vectors[position]
        if memory.key is not None:
            await _plan_slot(core, plan, position, memory, made, now)
            continue
        superseded: tuple[str, ...] = ()
        if draft.understand:
            from perdure.engine.understanding_news import is_news, take_in  # loads the rules

            if is_news(memory):
                taken = await take_in(plan.working_on(core, now), memory, core.settings.registry)
                memory, superseded = taken.memory, taken.superseded
        deferred = core.embedding.embedder is not None and made is None
        plan.add(Change(operation=Operation.CREATED, after=memory, vectors=made))
        plan.unless_known.add(memory.id)
        plan.answers[position] = Remembered(
            outcome=_outcome(superseded, deferred), memory=memory, superseded=superseded
        )
        if memory.kind is Kind.SHORT_TERM:
            plan.arriving.setdefault(memory.scope, []).append(position)
    if plan.working is not None:
        plan.changes.extend(plan.working.changes)
    plan.changes = collapsed(plan.changes)
    for scope, positions in plan.arriving.items():
        await _plan_room(core, plan, scope, positions, now)


def _outcome(superseded: tuple[str, ...], deferred: bool) -> Outcome:
    if superseded:
        return Outcome.SUPERSEDED
    return Outcome.DEFERRED if deferred else Outcome.STORED


async def _plan_room(
    core: Core, plan: _Plan, scope: Scope, positions: Sequence[int], now: datetime
) -> None:
    """What leaves the session's short-term buffer because of what comes."""
    arriving = [plan.answers[position].memory for position in positions]
    room = await core.short_term.make_room(scope, [item.id for item in arriving], now)
    plan.rooms.append(room)
    leaving = [*room.leaving, *arriving[: room.passing]]
    left = [departure(item, promote=core.settings.long_term, now=now) for item in leaving]
    plan.changes.extend(left)
    for position, change in zip(positions, left[len(room.leaving) :], strict=False):
        plan.answers[position] = replace(plan.answers[position], memory=change.after)


async def _plan_slot(
    core: Core, plan: _Plan, position: int, memory: Memory, made: Vectors | None, now: datetime
) -> None:
    assert memory.key is not None
    slot = (memory.scope, memory.key)
    if slot not in plan.slots:
        members = await core.store.slot(memory.scope, memory.key)
        plan.slots[slot] = members
        plan.slot_states[slot] = SlotState(
            scope=memory.scope,
            key=memory.key,
            members=frozenset((item.id, item.version) for item in members),
        )
    members = plan.slots[slot]
    known = next((item for item in members if _says_it_already(item, memory, now)), None)
    if known is not None:
        plan.answers[position] = Remembered(outcome=Outcome.ALREADY_KNOWN, memory=known)
        return
    succession = succeed(members, memory, now=now, new_id=lambda: core.new_id(now))
    for change in succession.changes:
        plan.changes.append(
            replace(change, vectors=made) if change.after.id == memory.id else change
        )
    plan.slots[slot] = _members_after(members, succession.changes)
    superseded = succession.superseded
    deferred = core.embedding.embedder is not None and made is None
    plan.answers[position] = Remembered(
        outcome=_outcome(superseded, deferred),
        memory=succession.memory,
        superseded=superseded,
    )


def _says_it_already(old: Memory, new: Memory, now: datetime) -> bool:
    """A member that covers the new one's whole interval with the same words."""
    if identity_text(old.content) != identity_text(new.content):
        return False  # the cheap answer, and for a long history nearly always the right one
    from_old = replace(old, state=type(old.state).ACTIVE, superseded_by=None)
    ends = old.valid_to
    return restates(replace(new, valid_to=new.valid_to or ends), from_old, now)


def _members_after(members: Sequence[Memory], changes: Sequence[Change]) -> list[Memory]:
    after = {item.id: item for item in members}
    after.update((change.after.id, change.after) for change in changes)
    return [item for item in after.values() if item.retired_at is None]


async def _write(
    core: Core,
    plan: _Plan,
    drafts: Sequence[Draft],
    settled: Mapping[int, Remembered],
    *,
    now: datetime,
    actor: str | None,
) -> Refused | None:
    keys = _idempotency(plan, drafts, settled)
    plan.keyed = tuple(keys)
    if not plan.changes and not keys:
        return None
    result = await write(
        core,
        plan.changes,
        at=now,
        actor=actor,
        unless_known=frozenset(
            position
            for position, change in enumerate(plan.changes)
            if change.after.id in plan.unless_known and change.before is None
        ),
        slots=tuple(plan.slot_states.values()),
        idempotency=tuple(keys.values()),
    )
    return result if isinstance(result, Refused) else None


def _idempotency(
    plan: _Plan, drafts: Sequence[Draft], settled: Mapping[int, Remembered]
) -> dict[int, IdempotencyKey]:
    """The keys to be recorded, by the position of their draft, in order."""
    keys: dict[int, IdempotencyKey] = {}
    for position, draft in enumerate(drafts):
        given = plan.answers.get(position) or settled.get(position)
        if draft.idempotency_key is None or given is None or given.repeated:
            continue  # without one, or recorded by the earlier request
        keys[position] = IdempotencyKey(
            scope=draft.memory.scope,
            key=draft.idempotency_key,
            request=draft.request,
            answer=_answer(given),
        )
    return keys


def _answer(given: Remembered) -> dict[str, Any]:
    return {
        "outcome": given.outcome.value,
        "id": given.memory.id,
        "superseded": list(given.superseded),
    }


async def _settle(
    core: Core,
    refused: Refused,
    plan: _Plan,
    drafts: Sequence[Draft],
    settled: dict[int, Remembered],
) -> None:
    """Turn what the store refused into answers, so that the next attempt leaves it out."""
    if refused.clashing:
        raise _clash(drafts[plan.keyed[index]].idempotency_key for index in refused.clashing)
    for index, answer in refused.repeated.items():
        position = plan.keyed[index]
        settled[position] = await _repeated(core, drafts[position].memory.scope, answer)
    by_id = {draft.memory.id: position for position, draft in enumerate(drafts)}
    for index, known in refused.known.items():
        position = by_id[plan.changes[index].after.id]
        settled[position] = Remembered(outcome=Outcome.ALREADY_KNOWN, memory=known)


async def _repeated(core: Core, scope: Scope, answer: Mapping[str, Any]) -> Remembered:
    if answer == WITHHELD:
        raise Conflict(
            "what was stored under this idempotency key was erased; use a fresh key to store it again"
        )
    found = await core.store.get(scope, [answer["id"]])
    if answer["id"] not in found:
        raise Conflict(
            f"the memory of this idempotency key, {answer['id']}, no longer exists; "
            "use a fresh key to store it again"
        )
    return Remembered(
        outcome=Outcome(answer["outcome"]),
        memory=core.accesses.overlay(found[answer["id"]]),
        superseded=tuple(answer["superseded"]),
        repeated=True,
    )
