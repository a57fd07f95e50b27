"""Upkeep: what has expired is forgotten, what rested is compressed or archived, and where there is
no room the weakest leave. Decided by `domain.retention`, carried out here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from perdure.domain.changes import Change, Operation, Refused
from perdure.domain.plans import Action, ActionKind, Plan
from perdure.domain.records import Memory, State
from perdure.domain.resting import HOT, lifeline_of
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.forgetting import losing
from perdure.engine.maintenance_planning import Planner, is_still_due
from perdure.engine.upkeep import flush_accesses
from perdure.engine.writing import write
from perdure.errors import Conflict

BATCH = 500
"""Memories per transaction: few enough that other writers are not kept waiting."""
ROUND = 5_000
"""Memories looked at between two questions to the store."""
LEASE_TIME = timedelta(minutes=5)


def lease_name(view: View) -> str:
    """One upkeep at a time works on a tenant."""
    return f"maintain:{view.scope.tenant}"


class Busy(Conflict):
    """Somebody else is maintaining the tenant."""


def always() -> bool:
    """A run that nobody stops goes on to its end."""
    return True


async def maintain(
    core: Core,
    view: View,
    *,
    dry_run: bool,
    limit: int | None,
    actor: str | None,
    may_go_on: Callable[[], bool] = always,
) -> Plan:
    """Everything that is due at the view's `now`, at most `limit` actions.

    Running it again at the same time does nothing. Raises `Conflict` while another maintains the
    tenant; what was done before an error, or before `may_go_on` said no, stays done.
    """
    if dry_run:
        planner = Planner(core, view)
        actions: list[Action] = []
        for part in (planner.leaving, planner.evicted, planner.compressed):
            actions += await part(None if limit is None else limit - len(actions))
        if not actions:
            await planner.note_others()
        return Plan(actions=tuple(actions), notes=tuple(planner.notes))
    return await _alone(_Run(core, view, actor, may_go_on), lambda run: run.everything(limit))


async def evict(
    core: Core, view: View, *, dry_run: bool, limit: int | None, actor: str | None
) -> Plan:
    """Only what leaves for lack of room; otherwise as `maintain`."""
    if dry_run:
        planner = Planner(core, view)
        actions = await planner.evicted(limit)
        if not actions:
            await planner.note_others()
        return Plan(actions=tuple(actions), notes=tuple(planner.notes))
    return await _alone(_Run(core, view, actor, always), lambda run: run.evictions(limit))


async def _alone(run: _Run, work: Callable[[_Run], Awaitable[None]]) -> Plan:
    """Run the work while nobody else maintains the tenant."""
    log, clock = run.core.maintenance, run.core.clock
    try:
        await run.take_lease()
        log.begins(clock.now())
        try:
            await flush_accesses(run.core)
            await work(run)
            if not run.done:
                await run.planner.note_others()
        finally:
            await run.release_lease()
    except Busy:
        raise
    except BaseException as error:
        log.fails(clock.now(), error)
        raise
    plan = Plan(actions=tuple(run.done), applied=True, notes=tuple(run.planner.notes))
    log.ends(clock.now(), plan)
    return plan


Part = Callable[[int | None], Awaitable[list[Action]]]


class _Run:
    """One upkeep under way, and what it did so far."""

    def __init__(
        self, core: Core, view: View, actor: str | None, may_go_on: Callable[[], bool]
    ) -> None:
        self.core = core
        self._view = view
        self._actor = actor
        self._may_go_on = may_go_on
        self._owner = core.new_id(core.now())
        self.planner = Planner(core, view)
        self.done: list[Action] = []

    async def take_lease(self) -> None:
        """Take the lease, or go on having it; `Busy` when somebody else has it."""
        is_mine = await self.core.store.lease(
            lease_name(self._view), owner=self._owner, now=self.core.now(), duration=LEASE_TIME
        )
        if not is_mine:
            raise Busy(
                "somebody else is maintaining this tenant; what was done stays done, and "
                "dry_run=True shows what is left"
            )

    async def release_lease(self) -> None:
        """Let others maintain the tenant."""
        await self.core.store.release(lease_name(self._view), owner=self._owner)

    async def everything(self, limit: int | None) -> None:
        """What leaves, who has no room, and what is compressed, in this order."""
        await self._part(self.planner.leaving, limit)
        await self.evictions(limit)
        await self._part(self.planner.compressed, limit)

    async def evictions(self, limit: int | None) -> None:
        """Who has no room."""
        await self._apply(await self.planner.evicted(self._left(limit, None)))

    async def _part(self, part: Part, limit: int | None) -> None:
        while self._may_go_on() and (actions := await part(self._left(limit, ROUND))):
            await self._apply(actions)

    def _left(self, limit: int | None, most: int | None) -> int | None:
        """How many more actions may be taken, at most `most`; None for any number."""
        if limit is None:
            return most
        left = limit - len(self.done)
        return left if most is None else min(left, most)

    async def _apply(self, actions: Sequence[Action]) -> None:
        """Carry the actions out, batch by batch, in order within each kind."""
        by_kind: dict[ActionKind, list[Action]] = defaultdict(list)
        for action in actions:
            by_kind[action.action].append(action)
        for kind, alike in by_kind.items():
            for start in range(0, len(alike), BATCH):
                if self._may_go_on():
                    await self._apply_batch(kind, alike[start : start + BATCH])

    async def _apply_batch(self, kind: ActionKind, actions: Sequence[Action]) -> None:
        await self.take_lease()
        planned = {action.memory_id: action for action in actions}
        changed = await self._changed(kind, await self._still_due(planned), planned)
        self.done += [action for action in actions if action.memory_id in changed]
        self.core.maintenance.advances(len(self.done))

    async def _changed(
        self, kind: ActionKind, memories: list[Memory], planned: dict[str, Action]
    ) -> frozenset[str]:
        match kind:
            case ActionKind.EXPIRE:
                return await self._write(memories, self._expiring, planned)
            case ActionKind.EVICT if not self.planner.archives:
                return await self._write(memories, self._setting_aside, planned)
            case ActionKind.COMPRESS | ActionKind.ARCHIVE | ActionKind.EVICT:
                return await self._put_away(kind, memories, planned)
            case ActionKind.CONSOLIDATE:
                raise AssertionError("upkeep consolidates nothing")

    async def _put_away(
        self, kind: ActionKind, memories: list[Memory], planned: dict[str, Action]
    ) -> frozenset[str]:
        """To the archive: whole, or the words that a summary takes the place of."""
        from perdure.engine import archiving  # with much that a store without an archive is spared

        put_away = archiving.compress if kind is ActionKind.COMPRESS else archiving.archive
        gone = await put_away(
            self.core,
            memories,
            now=self._view.now,
            actor=self._actor,
            reasons={memory_id: action.reason for memory_id, action in planned.items()},
        )
        if kind is not ActionKind.COMPRESS:
            self.core.short_term.forgotten(memory for memory in memories if memory.id in gone)
        return gone

    async def _still_due(self, planned: dict[str, Action]) -> list[Memory]:
        """The memories as they are now, without those that somebody changed meanwhile."""
        ids_of: dict[tuple[str, str], list[str]] = defaultdict(list)
        for action in planned.values():
            ids_of[action.scope.walls].append(action.memory_id)
        found: list[Memory] = []
        for (tenant, user), ids in ids_of.items():
            stored = await self.core.store.get(Scope(tenant=tenant, user=user), ids)
            found += [stored[memory_id] for memory_id in ids if memory_id in stored]
        return [
            memory
            for memory in found
            if is_still_due(planned[memory.id], lifeline_of(memory), self.planner, self._view)
        ]

    async def _expiring(self, memories: list[Memory]) -> list[Change]:
        return await losing(self.core, memories, self._view.now, None)

    async def _setting_aside(self, memories: list[Memory]) -> list[Change]:
        """Out of recall, with the words left where they are: nothing is lost without an archive."""
        return [
            Change(
                operation=Operation.ARCHIVED,
                before=memory,
                after=replace(memory, state=State.ARCHIVED, version=memory.version + 1),
            )
            for memory in memories
            if memory.state in HOT
        ]

    async def _write(
        self,
        memories: list[Memory],
        changes_of: Callable[[list[Memory]], Awaitable[list[Change]]],
        planned: dict[str, Action],
    ) -> frozenset[str]:
        """Write what becomes of the memories that nobody changed meanwhile; the ids of these."""
        left = memories
        for _ in range(self.core.settings.conflict_retries + 1):
            changes = [_with_reason(change, planned) for change in await changes_of(left)]
            if not changes:
                break
            written = await write(self.core, changes, at=self._view.now, actor=self._actor)
            if not isinstance(written, Refused):
                self.core.short_term.forgotten(left)
                return frozenset(memory.id for memory in left)
            left = [memory for memory in left if memory.id not in written.stale]
        return frozenset()


def _with_reason(change: Change, planned: dict[str, Action]) -> Change:
    action = planned.get(change.after.id)
    return change if action is None else replace(change, reason=action.reason)
