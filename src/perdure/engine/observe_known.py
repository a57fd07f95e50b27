"""Finding what is stored that a new statement may bear on, and judging each against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from perdure.domain.analysis import query_lexemes
from perdure.domain.changes import Vectors
from perdure.domain.effects import SURE, probability
from perdure.domain.filters import And, Comparison, Operator, Or
from perdure.domain.meetings import Meeting, meeting
from perdure.domain.predicates import Predicates
from perdure.domain.proposals import Known, Statement
from perdure.domain.query import Condition, Query, Search
from perdure.domain.readings import Claim, Relation, Span, Verdict
from perdure.domain.records import Kind, Memory, State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View, holds
from perdure.engine.core import Core
from perdure.engine.observe_working import Working

CANDIDATES = 24
"""How many memories each arm of the search gives."""
JUDGED, JUDGED_FORMER = 8, 3
"""How many current and how many former statements are judged at most: those that share a slot,
then the nearest. A judgement costs more than all else a message does."""
PER_SLOT = 8

VOUCHED = Comparison(field="confidence", operator=Operator.GT, value=0, attribute=True)
"""Leaves out words that nobody vouches for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a statement meets: current statements, and those that no longer hold."""

    current: tuple[Known, ...] = ()
    former: tuple[Known, ...] = ()


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory and how near it is to the new statement."""

    memory: Memory
    cosine: float | None
    lexical: float

    @property
    def nearness(self) -> float:
        return (self.cosine or 0.0) + self.lexical


def reach_of(scope: Scope) -> Scope:
    """Whose memories a conversation bears on: the user's with this agent, in every session."""
    return replace(scope, session="")


async def standing_of(
    core: Core,
    working: Working,
    scope: Scope,
    statement: Statement,
    vectors: Vectors | None,
    aliases: dict[str, str],
) -> Standing:
    """The stored statements that bear on this one, each with its verdict.

    `aliases` maps other names of somebody or something to the one that is used; both sides of a
    verdict are put under it.
    """
    near = await _near(core, working, scope, statement, vectors)
    gathered = await _with_relatives(core, working, scope, near)
    said = under_one_name(statement.content, aliases)
    current: list[Known] = []
    former: list[Known] = []
    for item, facts in sorted(gathered, key=lambda pair: not _shares_slot(pair[1], statement)):
        is_former = not _is_current(item.memory, working)
        chosen, most = (former, JUDGED_FORMER) if is_former else (current, JUDGED)
        if len(chosen) < most:
            chosen.append(_judged(core, item, facts, said, statement, aliases))
    return Standing(current=tuple(current), former=tuple(former))


def _shares_slot(facts: Sequence[Memory], statement: Statement) -> bool:
    slots = {(claim.subject, claim.predicate) for claim in statement.claims}
    return any((fact.subject, fact.predicate) in slots for fact in facts)


async def slots_of(
    core: Core, working: Working, scope: Scope, statement: Statement, predicates: Predicates
) -> Standing:
    """The current facts in the slots of a statement's own facts; nothing is judged by likeness."""
    view = View(scope=reach_of(scope), now=working.now)
    stored = await _sharing_slots(core, view, statement.claims, kinds=None)
    memories = {memory.id: working.note(memory) for memory in stored}
    for memory_id in working.made:
        memories.setdefault(memory_id, working.current[memory_id])
    facts = [
        _Near(memory, None, 0.0)
        for memory in memories.values()
        if memory.predicate is not None and _is_current(memory, working)
    ]
    gathered = await _with_relatives(core, working, scope, facts)
    met = (
        _met(item.memory, drawn or (item.memory,), statement, predicates)
        for item, drawn in gathered
    )
    return Standing(current=tuple(item for item in met if item is not None))


_BY_SLOT = {
    Meeting.OTHER_VALUE: Relation.SUPERSEDES,
    Meeting.REVERSED: Relation.SUPERSEDES,
    Meeting.SAME: Relation.RESTATES,
}


def _met(
    memory: Memory, facts: tuple[Memory, ...], statement: Statement, predicates: Predicates
) -> Known | None:
    """How facts that were drawn from a memory meet those of a statement; None when none does."""
    meetings = {meeting(claim, fact, predicates) for fact in facts for claim in statement.claims}
    relation = next((rel for kind, rel in _BY_SLOT.items() if kind in meetings), None)
    if relation is None:
        return None
    verdict = Verdict(
        relation=relation, probability=1.0, probabilities={relation: 1.0}, leaned_on=("slot",)
    )
    is_later = memory.valid_from > statement.said_at
    return Known(memory=memory, verdict=verdict, facts=facts, is_later=is_later)


def _is_current(memory: Memory, working: Working) -> bool:
    return (
        memory.state in (State.ACTIVE, State.COMPRESSED)
        and memory.retired_at is None
        and holds(memory, max(working.now, memory.valid_from))
    )


async def _near(
    core: Core,
    working: Working,
    scope: Scope,
    statement: Statement,
    vectors: Vectors | None,
) -> list[_Near]:
    """The nearest vouched-for memories by meaning and words, and those that share a slot."""
    view = View(scope=reach_of(scope), now=working.now, include=frozenset(("superseded", "former")))
    found = await core.store.search(
        Search(
            condition=Condition(view=view, filter=VOUCHED),
            vector=None if vectors is None else vectors.rows[0],
            model=None if vectors is None else vectors.model,
            terms=query_lexemes(statement.content),
            limit=CANDIDATES,
        )
    )
    nearness = {item.id: (item.cosine, item.lexical) for item in found.candidates}
    records = await core.store.get(scope, list(nearness))
    memories = {memory.id: memory for memory in records.values()}
    for memory in await _sharing_slots(core, view, statement.claims):
        memories.setdefault(memory.id, memory)
    near = [
        _Near(working.note(memory), *nearness.get(memory.id, (None, 0.0)))
        for memory in memories.values()
        if memory.state is not State.FORGOTTEN
    ]
    near += _unwritten(working, statement, vectors, {item.memory.id for item in near})
    return sorted(near, key=lambda item: (-item.nearness, item.memory.id))


def _unwritten(
    working: Working, statement: Statement, vectors: Vectors | None, known: set[str]
) -> Iterable[_Near]:
    """Statements of earlier messages that are not in the store yet."""
    for memory_id in working.made:
        memory = working.current[memory_id]
        if memory_id in known or memory.confidence <= 0 or memory.state is State.FORGOTTEN:
            continue
        rows = working.vectors.get(memory_id)
        cosine = None
        if rows is not None and vectors is not None and rows.model == vectors.model:
            cosine = float((rows.rows @ vectors.rows[0]).max())
        yield _Near(memory, cosine, 0.0)


async def _sharing_slots(
    core: Core,
    view: View,
    claims: Sequence[Claim],
    *,
    kinds: frozenset[Kind] | None = frozenset((Kind.SEMANTIC,)),
) -> list[Memory]:
    """Current facts with the subject and predicate of a claim."""
    pairs = list(dict.fromkeys((claim.subject, claim.predicate) for claim in claims))
    if not pairs:
        return []
    either = Or(tuple(And((_is("subject", who), _is("predicate", what))) for who, what in pairs))
    condition = Condition(
        view=replace(view, include=frozenset()),
        kinds=kinds,
        filter=And((VOUCHED, either)),
    )
    return await core.store.query(
        Query(condition=condition, limit=PER_SLOT * len(pairs), descending=True)
    )


def _is(field: str, value: str) -> Comparison:
    return Comparison(field=field, operator=Operator.EQ, value=value, attribute=True)


async def _with_relatives(
    core: Core, working: Working, scope: Scope, near: Sequence[_Near]
) -> list[tuple[_Near, tuple[Memory, ...]]]:
    """Each statement with the current facts drawn from it, the nearest first.

    A fact stands for the statements it was drawn from; one without any stands for itself.
    """
    nearest = near[: 2 * CANDIDATES]
    known = {item.memory.id: item for item in nearest}
    wanted = [
        memory_id
        for item in nearest
        for memory_id in (*item.memory.supports, *item.memory.provenance)
        if memory_id not in known and memory_id not in working.current
    ]
    if wanted:
        for memory in (await core.store.get(scope, list(dict.fromkeys(wanted)))).values():
            working.note(memory)
    gathered: dict[str, _Near] = {}
    for item in nearest:
        for source in _sources(item, working):
            gathered.setdefault(source.memory.id, source)
    return [(item, facts_of(item.memory, working)) for item in gathered.values()]


def _sources(item: _Near, working: Working) -> list[_Near]:
    memory = item.memory
    if memory.kind is not Kind.SEMANTIC or not memory.provenance:
        return [item]
    sources = [
        working.current[memory_id]
        for memory_id in memory.provenance
        if memory_id in working.current
    ]
    alive = [source for source in sources if source.state is not State.FORGOTTEN]
    return [_Near(source, item.cosine, item.lexical) for source in alive] or [item]


def facts_of(memory: Memory, working: Working) -> tuple[Memory, ...]:
    """The current facts drawn from a statement; a fact told as such is its own."""
    if memory.kind is Kind.SEMANTIC:
        return (memory,) if memory.predicate is not None else ()
    facts = (working.current.get(fact_id) for fact_id in memory.supports)
    return tuple(
        fact
        for fact in facts
        if fact is not None
        and fact.predicate is not None  # a summary is no fact
        and fact.state is State.ACTIVE
        and fact.retired_at is None
        and fact.superseded_by is None
    )


def claim_of(fact: Memory) -> Claim:
    """A stored fact as the claim it came from."""
    return Claim(
        subject=fact.subject or "",
        predicate=fact.predicate or "",
        object=fact.object or "",
        span=Span(start=0, end=0),
        statement=fact.content,
        polarity=fact.polarity or "+",
        confidence=fact.confidence,
    )


def under_one_name(text: str, aliases: dict[str, str]) -> str:
    """The text with other names of somebody or something replaced by the one that is used."""
    for other, name in aliases.items():
        if other in text and name not in text:
            text = text.replace(other, name)
    return text


def _judged(
    core: Core,
    item: _Near,
    facts: tuple[Memory, ...],
    said: str,
    statement: Statement,
    aliases: dict[str, str],
) -> Known:
    memory = item.memory
    is_later = memory.valid_from > statement.said_at
    claims = tuple(map(claim_of, facts))
    stored = under_one_name(memory.content, aliases)
    cosine = core.embedding.understood(item.cosine)

    def verdict(old: str, old_claims: Sequence[Claim]) -> Verdict:
        if is_later:
            return core.understanding.relate(
                said, old, cosine=cosine, old_claims=statement.claims, new_claims=old_claims
            )
        return core.understanding.relate(
            old, said, cosine=cosine, old_claims=old_claims, new_claims=statement.claims
        )

    whole = verdict(stored, claims)
    # Single facts matter only where the whole may be outdated.
    apart = len(facts) > 1 and probability(whole, Relation.SUPERSEDES) >= SURE
    return Known(
        memory=memory,
        verdict=whole,
        cosine=cosine,
        facts=facts,
        is_later=is_later,
        fact_verdicts=(
            {
                fact.id: verdict(under_one_name(fact.content, aliases), (claim,))
                for fact, claim in zip(facts, claims, strict=True)
            }
            if apart
            else {}
        ),
    )
