"""Reading the graph of facts: by subject and predicate, by walking, and by what follows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace

from perdure.domain.filters import And, Comparison, Filter, Operator
from perdure.domain.graph import Entity, Inferred, Rule, entities_of, inferred, names_of
from perdure.domain.predicates import NAMING
from perdure.domain.proposals import is_same_name, name_form
from perdure.domain.query import Condition, Position, Query, sort_value
from perdure.domain.records import Memory
from perdure.domain.visibility import View
from perdure.domain.walking import Walk
from perdure.engine.core import Core
from perdure.errors import InvalidInput

PAGE = 5_000
MOST_HOPS = 8

FACT = Comparison(field="predicate", operator=Operator.EXISTS, value=True, attribute=True)


def _any_of(field: str, values: Iterable[str]) -> Comparison:
    return Comparison(
        field=field, operator=Operator.IN, value=tuple(dict.fromkeys(values)), attribute=True
    )


async def _all(core: Core, view: View, *filters: Filter) -> list[Memory]:
    """Every fact the view shows that all filters admit, in the order they were learnt."""
    condition = Condition(view=view, filter=And((FACT, *filters)))
    return [core.accesses.overlay(memory) async for memory in _each(core, condition)]


async def _each(core: Core, condition: Condition) -> AsyncIterator[Memory]:
    """Everything the condition admits, in the order it was learnt."""
    query = Query(condition=condition, limit=PAGE)
    while True:
        page = await core.store.query(query)
        for memory in page:
            yield memory
        if len(page) < PAGE:
            return
        last = page[-1]
        query = replace(query, after=Position(sort_value(last, query.order), last.id))


async def facts(
    core: Core, view: View, *, subject: str | None, predicate: str | None
) -> list[Memory]:
    """The facts about a subject, under any of its names, and of a predicate; all without either."""
    filters: list[Filter] = []
    if subject is not None:
        filters.append(_any_of("subject", await _all_names(core, view, subject)))
    if predicate is not None:
        filters.append(_any_of("predicate", [predicate]))
    return await _all(core, view, *filters)


async def _all_names(core: Core, view: View, name: str) -> list[str]:
    """The name in the cases it is likely written in, and every other name of the same."""
    naming = await _all(core, view, _any_of("predicate", NAMING))
    same = names_of(naming)
    form = name_form(name)
    stands = same.get(form, form)
    written = [
        other
        for fact in naming
        for other in (fact.subject, fact.object)
        if other and same.get(name_form(other), name_form(other)) == stands
    ]
    forms = [name, name.lower(), name.upper(), name.title(), name.capitalize()]
    return list(dict.fromkeys([*forms, *written]))


async def entities(core: Core, view: View, *, name: str | None, kind: str | None) -> list[Entity]:
    """The entities of the facts, by name; those of a name (or alias) and a type."""
    owner = "\n".join(view.scope.walls)
    found = entities_of(await _all(core, view), owner=owner)
    return [
        entity
        for entity in found
        if (kind is None or entity.type == kind)
        and (
            name is None or any(is_same_name(name, each) for each in (entity.name, *entity.aliases))
        )
    ]


async def neighbours(core: Core, view: View, entity: str, *, hops: int) -> list[Memory]:
    """The facts within so many steps of an entity, nearest first."""
    require_hops(hops)
    return await _touching(core, view, await _all_names(core, view, entity), hops=hops)


async def _touching(core: Core, view: View, names: Sequence[str], *, hops: int = 1) -> list[Memory]:
    walk = Walk(condition=Condition(view=view), names=tuple(names), hops=hops)
    return [core.accesses.overlay(fact) for fact in await core.store.neighbours(walk)]


def require_hops(hops: object) -> None:
    """Raise `InvalidInput` unless it is a number of steps that can be walked."""
    if isinstance(hops, bool) or not isinstance(hops, int) or not 1 <= hops <= MOST_HOPS:
        raise InvalidInput(f"hops must be a whole number from 1 to {MOST_HOPS}")


async def path(core: Core, view: View, start: str, goal: str) -> list[Memory]:
    """The facts of a shortest way between two entities; empty when there is none."""
    goals = {name_form(name) for name in await _all_names(core, view, goal)}
    names = await _all_names(core, view, start)
    ways: dict[str, tuple[Memory, ...]] = {name_form(name): () for name in names}
    edge = names
    for _ in range(MOST_HOPS):
        if not edge:
            return []
        following: list[str] = []
        for fact in await _touching(core, view, edge):
            for here, there in ((fact.subject, fact.object), (fact.object, fact.subject)):
                if not here or not there or name_form(here) not in ways:
                    continue
                if name_form(there) in ways or here not in edge:
                    continue
                ways[name_form(there)] = (*ways[name_form(here)], fact)
                following.append(there)
        reached = sorted((len(ways[form]), form) for form in goals & ways.keys())
        if reached:
            return list(ways[reached[0][1]])
        edge = following
    return []


async def contradictions(core: Core, view: View) -> list[tuple[Memory, Memory]]:
    """Pairs that cannot hold together while nothing tells which does, each pair once.

    Facts where there are facts, and otherwise the words.
    """
    believed = {
        memory.id: memory
        async for memory in _each(core, Condition(view=view))
        if memory.contradicts
    }
    pairs: dict[tuple[str, str], tuple[Memory, Memory]] = {}
    for memory in believed.values():
        for other_id in memory.contradicts:
            other = believed.get(other_id)
            if other is not None and (memory.predicate is None) == (other.predicate is None):
                one, two = sorted((memory, other), key=lambda item: item.id)
                pairs[one.id, two.id] = (one, two)
    told = {
        (source, other)
        for one, two in pairs.values()
        if one.predicate is not None
        for source in one.provenance
        for other in two.provenance
    }
    return [
        pair
        for (one_id, two_id), pair in pairs.items()
        if (one_id, two_id) not in told and (two_id, one_id) not in told
    ]


async def infer(
    core: Core,
    view: View,
    rules: Sequence[Rule],
    *,
    subject: str | None,
    predicate: str | None,
) -> list[Inferred]:
    """What follows from the facts by the rules, each with its proof."""
    names = {name for rule in rules for name in (rule.predicate, rule.inverse) if name}
    told = await _all(core, view, _any_of("predicate", names))
    return [
        item
        for item in inferred(told, rules)
        if (predicate is None or item.predicate == predicate)
        and (subject is None or is_same_name(item.subject, subject))
    ]
