"""The short-term buffer of each session: a ring of fixed capacity."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import Change, Operation
from perdure.domain.query import Condition, Order, Query
from perdure.domain.records import Kind, Memory, State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.ports.store import Store

MAX_BUFFERS = 10_000
LEFT_THE_BUFFER = "left the short-term buffer"


class ShortTermBuffers:
    """Which short-term memories each session holds, oldest first.

    The memories themselves are in the store, so nothing is lost with the process; this remembers
    their order, which makes an append and an eviction O(1). A buffer is read from the store when
    its session is first written to, and again after a conflict.
    """

    def __init__(self, store: Store, capacity: int) -> None:
        self._store = store
        self._capacity = capacity
        self._rings: dict[Scope, deque[str]] = {}

    async def leaving(self, scope: Scope, arriving: int, now: datetime) -> list[Memory]:
        """The memories that must leave so that `arriving` new ones fit, oldest first."""
        ring = self._rings.get(scope)
        if ring is None:
            ring = await self._load(scope, now)
        surplus = max(0, len(ring) + arriving - self._capacity)
        ids = [ring[i] for i in range(min(surplus, len(ring)))]
        found = await self._store.get(scope, ids) if ids else {}
        return [
            found[memory_id]
            for memory_id in ids
            if memory_id in found and _is_short_term(found[memory_id])
        ]

    def arrived(self, scope: Scope, ids: list[str]) -> None:
        """Note what was stored; what left is dropped from the ring."""
        ring = self._rings.get(scope)
        if ring is None:
            return
        ring.extend(ids)
        while len(ring) > self._capacity:
            ring.popleft()

    def reread(self, scope: Scope) -> None:
        """Forget what is known of a session, because somebody else changed it."""
        self._rings.pop(scope, None)

    async def _load(self, scope: Scope, now: datetime) -> deque[str]:
        condition = Condition(view=View(scope=scope, now=now), kinds=frozenset((Kind.SHORT_TERM,)))
        stored = await self._store.query(
            Query(
                condition=condition, order=Order.RECORDED_AT, descending=True, limit=self._capacity
            )
        )
        exact = [item.id for item in reversed(stored) if item.scope == scope]
        if len(self._rings) >= MAX_BUFFERS:
            self._rings.pop(next(iter(self._rings)))
        ring = self._rings[scope] = deque(exact)
        return ring


def _is_short_term(memory: Memory) -> bool:
    return memory.kind is Kind.SHORT_TERM and memory.state is not State.FORGOTTEN


def departure(memory: Memory, *, promote: bool, now: datetime) -> Change:
    """What happens to a memory that leaves the buffer: it becomes an episode, or is forgotten."""
    if promote:
        after = replace(memory, kind=Kind.EPISODIC, version=memory.version + 1)
        return Change(
            operation=Operation.PROMOTED, before=memory, after=after, reason=LEFT_THE_BUFFER
        )
    after = replace(memory, state=State.FORGOTTEN, retired_at=now, version=memory.version + 1)
    return Change(operation=Operation.FORGOTTEN, before=memory, after=after, reason=LEFT_THE_BUFFER)
