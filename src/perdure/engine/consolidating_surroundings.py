"""What lies around the memories that are consolidated: those near in meaning and words, and what
was drawn from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from perdure.domain.analysis import query_lexemes
from perdure.domain.clustering import Item, Pair, names_of, pair, relatedness
from perdure.domain.consolidation import EPISODES
from perdure.domain.query import Condition, Search
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.domain.summaries import is_summary
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.observe_known import VOUCHED
from perdure.engine.observe_working import Working

NEIGHBOURS = 16
"""How many of the nearest memories each arm of the search gives."""
MOST_CHARS = 600
"""Of each memory, what is searched with."""
WORTH_A_LOOK = 0.2
"""Relatedness, names in facts not counted, from which a neighbour is looked at more closely. Below
it, those would have to make up for half of what belonging together takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What consolidation does with one memory, and why."""

    memory: Memory
    reason: str


@dataclass(slots=True)
class Surroundings:
    """Memories by id, how near they are to those in question, and what was drawn from them.

    `links` maps pairs to the relevance of their cosine (None: unknown).
    """

    memories: dict[str, Memory] = field(default_factory=dict)
    links: dict[Pair, float | None] = field(default_factory=dict)
    neighbours: dict[str, list[str]] = field(default_factory=dict)
    drawn: dict[str, Memory] = field(default_factory=dict)

    def of(self, memory: Memory) -> list[Memory]:
        """What was drawn from a memory and is not forgotten."""
        found = (self.drawn.get(memory_id) for memory_id in memory.supports)
        return [item for item in found if item is not None and item.state is not State.FORGOTTEN]

    def facts(self, memory: Memory) -> list[Memory]:
        """The facts drawn from it."""
        return [item for item in self.of(memory) if item.predicate is not None]

    def summary(self, memory: Memory) -> Memory | None:
        """The summary it is part of."""
        return next((item for item in self.of(memory) if is_summary(item)), None)

    def near(self, memory: Memory) -> list[Memory]:
        """The memories linked to it."""
        return [self.memories[name] for name in self.neighbours.get(memory.id, ())]


async def surroundings_of(core: Core, working: Working, memories: Sequence[Memory]) -> Surroundings:
    """Look around some memories. The work grows with them, not with all that is stored."""
    around = Surroundings(memories={memory.id: working.note(memory) for memory in memories})
    vectors = await core.embedding.vectors([memory.content[:MOST_CHARS] for memory in memories])
    for memory, made in zip(memories, vectors, strict=True):
        walls = Scope(tenant=memory.scope.tenant, user=memory.scope.user, agent=memory.scope.agent)
        view = View(scope=walls, now=working.now)
        found = await core.store.search(
            Search(
                condition=Condition(view=view, filter=VOUCHED, kinds=EPISODES),
                vector=None if made is None else made.rows[0],
                model=None if made is None else made.model,
                terms=query_lexemes(memory.content[:MOST_CHARS]),
                limit=NEIGHBOURS,
            )
        )
        for candidate in found.candidates:
            if candidate.id != memory.id:
                relevance = (
                    None
                    if candidate.cosine is None
                    else core.embedding.calibration.relevance(candidate.cosine)
                )
                around.links[pair(memory.id, candidate.id)] = relevance
    await _load(core, working, around, memories)
    return around


async def _load(
    core: Core, working: Working, around: Surroundings, memories: Sequence[Memory]
) -> None:
    """The memories that were found, what was drawn from all, and the rest of their summaries."""
    if not memories:
        return
    walls = memories[0].scope
    found = {name for key in around.links for name in key}
    await _take(core, working, walls, around.memories, found)
    _keep_related(around, memories)
    drawn = [name for memory in around.memories.values() for name in memory.supports]
    await _take(core, working, walls, around.drawn, drawn)
    summaries = [item for item in around.drawn.values() if is_summary(item)]
    members = [name for item in summaries for name in item.provenance]
    await _take(core, working, walls, around.memories, members)


def _keep_related(around: Surroundings, memories: Sequence[Memory]) -> None:
    """Leave out what was found near and has little to do with it: most of it."""
    items = {name: item_of(memory, ()) for name, memory in around.memories.items()}
    around.links = {
        (one, other): relevance
        for (one, other), relevance in around.links.items()
        if one in items
        and other in items
        and relatedness(items[one], items[other], relevance) >= WORTH_A_LOOK
    }
    for one, other in around.links:
        around.neighbours.setdefault(one, []).append(other)
        around.neighbours.setdefault(other, []).append(one)
    asked = {memory.id for memory in memories}
    around.memories = {
        name: memory
        for name, memory in around.memories.items()
        if name in asked or name in around.neighbours
    }


def item_of(memory: Memory, facts: Iterable[Memory], cluster: str | None = None) -> Item:
    """A memory as clustering sees it."""
    return Item(
        id=memory.id,
        at=memory.occurred_at,
        terms=frozenset(query_lexemes(memory.content[:MOST_CHARS])),
        names=names_of(memory, facts),
        cluster=cluster,
    )


async def _take(
    core: Core, working: Working, walls: Scope, into: dict[str, Memory], ids: Iterable[str]
) -> None:
    wanted = [name for name in dict.fromkeys(sorted(ids)) if name not in into]
    if wanted:
        for memory in (await core.store.get(walls, wanted)).values():
            into[memory.id] = working.note(memory)
