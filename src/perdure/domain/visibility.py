"""The one rule every read path goes through: scope, state, expiry, validity at the asked times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope

Include = Literal["superseded", "archived", "former", "expired"]
Status = Literal["current", "former", "contested"]

INCLUDES: frozenset[str] = frozenset(("superseded", "archived", "former", "expired"))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """From where a read looks.

    `as_of` is the moment in the world (None: `now`); `known_as_of` the moment of our knowledge
    (None: everything known). `include` lifts single parts of the rule: "former" shows what does
    not hold at `as_of`, "superseded" also what a correction took back, "archived" and "expired"
    what they say. Forgotten memories are never shown, also not as they were known before they
    were forgotten. `everything` spans the users, agents and sessions of the scope's tenant.
    """

    scope: Scope
    now: datetime
    as_of: datetime | None = None
    known_as_of: datetime | None = None
    include: frozenset[Include] = frozenset()
    everything: bool = False

    @property
    def moment(self) -> datetime:
        """The moment in the world the read is about."""
        return self.now if self.as_of is None else self.as_of

    def admits_walls(self, scope: Scope) -> bool:
        """Whether the walls alone let this scope through."""
        if self.everything:
            return scope.tenant == self.scope.tenant
        return scope.walls == self.scope.walls

    def admits_scope(self, scope: Scope) -> bool:
        """Whether the walls and the narrowing parts let this scope through."""
        if self.everything:
            return scope.tenant == self.scope.tenant
        return self.scope.admits(scope)


def holds(memory: Memory, moment: datetime) -> bool:
    """Whether the memory is valid in the world at `moment`: valid_from <= moment < valid_to."""
    return memory.valid_from <= moment and (memory.valid_to is None or moment < memory.valid_to)


def is_expired(memory: Memory, now: datetime) -> bool:
    """Whether its time to live has run out."""
    return memory.expires_at is not None and memory.expires_at <= now


def is_visible(memory: Memory, view: View) -> bool:
    """Whether a read from `view` may return this memory.

    With `known_as_of`, `memory` must be the record as it stood at that time.
    """
    if memory.state is State.FORGOTTEN or not view.admits_scope(memory.scope):
        return False
    if is_expired(memory, view.now) and "expired" not in view.include:
        return False
    if memory.state is State.ARCHIVED and "archived" not in view.include:
        return False
    if memory.superseded_by is not None and "superseded" in view.include:
        return True
    if memory.retired_at is not None:
        return False
    return "former" in view.include or holds(memory, view.moment)


def is_believed(memory: Memory, now: datetime) -> bool:
    """Whether it holds today, as far as we know."""
    return memory.state is not State.FORGOTTEN and memory.retired_at is None and holds(memory, now)


def status(memory: Memory, now: datetime, *, contested: bool = False) -> Status:
    """How a hit is marked: what holds today, whatever time was asked about.

    `contested`: something that is believed too contradicts it.
    """
    if not is_believed(memory, now):
        return "former"
    return "contested" if contested else "current"
