"""Corrected words: the facts drawn from the old ones fall, and those of the new ones are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perdure.domain.changes import Change, Operation
from perdure.domain.decisions import TAKES_PLACE, Ruling
from perdure.domain.effects import Effect
from perdure.domain.proposals import Statement, Times
from perdure.domain.readings import Relation
from perdure.domain.records import Kind, Memory, State
from perdure.domain.slots import retire
from perdure.engine.observe_applying import FactsOfStatement, end
from perdure.engine.observe_known import Standing, facts_of
from perdure.engine.observe_working import Working
from perdure.engine.supports import facts_drawn_from
from perdure.engine.understanding_news import as_fact, statement_of


async def rederive(
    working: Working, changes: Sequence[Change], old: Memory, new: Memory, *, was_wrong: bool
) -> Memory:
    """The new memory with what its words state; the correction's changes go into `working`.

    `was_wrong`: the old words were never true, and neither were their facts.
    """
    statement = statement_of(new, working.core.understanding)
    is_fact = old.predicate is not None
    if is_fact:
        new = as_fact(new, () if statement is None else statement.claims, Standing())
    for change in changes:
        if change.before is not None:
            working.note(change.before)
        working.add(replace(change, after=new) if change.after.id == new.id else change)
    falling = await _falling(working, old)
    if was_wrong:
        for fact in falling:
            working.change(retire(fact, by=new.id, at=working.now), Operation.SUPERSEDED)
        falling = []
    if statement is not None and not is_fact and old.supports:
        await _draw(working, statement, new, falling)
    for fact in working.seen(falling):
        if fact.superseded_by is None:
            end(working, fact, new, new.valid_from)
    if is_fact:
        await _end_sources(working, old, new)
    return working.current[new.id]


async def _falling(working: Working, old: Memory) -> list[Memory]:
    """The facts that rest on the old words alone; others stay, without those words."""
    for fact in (await facts_drawn_from(working.core, [old])).values():
        working.note(fact)
    falling = []
    for fact in facts_of(old, working) if old.kind is not Kind.SEMANTIC else ():
        left = tuple(memory_id for memory_id in fact.provenance if memory_id != old.id)
        found = await working.core.store.get(fact.scope, list(left)) if left else {}
        if any(memory.state is not State.FORGOTTEN for memory in found.values()):
            working.change(replace(fact, provenance=left))
        else:
            falling.append(fact)
    return falling


async def _draw(
    working: Working, statement: Statement, new: Memory, falling: Sequence[Memory]
) -> None:
    core = working.core
    effect = Effect(
        relation=Relation.SUPERSEDES, memory=new, probability=1.0, outdated=tuple(falling)
    )
    ruling = Ruling(
        kind="update",
        reason=TAKES_PLACE,
        relation=Relation.SUPERSEDES,
        holds=True,
        effects=(effect,),
    )
    times = Times(
        occurred_at=new.occurred_at,
        occurred_until=new.occurred_until,
        valid_from=new.valid_from,
        valid_to=new.valid_to,
    )
    texts = [claim.statement for claim in statement.claims]
    vectors = dict(zip(texts, await core.embedding.vectors(texts), strict=True))
    drawn = await FactsOfStatement(
        working, statement, ruling, times, new, vectors, core.settings.registry
    ).draw(Standing())
    working.change(replace(new, supports=tuple(fact.id for fact in drawn)))


async def _end_sources(working: Working, old: Memory, new: Memory) -> None:
    """Words whose last current fact was corrected no longer hold either."""
    if not old.provenance:
        return
    for stored in (await working.core.store.get(old.scope, list(old.provenance))).values():
        source = working.note(stored)
        if source.state is not State.ACTIVE or source.superseded_by is not None:
            continue
        for fact in (await facts_drawn_from(working.core, [source])).values():
            working.note(fact)
        if not facts_of(source, working):
            end(working, source, new, new.valid_from)
