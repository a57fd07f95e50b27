"""The turns of a session: taken in, handed on to the store, and let go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.domain.context.formats import tokens_of
from perdure.domain.context.turns import ContextTurn
from perdure.domain.scope import Scope
from perdure.engine.context_entries import Entry
from perdure.engine.context_state import Session
from perdure.engine.context_storing import store
from perdure.engine.core import Core
from perdure.errors import InvalidInput, NotFound


async def session_of(core: Core, scope: Scope) -> Session:
    """The session of this scope. Where too many are held, the longest unused is stored and let go."""
    while True:
        session = core.contexts.get(scope) or core.contexts.add(scope)
        if session is not None:
            return session
        oldest = core.contexts.oldest()
        if oldest is not None:
            await flush(core, oldest)
            core.contexts.drop(oldest)


async def append(
    core: Core, scope: Scope, turns: Sequence[ContextTurn], *, max_tokens: int, at_once: bool
) -> list[ContextTurn]:
    """Add turns as the newest of their session, in their order.

    What they push out is stored first, so that nothing is lost in between; with `at_once` they are
    stored themselves. An error while storing leaves the turn it came up with, and those after it,
    unappended; appending all again is harmless.
    """
    counted = [Entry(turn, tokens_of(turn, core.count_tokens)) for turn in turns]
    if core.settings.context_oversized == "refuse":
        for entry in counted:
            _refuse_oversized(entry, max_tokens)
    return [
        await _append_one(core, scope, entry, max_tokens=max_tokens, at_once=at_once)
        for entry in counted
    ]


def _refuse_oversized(entry: Entry, max_tokens: int) -> None:
    if entry.size >= max_tokens:
        raise InvalidInput(
            f"turn {entry.id!r} has {entry.size:,} tokens and the context's budget is "
            f"{max_tokens:,}; shorten it, raise max_tokens, or let it be shown shortened "
            '(settings.context_oversized="shorten")'
        )


async def _append_one(
    core: Core, scope: Scope, entry: Entry, *, max_tokens: int, at_once: bool
) -> ContextTurn:
    while True:
        session = await session_of(core, scope)
        with session.lock:
            if session.is_dropped:
                continue
            before = session.known(entry.turn)
            if before is not None:
                entry, due = before, []
            else:
                due = session.due(entry, max_tokens)
            if at_once and not entry.is_stored:
                due = [*due, entry]
            if not due:
                if before is None:
                    session.take(entry)
                return entry.turn
        await _store(core, session, due)


async def _store(core: Core, session: Session, entries: Sequence[Entry]) -> None:
    kept = await store(core, session.scope, entries)
    with session.lock:
        for entry, memory_ids in zip(entries, kept, strict=True):
            session.stored(entry, memory_ids)


FLUSHED_AT_ONCE = 100
"""How many turns are stored between two looks at what is left."""


async def flush(core: Core, session: Session) -> int:
    """Store every turn of the session that is in the process alone; how many there were."""
    stored = 0
    while True:
        with session.lock:
            waiting = list(session.unstored.values())[:FLUSHED_AT_ONCE]
        if not waiting:
            return stored
        await _store(core, session, waiting)
        stored += len(waiting)


async def end(core: Core, scope: Scope) -> int:
    """Store what is in the process alone, and let the session go."""
    stored = 0
    while True:
        session = core.contexts.get(scope)
        if session is None:
            return stored
        stored += await flush(core, session)
        core.contexts.drop(session)


async def flush_all(core: Core) -> None:
    """Store the turns of all sessions, before the store is closed."""
    for session in core.contexts.all():
        await flush(core, session)


def discard(core: Core, scope: Scope, *, everything: bool = False) -> None:
    """Let go of the scope's turns without storing them: they were to be forgotten."""
    for session in core.contexts.within(scope, everything=everything):
        core.contexts.drop(session, even_unstored=True)


async def part_with(core: Core, scope: Scope, memory_ids: Iterable[str]) -> None:
    """Let go of sessions behind the scope's walls that tell of these memories.

    Their other turns are stored first; the sessions begin anew.
    """
    gone = frozenset(memory_ids)
    walls = Scope(tenant=scope.tenant, user=scope.user)
    for session in core.contexts.within(walls):
        with session.lock:
            told = [entry.memory_ids or () for entry in session.entries.values()]
            told += [turn.memory_ids for turn in session.departed.values()]
        if not gone.isdisjoint(memory_id for ids in told for memory_id in ids):
            await flush(core, session)
            core.contexts.drop(session)


def weigh(
    core: Core, scope: Scope, turn_id: str, *, pinned: bool | None, importance: float | None
) -> ContextTurn:
    """The turn with another weight in windows; `NotFound` when the ring does not hold it."""
    session = core.contexts.get(scope)
    if session is not None:
        with session.lock:
            entry = session.entries.get(turn_id)
            if entry is not None:
                return entry.weigh(pinned=pinned, importance=importance)
    raise NotFound(f"no turn {turn_id!r} is held in this session; it left, or never was there")


def turns(core: Core, scope: Scope) -> list[ContextTurn]:
    """The turns the ring holds, oldest first."""
    session = core.contexts.get(scope)
    if session is None:
        return []
    with session.lock:
        return [entry.turn for entry in session.entries.values()]
