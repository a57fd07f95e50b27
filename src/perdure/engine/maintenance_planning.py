"""Asking the store what is due, and planning what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from perdure.domain.plans import Action, ActionKind
from perdure.domain.resting import Lifeline
from perdure.domain.retention import Retention, action_for, due_at, evictions, may_be_evicted
from perdure.domain.visibility import View
from perdure.engine.core import Core

NO_ARCHIVE = (
    "no archive is configured: nothing is compressed or archived, and what is evicted stays in the "
    "store, out of recall"
)

ELSEWHERE = (
    "nothing is due for memories of no user, and something is for others: maintain a scope with a "
    "user, or all of them with everything=True"
)


class Planner:
    """Plans one upkeep, part by part, each memory once.

    What leaves comes first, then who has no room beside it, then what is compressed: so nothing
    is compressed that leaves anyway. Recalls that are not written yet count.
    """

    def __init__(self, core: Core, view: View) -> None:
        self._core = core
        self._view = view
        self._seen: set[str] = set()
        self._leaving: set[str] = set()
        self.archives = core.archive is not None
        self.retention = core.settings.retention
        self.notes: list[str] = [] if self.archives else [NO_ARCHIVE]

    async def leaving(self, most: int | None) -> list[Action]:
        """What has expired or is to be archived; of those not given before, the first `most`."""
        actions = await self._due(replace(self.retention, compress_after=None), most)
        self._leaving.update(action.memory_id for action in actions)
        return actions

    async def compressed(self, most: int | None) -> list[Action]:
        """What is to be compressed, likewise."""
        return await self._due(self.retention, most)

    async def evicted(self, most: int | None) -> list[Action]:
        """Who leaves because there is no room."""
        actions: list[Action] = []
        crowds = await self._core.store.crowded(self._view, above=self.retention.quota)
        for crowd in crowds:
            residents = self._overlaid(await self._core.store.residents(crowd.scope))
            found = evictions(
                residents,
                self.retention,
                self._view.now,
                archives=self.archives,
                leaving=self._leaving,
            )
            actions += found.actions
            if found.beyond:
                self.notes.append(
                    f"{found.beyond:,} more than the quota stay, because they are pinned, held, "
                    "or compressed and without an archive, "
                    f"of agent {crowd.scope.agent!r} and user {crowd.scope.user!r}"
                )
            if most is not None and len(actions) >= most:
                break
        actions = actions[:most]
        self._seen.update(action.memory_id for action in actions)
        return actions

    async def note_others(self) -> None:
        """Note when something is due, but for users whom a view of no user does not reach."""
        scope = self._view.scope
        if self._view.everything or scope.user or scope.agent or scope.session:
            return
        all_users = replace(self._view, everything=True)
        due = due_at(self.retention, self._view.now, archives=self.archives, limit=1)
        if await self._core.store.due(all_users, due) or await self._core.store.crowded(
            all_users, above=self.retention.quota
        ):
            self.notes.append(ELSEWHERE)

    async def _due(self, retention: Retention, most: int | None) -> list[Action]:
        if most is not None and most <= 0:
            return []
        # What was given before is still due, and must not hide what comes after it.
        limit = None if most is None else most + len(self._seen)
        due = due_at(retention, self._view.now, archives=self.archives, limit=limit)
        found: list[Action] = []
        for line in self._overlaid(await self._core.store.due(self._view, due)):
            if line.id in self._seen:
                continue
            action = action_for(line, retention, self._view.now, archives=self.archives)
            if action is None:
                self._seen.add(line.id)
            elif most is None or len(found) < most:
                self._seen.add(line.id)
                found.append(action)
        return found

    def _overlaid(self, lines: Iterable[Lifeline]) -> Iterable[Lifeline]:
        for line in lines:
            recalled = self._core.accesses.last_at(line.id) or line.touched_at
            yield replace(line, touched_at=recalled) if recalled > line.touched_at else line


def is_still_due(action: Action, line: Lifeline, planner: Planner, view: View) -> bool:
    """Whether an action that was planned a moment ago is right for the memory as it is now."""
    if action.action is ActionKind.EVICT:
        return may_be_evicted(line, archives=planner.archives)
    found = action_for(line, planner.retention, view.now, archives=planner.archives)
    return found is not None and found.action is action.action
