"""The short-term buffer of each session: a ring of fixed capacity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from threading import Lock

from perdure.domain.changes import Change, Operation
from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition, Order, Query
from perdure.domain.records import Kind, Memory, State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.ports.store import Store

MAX_BUFFERS = 10_000
MAX_LOADED = 100_000
LEFT_THE_BUFFER = "left the short-term buffer"


@dataclass(slots=True)
class _Buffer:
    """What one session holds: ids oldest first, and how many more are being written."""

    ids: dict[str, None]  # keeps their order, and drops one at once
    coming: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Room made in a session's buffer for new memories, before they are written.

    `leaving` were in the buffer, oldest first; the first `passing` of the new ones leave it at
    once, because there are more of them than it holds.
    """

    scope: Scope
    leaving: list[Memory]
    passing: int
    staying: list[str]
    buffer: _Buffer


class ShortTermBuffers:
    """Which short-term memories each session holds. Thread-safe.

    The memories themselves are in the store, so nothing is lost with the process; this remembers
    their order, which makes an append and an eviction O(1). A buffer is read from the store when
    its session is first written to, and again after anything that made it doubtful.
    """

    def __init__(self, store: Store, capacity: int) -> None:
        self._store = store
        self._capacity = capacity
        self._buffers: dict[Scope, _Buffer] = {}
        self._lock = Lock()

    async def make_room(self, scope: Scope, arriving: Sequence[str], now: datetime) -> Room:
        """Take out what no longer fits; nobody else is given the same to take out.

        Call `written` when the new ones are in the store, and `reread` when they could not be
        written. While several are being written at once there may be more than fit; the next
        write takes them out.
        """
        buffer = self._buffers.get(scope)
        if buffer is None:
            buffer = await self._load(scope, now)
        passing = max(0, len(arriving) - self._capacity)
        staying = list(arriving[passing:])
        with self._lock:
            surplus = len(buffer.ids) + buffer.coming + len(staying) - self._capacity
            leaving = list(islice(buffer.ids, max(0, surplus)))
            for memory_id in leaving:
                del buffer.ids[memory_id]
            buffer.coming += len(staying)
        found = await self._store.get(scope, leaving) if leaving else {}
        return Room(
            scope=scope,
            leaving=[found[i] for i in leaving if i in found and _is_short_term(found[i])],
            passing=passing,
            staying=staying,
            buffer=buffer,
        )

    def written(self, room: Room) -> None:
        """Note that what the room was made for is in the store."""
        with self._lock:
            if self._buffers.get(room.scope) is not room.buffer:
                # Read from the store meanwhile, before or after our write: who knows.
                self._buffers.pop(room.scope, None)
                return
            room.buffer.ids.update(dict.fromkeys(room.staying))
            room.buffer.coming -= len(room.staying)

    def forgotten(self, memories: Iterable[Memory]) -> None:
        """Make room where memories were forgotten."""
        with self._lock:
            for memory in memories:
                buffer = self._buffers.get(memory.scope)
                if buffer is not None:
                    buffer.ids.pop(memory.id, None)

    def reread(self, scope: Scope) -> None:
        """Forget what is known of a session, because somebody else changed it."""
        with self._lock:
            self._buffers.pop(scope, None)

    def reread_all(self, scope: Scope) -> None:
        """Forget what is known of every session the scope admits."""
        with self._lock:
            for of in [of for of in self._buffers if scope.admits(of)]:
                del self._buffers[of]

    async def _load(self, scope: Scope, now: datetime) -> _Buffer:
        condition = Condition(
            view=View(scope=scope, now=now),
            kinds=frozenset((Kind.SHORT_TERM,)),
            filter=parse_filter({"memory.agent": scope.agent, "memory.session": scope.session}),
        )
        # All of them, since more than fit may be stored: the capacity may have been larger once.
        stored = await self._store.query(
            Query(condition=condition, order=Order.RECORDED_AT, limit=MAX_LOADED)
        )
        with self._lock:
            if len(self._buffers) >= MAX_BUFFERS:
                self._buffers.pop(next(iter(self._buffers)))
            return self._buffers.setdefault(scope, _Buffer({item.id: None for item in stored}))


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
