"""One simulated agent at work: who it is, what it may choose from, and what it is about to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from perdure.client import AsyncMemoryManager
from perdure.domain.certificates import Certificate
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.testing.simulator.model import Fate, Intent, Known, Model
from perdure.testing.simulator.words import Words
from perdure.testing.simulator.world import World

EVERYTHING = ("superseded", "former", "archived", "expired")


@dataclass(frozen=True, slots=True)
class User:
    """One person behind one pair of walls. `number` is in every token of theirs."""

    number: int
    tenant: str
    name: str

    @property
    def scope(self) -> Scope:
        """Everything of this user."""
        return Scope(tenant=self.tenant, user=self.name)

    @property
    def walls(self) -> tuple[str, str]:
        """What must be equal for anything to be readable."""
        return (self.tenant, self.name)


USERS = tuple(
    User(number, tenant, name)
    for number, (tenant, name) in enumerate(
        (("north", "ada"), ("north", "bo"), ("south", "ada"), ("south", "chen"))
    )
)
AGENTS = ("tutor", "clerk")
SESSIONS = ("morning", "evening")


@dataclass(slots=True)
class History:
    """What a simulation keeps over its steps, besides the model.

    Each export comes with the ids of what was forgotten when it was written.
    """

    messages: list[tuple[User, dict[str, Any]]] = field(default_factory=list)
    exports: list[tuple[User, Path, set[str]]] = field(default_factory=list)
    certificates: list[tuple[User, Certificate]] = field(default_factory=list)


class Actor:
    """An agent of a user, in one step of a simulation."""

    def __init__(
        self, world: World, model: Model, words: Words, history: History, chance: Random
    ) -> None:
        self.world = world
        self.model = model
        self.words = words
        self.history = history
        self.chance = chance
        self.intent = Intent()
        self.user = chance.choice(USERS)
        self.agent = chance.choice(AGENTS)
        self.session = chance.choice(SESSIONS)

    @property
    def now(self) -> datetime:
        """The simulated present."""
        return self.world.clock.now()

    @property
    def memory(self) -> AsyncMemoryManager:
        """The manager as this agent has it."""
        return self.world.memory.scoped(
            tenant=self.user.tenant, user=self.user.name, agent=self.agent
        )

    @property
    def of_user(self) -> AsyncMemoryManager:
        """The manager for everything of the user."""
        return self.world.memory.scoped(tenant=self.user.tenant, user=self.user.name)

    @property
    def of_tenant(self) -> AsyncMemoryManager:
        """The manager for the whole tenant."""
        return self.world.memory.scoped(tenant=self.user.tenant)

    def note(self) -> str:
        """Fresh words of this user, which a failed call may have stored."""
        words = self.words.note(self.chance, self.user.number)
        self.intent.says.append(words)
        return words

    def held(self, *states: State) -> list[Known]:
        """What the user has; of these states, if any are named."""
        held = self.model.held(self.user.walls)
        return [item for item in held if not states or item.memory.state in states]

    def some(self, items: list[Known], most: int = 1) -> list[Known]:
        """A few of them."""
        count = min(len(items), self.chance.randint(1, most))
        return self.chance.sample(items, count)

    def may_lose(self, items: list[Known], fate: Fate) -> list[str]:
        """Their ids, noted as what a failed call may have taken."""
        ids = [item.memory.id for item in items]
        self.intent.fates |= dict.fromkeys(ids, fate)
        return ids

    async def sight(self, user: User) -> list[Memory]:
        """Everything of a user that any read shows."""
        manager = self.world.memory.scoped(tenant=user.tenant, user=user.name)
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = await manager.list(limit=50, cursor=cursor, include=EVERYTHING)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found
