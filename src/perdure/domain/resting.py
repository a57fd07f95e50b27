"""Since when a memory has been at rest, and what upkeep has to know of it.

A memory rests from the last time anything happened with it: it was learnt, recalled, or due for the
review that being used had earned it, or it ceased to hold. What still holds, is pinned or is held
never comes to rest, so upkeep does not meet it.

The stores find what rests long enough by an index over these values. The functions here are the
rule, and the judge of what the stores compute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum
from math import floor

from perdure.domain.records import Kind, Memory, State, Strength
from perdure.domain.scope import Scope

LONG_CHARS = 240
"""A text of at least so many characters is worth compressing; a shorter one is its own summary."""
BANDS = 20
"""Importances are told apart by twentieths in the stores' index, so that what is too important to
leave is not read again at every upkeep."""
HOT = frozenset((State.ACTIVE, State.COMPRESSED, State.SUPERSEDED))
"""States in which a memory takes part in recall, or can be asked to."""


class Rest(IntEnum):
    """What may be done with a memory once it has rested: the first may only be archived, as may
    the last, which was compressed before or was superseded; the second may be compressed first."""

    SHORT = 0
    LONG = 1
    DONE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifeline:
    """What upkeep has to know of one memory, without its words.

    `touched_at` is when it was last touched (see `touched_at`), `holds` whether it is something
    that still holds true (see `still_holds`), `interval_days` what reviews have earned it. `bytes`
    is about what its words and vectors take in the store.
    """

    id: str
    scope: Scope
    kind: Kind
    state: State
    importance: float
    interval_days: float
    touched_at: datetime
    expires_at: datetime | None
    pinned: bool
    held: bool
    holds: bool
    rest: Rest
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What upkeep asks a store for: memories at rest, or expired ones.

    `rested` says for each kind of rest until when a memory must have come to it (inclusive); only
    memories of an importance below `below` are meant. `expired_at` asks for those whose time to
    live has run out at that moment, whatever their importance, but for the held and forgotten.
    """

    rested: Mapping[Rest, datetime]
    below: float = 2.0
    expired_at: datetime | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """How many hot memories one agent has of one user; the session of the scope is blank."""

    scope: Scope
    memories: int


def still_holds(memory: Memory) -> bool:
    """Whether it is something held true that has no known end: a fact, the value of a slot, or
    semantic knowledge. However long nobody asks, it is not outdated by that."""
    states_something = (
        memory.subject is not None or memory.key is not None or memory.kind is Kind.SEMANTIC
    )
    return states_something and memory.valid_to is None and memory.retired_at is None


def review_due_at(strength: Strength) -> datetime | None:
    """Until when its reviews keep a memory from resting; None before the first, and after a lapse."""
    return strength.due_at if strength.repetitions > 0 else None


def touched_at(memory: Memory) -> datetime:
    """The moment from which a memory's idle time counts; it may lie ahead."""
    ended = memory.valid_to if memory.retired_at is None else memory.retired_at
    moments = (
        memory.recorded_at,
        memory.last_accessed_at,
        review_due_at(memory.strength),
        ended,
    )
    return max(moment for moment in moments if moment is not None)


def touched(memory: Memory, now: datetime) -> Memory:
    """The memory touched at `now`, as one that is brought back: it starts to rest anew, or the
    next upkeep would take it away again."""
    return replace(memory, last_accessed_at=max(filter(None, (memory.last_accessed_at, now))))


def rest_of(memory: Memory) -> Rest:
    """What may be done with the memory once it has rested."""
    if memory.state is not State.ACTIVE:
        return Rest.DONE
    states_something = (
        memory.subject is not None or memory.key is not None or memory.kind is Kind.SEMANTIC
    )
    is_long = len(memory.content) >= LONG_CHARS
    return Rest.LONG if is_long and not states_something else Rest.SHORT


def comes_to_rest(memory: Memory) -> bool:
    """Whether the memory can come to rest at all."""
    return not (memory.pinned or memory.held or still_holds(memory)) and memory.state in HOT


def rest_class(memory: Memory) -> int:
    """Where the stores' index has the memory: its rest and the band of its importance."""
    return rest_of(memory) * BANDS + min(BANDS - 1, floor(memory.importance * BANDS))


def classes_of(rest: Rest, below: float) -> list[int]:
    """The classes in which memories of an importance below `below` are found."""
    whole = floor(below * BANDS)
    bands = whole if whole == below * BANDS else whole + 1
    return [rest * BANDS + band for band in range(min(BANDS, max(0, bands)))]


def lifeline_of(memory: Memory, *, vector_bytes: int = 0) -> Lifeline:
    """The lifeline of a memory whose vectors take so many bytes."""
    return Lifeline(
        id=memory.id,
        scope=memory.scope,
        kind=memory.kind,
        state=memory.state,
        importance=memory.importance,
        interval_days=memory.strength.interval_days,
        touched_at=touched_at(memory),
        expires_at=memory.expires_at,
        pinned=memory.pinned,
        held=memory.held,
        holds=still_holds(memory),
        rest=rest_of(memory),
        bytes=len(memory.content.encode("utf-8", "surrogatepass")) + vector_bytes,
    )


def is_due(memory: Memory, due: Due) -> bool:
    """The reference rule of `Store.due`, but for the walls."""
    if due.expired_at is not None and _has_expired(memory, due.expired_at):
        return True
    before = due.rested.get(rest_of(memory))
    return (
        before is not None
        and comes_to_rest(memory)
        and memory.importance < due.below
        and touched_at(memory) <= before
    )


def _has_expired(memory: Memory, now: datetime) -> bool:
    return (
        memory.expires_at is not None
        and memory.expires_at <= now
        and not memory.held
        and memory.state is not State.FORGOTTEN
    )
