"""Consolidation: what was stored since the last time is read once, and put in order.

The journal is read from a mark on, batch by batch. Each batch is one change set that also moves the
mark, so what was done and how far it came are never apart: a worker that is killed repeats its last
batch, and one whose lease ran out finds the mark moved and writes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from perdure.domain.changes import Applied, ChangeSet, JournalEntry, Mark, Refused
from perdure.domain.consolidation import concerns, lease_name, mark_name, sweep_name
from perdure.domain.plans import Action, ActionKind, Plan
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.consolidating_batch import consolidate_batch
from perdure.engine.consolidating_surroundings import Step
from perdure.engine.core import Core
from perdure.engine.observe_working import Working
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.summarising import Teller
from perdure.engine.writing import write
from perdure.errors import Conflict

log = logging.getLogger(__name__)

MOST_PER_CALL = 10_000
"""Memories looked at when a call names no limit."""
ENTRIES = 500
"""Journal entries read at a time."""
BATCH = 50
"""Memories of one change set: what a crash repeats at most, and what memory it takes."""
LEASE = timedelta(minutes=5)
"""How long nobody else starts on a user's memories after the last sign of life."""
ELSEWHERE = (
    "another process is at work on the memories of some users ({count}) and goes on with them"
)
MORE = "there is more to consolidate than the limit; call it again"


class _Overtaken(Exception):
    """Another worker has the lease, or has moved the mark."""


@dataclass(slots=True)
class _Call:
    """What one call shares between the users it works on."""

    core: Core
    now: datetime
    actor: str | None
    dry_run: bool
    left: int
    teller: Teller
    owner: str
    actions: list[Action] = field(default_factory=list)
    busy: int = 0
    is_cut_short: bool = False

    def note(self, steps: Sequence[Step]) -> None:
        """Add what was done to the plan."""
        for step in steps:
            memory = step.memory
            self.actions.append(
                Action(
                    memory_id=memory.id,
                    action=ActionKind.CONSOLIDATE,
                    reason=step.reason,
                    bytes_saved=0,
                    scope=memory.scope,
                )
            )

    @property
    def plan(self) -> Plan:
        """What came of it."""
        notes = []
        if self.busy:
            notes.append(ELSEWHERE.format(count=self.busy))
        if self.is_cut_short:
            notes.append(MORE)
        return Plan(actions=tuple(self.actions), applied=not self.dry_run, notes=tuple(notes))


async def consolidate(
    core: Core,
    scope: Scope,
    *,
    now: datetime,
    actor: str | None,
    dry_run: bool = False,
    everything: bool = False,
    limit: int = MOST_PER_CALL,
) -> Plan:
    """Consolidate what a user's journal has since the last time, or that of all of a tenant.

    At most `limit` memories are looked at; the next call goes on from there. With `dry_run`
    nothing is written, and the plan says what would be done. The session of the scope does not
    narrow: like what is observed, it bears on all sessions.
    """
    call = _Call(
        core=core,
        now=now,
        actor=actor,
        dry_run=dry_run,
        left=limit,
        teller=Teller(core),
        owner=core.new_id(now),
    )
    if everything:
        await _consolidate_everyone(call, scope)
    else:
        await _consolidate_user(call, replace(scope, session=""))
    if core.embedding.backlog and not dry_run:
        await make_up_backlog(core)
    return call.plan


async def _consolidate_everyone(call: _Call, scope: Scope) -> None:
    """Every user of the tenant whose journal has grown; a mark of its own tells up to where none
    has, so that the work grows with what is new and not with how many users there are."""
    core, name = call.core, sweep_name(scope)
    was = await core.store.mark(name)
    # What an empty write gives is a position that no entry can still fall short of.
    settled = await core.store.apply(ChangeSet(changes=(), at=call.now))
    assert isinstance(settled, Applied)
    users = await _users_since(core, scope, was or 0, settled.sequence, call.now)
    is_done = True
    for user in users:
        is_done = await _consolidate_user(call, user) and is_done
    if is_done and not call.dry_run and settled.sequence > (was or 0):
        mark = Mark(name=name, value=settled.sequence, was=was)
        await write(core, [], at=call.now, actor=call.actor, marks=(mark,))


async def _users_since(
    core: Core, scope: Scope, position: int, until: int, now: datetime
) -> list[Scope]:
    view = View(scope=Scope(tenant=scope.tenant), now=now, everything=True)
    users: dict[Scope, None] = {}
    while entries := await core.store.changes_since(view, position, limit=ENTRIES):
        users.update(
            (Scope(tenant=entry.scope.tenant, user=entry.scope.user), None)
            for entry in entries
            if entry.sequence <= until
        )
        position = entries[-1].sequence
        if position >= until:
            break
    return list(users)


async def _consolidate_user(call: _Call, scope: Scope) -> bool:
    """One user's memories; whether they were read to the end."""
    if call.dry_run:
        return await _read_on(call, scope, Working(core=call.core, now=call.now))
    try:
        await _renew(call, scope)
    except _Overtaken:
        call.busy += 1
        return False
    call.teller.before_asking = partial(_renew, call, scope)
    try:
        return await _read_on(call, scope, None)
    except _Overtaken:
        call.busy += 1
        log.warning("consolidation.overtaken", extra={"owner": call.owner})
        return False
    finally:
        await call.core.store.release(lease_name(scope), owner=call.owner)


async def _renew(call: _Call, scope: Scope) -> None:
    core = call.core
    if not await core.store.lease(
        lease_name(scope), owner=call.owner, now=core.now(), duration=LEASE
    ):
        raise _Overtaken


async def _read_on(call: _Call, scope: Scope, planning: Working | None) -> bool:
    """Read the journal from the mark on; whether it was read to its end.

    `planning` keeps what a dry run would have written, so that later batches see it.
    """
    core, name = call.core, mark_name(scope)
    mark = await core.store.mark(name)
    position = mark or 0
    view = View(scope=scope, now=call.now)
    entries: Sequence[JournalEntry] = ()
    while call.left > 0:
        entries = entries or await core.store.changes_since(view, position, limit=ENTRIES)
        if not entries:
            return True
        ids, taken = _taken(entries, min(BATCH, call.left))
        position, entries = entries[taken - 1].sequence, entries[taken:]
        call.left -= len(ids)
        if planning is not None:
            call.note(await consolidate_batch(core, planning, scope, ids, call.teller))
            continue
        await _consolidate_and_write(call, scope, ids, Mark(name=name, value=position, was=mark))
        mark = position
    call.is_cut_short = bool(await core.store.changes_since(view, position, limit=1))
    return not call.is_cut_short


def _taken(entries: Sequence[JournalEntry], most: int) -> tuple[list[str], int]:
    """The memories to be looked at next, at most so many, and how many entries that takes."""
    ids: dict[str, None] = {}
    for taken, entry in enumerate(entries):
        if not concerns(entry):
            continue
        if len(ids) == most and entry.memory_id not in ids:
            return list(ids), taken
        ids[entry.memory_id] = None
    return list(ids), len(entries)


async def _consolidate_and_write(call: _Call, scope: Scope, ids: Sequence[str], mark: Mark) -> None:
    """One batch as one change set; decided again when somebody else wrote meanwhile."""
    core = call.core
    for _ in range(core.settings.conflict_retries + 1):
        working = Working(core=core, now=call.now)
        steps = await consolidate_batch(core, working, scope, ids, call.teller) if ids else []
        await _renew(call, scope)
        result = await write(
            core,
            working.changes,
            at=call.now,
            actor=call.actor,
            slots=tuple(working.slot_states.values()),
            marks=(mark,),
        )
        if not isinstance(result, Refused):
            call.note(steps)
            return
        if result.marks:
            raise _Overtaken
    raise Conflict(
        "consolidate: others kept changing the same memories; what was done so far is kept, "
        "call it again for the rest"
    )
