"""One batch of consolidation: from ids of memories to the changes they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.domain.consolidation import is_episode, may_be_told
from perdure.domain.records import Kind, Memory, State
from perdure.domain.scope import Scope
from perdure.domain.summaries import is_summary
from perdure.engine.consolidating_facts import distil, is_unread
from perdure.engine.consolidating_links import link_causes, strengthen_facts, strengthen_repeated
from perdure.engine.consolidating_summaries import summarise
from perdure.engine.consolidating_surroundings import Step, surroundings_of
from perdure.engine.core import Core
from perdure.engine.observe_working import Working
from perdure.engine.summarising import Teller


async def consolidate_batch(
    core: Core, working: Working, scope: Scope, ids: Sequence[str], teller: Teller
) -> list[Step]:
    """Add to `working` what these memories ask for; what is done with which memory, and why.

    Facts come first, because they may supersede what would otherwise be told in a summary.
    """
    memories = await _concerned(core, working, scope, ids)
    episodes = sorted(
        (memory for memory in memories if is_episode(memory)),
        key=lambda memory: (memory.valid_from, memory.id),
    )
    steps: list[Step] = []
    facts = [memory for memory in memories if _is_fact(memory)]
    for memory in episodes:
        drawn = await _drawn(core, working, memory)
        current = working.note(memory)
        if is_unread(current, drawn):
            made = await distil(working, current, teller)
            facts += made
            steps += [Step(memory=memory, reason=_draws(fact)) for fact in made if _is_fact(fact)]
    steps += strengthen_facts(working, {fact.id: fact for fact in facts}.values())
    told = [memory for memory in working.seen(episodes) if may_be_told(memory)]
    around = await surroundings_of(core, working, told)
    steps += strengthen_repeated(working, around, told)
    steps += await summarise(working, around, teller)
    steps += await link_causes(core, working, working.seen(episodes))
    return steps


async def _concerned(
    core: Core, working: Working, scope: Scope, ids: Sequence[str]
) -> list[Memory]:
    """The memories as they stand, and in place of a forgotten summary what it was made of."""
    found = await _get(core, working, scope, ids)
    lost = [
        name
        for memory in found
        if memory.state is State.FORGOTTEN and is_summary(memory)
        for name in memory.provenance
    ]
    known = {memory.id for memory in found}
    return found + await _get(core, working, scope, [name for name in lost if name not in known])


async def _get(core: Core, working: Working, scope: Scope, ids: Iterable[str]) -> list[Memory]:
    wanted = list(dict.fromkeys(ids))
    found = await core.store.get(scope, wanted) if wanted else {}
    return [
        working.note(found[name])
        for name in wanted
        if name in found and scope.admits(found[name].scope)
    ]


async def _drawn(core: Core, working: Working, memory: Memory) -> list[Memory]:
    return await _get(
        core, working, Scope(tenant=memory.scope.tenant, user=memory.scope.user), memory.supports
    )


def _is_fact(memory: Memory) -> bool:
    return memory.kind is Kind.SEMANTIC and memory.predicate is not None


def _draws(fact: Memory) -> str:
    return f"it states: {fact.content}"
