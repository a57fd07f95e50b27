"""What was said several times, and what caused what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from perdure.domain.causality import CausalLink, causal_link, opens_causally
from perdure.domain.changes import Operation
from perdure.domain.consolidation import EPISODES, is_episode, may_be_told, says_the_same
from perdure.domain.query import Condition, Order, Position, Query, sort_value
from perdure.domain.records import Memory, State
from perdure.domain.recurrence import confidence_after, importance_after
from perdure.domain.visibility import View
from perdure.engine.consolidating_surroundings import Step, Surroundings
from perdure.engine.core import Core
from perdure.engine.observe_working import Working

PEOPLE = (None, "user")
"""The roles of those whose word counts."""
LOOKED_BACK = 4
"""How many memories before one are looked at for what it goes on from."""
NEXT = timedelta(minutes=15)
"""Two statements follow each other when no more lies between their recording."""


def strengthen_facts(working: Working, facts: Iterable[Memory]) -> list[Step]:
    """Raise the importance of facts that several memories tell; their confidence rose when they
    were drawn."""
    steps: list[Step] = []
    for fact in working.seen(facts):
        times = len(fact.provenance)
        importance = importance_after(fact.importance, times)
        is_held = fact.state is State.ACTIVE and fact.retired_at is None and not fact.contradicts
        if is_held and importance > fact.importance:
            steps.append(_raised(working, replace(fact, importance=importance), times))
    return steps


def strengthen_repeated(
    working: Working, around: Surroundings, memories: Sequence[Memory]
) -> list[Step]:
    """Raise the first telling of what was said several times in the same words.

    Where facts carry it they are raised instead. What was counted is what is stored, so the same
    telling never counts twice.
    """
    steps: list[Step] = []
    done: set[str] = set()
    for memory in memories:
        if not may_be_told(memory) or around.facts(memory):
            continue
        alike = [
            other
            for other in working.seen(around.near(memory))
            if may_be_told(other)
            and other.scope.agent == memory.scope.agent
            and says_the_same(memory, other)
        ]
        told = sorted(
            (working.current[memory.id], *alike), key=lambda one: (one.recorded_at, one.id)
        )
        first, others = told[0], told[1:]
        if not others or first.id in done:
            continue
        done.add(first.id)
        after = replace(
            first,
            importance=importance_after(first.importance, len(told)),
            confidence=confidence_after(
                first.confidence, max(one.confidence for one in others), len(told)
            ),
        )
        if after != first:
            steps.append(_raised(working, after, len(told)))
    return steps


def _raised(working: Working, after: Memory, times: int) -> Step:
    reason = f"it was said {times} times"
    working.change(after, Operation.CONSOLIDATED, reason)
    return Step(memory=after, reason=reason)


async def link_causes(core: Core, working: Working, memories: Sequence[Memory]) -> list[Step]:
    """Link statements that say of themselves that the one before is their cause or effect."""
    steps: list[Step] = []
    for memory in memories:
        is_told = is_episode(memory) and memory.source.role in PEOPLE
        if not is_told or not opens_causally(memory.content):
            continue
        before = await _before(core, working, memory)
        if before is None:
            continue
        link = causal_link(before.content, memory.content)
        if link is not None:
            steps += _linked(working, before, memory, link)
    return steps


async def _before(core: Core, working: Working, memory: Memory) -> Memory | None:
    """What the same person said just before, in the same place."""
    condition = Condition(view=View(scope=memory.scope, now=working.now), kinds=EPISODES)
    found = await core.store.query(
        Query(
            condition=condition,
            order=Order.RECORDED_AT,
            descending=True,
            limit=LOOKED_BACK,
            after=Position(sort_value(memory, Order.RECORDED_AT), memory.id),
        )
    )
    for other in found:
        is_theirs = (
            other.scope == memory.scope
            and other.source.speaker == memory.source.speaker
            and other.source.role in PEOPLE
        )
        if is_theirs:
            is_next = memory.recorded_at - other.recorded_at <= NEXT
            return working.note(other) if is_next else None
    return None


def _linked(working: Working, before: Memory, after: Memory, link: CausalLink) -> list[Step]:
    cause, effect = (before, after) if link.later_is_effect else (after, before)
    effect = working.current[effect.id]
    if cause.id in effect.causes:
        return []
    reason = f"memory {cause.id} is its cause, as “{link.evidence}” says"
    working.change(
        replace(effect, causes=(*effect.causes, cause.id)), Operation.CONSOLIDATED, reason
    )
    return [Step(memory=effect, reason=reason)]
