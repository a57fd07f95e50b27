"""Carrying out a ruling: the statement as a memory, its facts, and what they take the place of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from perdure.domain import confidence
from perdure.domain.changes import Operation, Vectors
from perdure.domain.clauses import shares_head
from perdure.domain.decisions import Ruling, is_held
from perdure.domain.effects import Effect
from perdure.domain.meetings import Meeting, meeting
from perdure.domain.predicates import Predicates, is_one_thing, slot_key
from perdure.domain.proposals import Statement, Times, times_of
from perdure.domain.readings import Claim, Modality, Relation
from perdure.domain.records import EMPTY, Kind, Memory, Metadata, Source, State
from perdure.domain.scope import Scope
from perdure.domain.slots import close, retire
from perdure.engine.observe_known import Standing
from perdure.engine.observe_working import Working

HELD_IMPORTANCE, OTHER_IMPORTANCE = 0.5, 0.3
"""Importance of words that say something, and of all others."""
TEMPORARY = Metadata({"modality": Modality.TEMPORARY.value})
_BEFORE = timedelta(days=365)
"""How far back something is taken to reach that held "before", when nobody says since when."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a message about to be kept, with the vectors of its words.

    `is_stored`: the words are there already (an assistant's, which the user confirmed).
    """

    memory: Memory
    vectors: Vectors | None
    is_stored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedOut:
    """What a ruling left: the memories made or strengthened, and the ids that were superseded."""

    memories: tuple[Memory, ...]
    superseded: tuple[str, ...]


def words_of(
    content: str, *, memory_id: str, scope: Scope, source: Source, said_at: datetime, now: datetime
) -> Memory:
    """Words as they were said, vouched for by nobody yet."""
    return Memory(
        id=memory_id,
        content=content,
        scope=scope,
        occurred_at=said_at,
        recorded_at=now,
        valid_from=said_at,
        kind=Kind.EPISODIC,
        importance=OTHER_IMPORTANCE,
        confidence=confidence.NOBODY_VOUCHES,
        source=source,
    )


async def carry_out(
    working: Working,
    statement: Statement,
    ruling: Ruling,
    standing: Standing,
    part: Part,
    statement_vectors: Mapping[str, Vectors | None],
    predicates: Predicates,
) -> CarriedOut:
    """Add to the changes what the ruling asks for."""
    if ruling.relation is Relation.SUPERSEDES:
        statement = statement.for_good()
    times = _times(statement, ruling, standing, predicates)
    is_contested = ruling.relation is Relation.CONTRADICTS
    sure = confidence.told(max((claim.confidence for claim in statement.claims), default=1.0))
    memory = replace(
        part.memory,
        importance=HELD_IMPORTANCE,
        confidence=confidence.contested(sure) if is_contested else sure,
    )
    if not part.is_stored:
        memory = replace(memory, **_fields(times))
    closed = [effect.memory for effect in ruling.effects if effect.is_whole]
    memory = replace(memory, supersedes=tuple(item.id for item in closed))
    superseded = [end(working, item, memory, statement.said_at) for item in closed]
    facts = FactsOfStatement(
        working, statement, ruling, times, memory, statement_vectors, predicates
    )
    drawn = await facts.draw(standing)
    superseded += facts.superseded
    superseded += facts.end_the_rest()
    memory = replace(memory, supports=tuple(fact.id for fact in drawn))
    if is_contested:
        memory = contest(working, memory, drawn, ruling.effects, standing)
    if part.is_stored:
        working.change(memory, Operation.REINFORCED, ruling.reason)
    else:
        working.create(memory, part.vectors, ruling.reason)
    drawn = working.seen(drawn)
    return CarriedOut(
        memories=(working.current[memory.id], *drawn),
        superseded=tuple(dict.fromkeys(superseded)),
    )


def _fields(times: Times) -> dict[str, Any]:
    return {
        "occurred_at": times.occurred_at,
        "occurred_until": times.occurred_until,
        "valid_from": times.valid_from,
        "valid_to": times.valid_to,
    }  # fmt: skip


def _times(
    statement: Statement, ruling: Ruling, standing: Standing, predicates: Predicates
) -> Times:
    """When the statement holds; an earlier value ends where the later one begins.

    Only a value does: what happened once before ("it was painted in 2029") ends nothing and stays
    in sight.
    """
    times = statement.times
    if ruling.relation is not Relation.PRECEDES:
        return times
    after = ruling.effects[0].memory
    later = after.valid_from
    is_value = later > statement.said_at or _is_of_one_slot(statement, after, standing, predicates)
    if not is_value:
        return times
    when = statement.sentence.when
    if when is None or when.start >= later:
        begins = min(times.valid_from, later - _BEFORE)
        return replace(times, valid_from=begins, valid_to=later)
    ends = later if when.end is None else min(when.end, later)
    return replace(times, valid_from=when.start, valid_to=ends)


def _is_of_one_slot(
    statement: Statement, other: Memory, standing: Standing, predicates: Predicates
) -> bool:
    """Whether a statement gives another value of what a stored one is about."""
    facts = next((item.facts for item in standing.current if item.memory.id == other.id), ())
    return shares_head(other.content, statement.content) or any(
        meeting(claim, fact, predicates) is Meeting.OTHER_VALUE
        for claim in statement.claims
        for fact in facts
    )


def end(working: Working, old: Memory, new: Memory, said_at: datetime) -> str:
    """Close what the new statement took the place of; its id."""
    until = new.valid_from
    if until <= old.valid_from and old.valid_from < said_at:
        # "Since March" said in June does not undo what was told in May and held until now.
        until = said_at
    after = (
        close(old, by=new.id, until=until)
        if until > old.valid_from
        else retire(old, by=new.id, at=working.now)
    )
    working.change(after, Operation.SUPERSEDED)
    return old.id


class FactsOfStatement:
    """The facts of one statement, drawn into the changes."""

    def __init__(
        self,
        working: Working,
        statement: Statement,
        ruling: Ruling,
        times: Times,
        source: Memory,
        vectors: Mapping[str, Vectors | None],
        predicates: Predicates,
    ) -> None:
        self._working = working
        self._statement = statement
        self._ruling = ruling
        self._times = times
        self._source = source
        self._vectors = vectors
        self._predicates = predicates
        self._said_by = Source(role=source.source.role, speaker=source.source.speaker)
        self.superseded: list[str] = []
        self.drawn: list[Memory] = []

    async def draw(self, standing: Standing) -> list[Memory]:
        """A fact for each claim: the stored one that says the same, or a new one."""
        known = [fact for item in standing.current for fact in item.facts]
        outdated = {fact.id for effect in self._ruling.effects for fact in effect.outdated}
        for claim in self._statement.claims:
            if not is_held(claim):
                continue
            same = next(
                (
                    fact
                    for fact in self._working.seen([*known, *self.drawn])
                    if fact.id not in outdated
                    and fact.superseded_by is None
                    and meeting(claim, fact, self._predicates) is Meeting.SAME
                ),
                None,
            )
            if same is not None and any(fact.id == same.id for fact in self.drawn):
                continue  # the statement says it twice
            if same is not None:
                self.drawn.append(self._strengthen(same))
            elif self._ruling.relation is not Relation.RESTATES:
                self.drawn.append(await self._new(claim))
        return self.drawn

    def _strengthen(self, fact: Memory) -> Memory:
        if self._source.id in fact.provenance:
            return fact
        self._working.change(
            replace(
                fact,
                confidence=confidence.restated(fact.confidence),
                provenance=(*fact.provenance, self._source.id),
            ),
            Operation.REINFORCED,
        )
        return self._working.current[fact.id]

    async def _new(self, claim: Claim) -> Memory:
        """A new fact, in its slot where it has one."""
        fact = self._fact(claim)
        vectors = self._vectors.get(fact.content)
        key = await self._slot(claim)
        if key is None:
            self._working.create(fact, vectors)
            return fact
        succession = await self._working.succeed(replace(fact, key=key), vectors)
        self.superseded.extend(succession.superseded)
        return self._working.current[fact.id]

    def _fact(self, claim: Claim) -> Memory:
        times = self._claim_times(claim)
        sure = confidence.told(claim.confidence)
        is_temporary = claim.modality is Modality.TEMPORARY
        return Memory(
            id=self._working.new_id(),
            content=claim.statement,
            scope=self._source.scope,
            recorded_at=self._working.now,
            kind=Kind.SEMANTIC,
            importance=HELD_IMPORTANCE,
            confidence=(
                confidence.contested(sure)
                if self._ruling.relation is Relation.CONTRADICTS
                else sure
            ),
            metadata=TEMPORARY if is_temporary else EMPTY,
            source=self._said_by,
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            polarity=claim.polarity,
            provenance=(self._source.id,),
            **_fields(times),
        )

    def _claim_times(self, claim: Claim) -> Times:
        """The claim's own times where its words name one, the statement's otherwise."""
        if claim.when is None or self._ruling.relation is Relation.PRECEDES:
            return self._times
        sentence = replace(self._statement.sentence, when=claim.when)
        return times_of(
            sentence,
            self._statement.said_at,
            is_temporary=claim.modality is Modality.TEMPORARY,
        )

    async def _slot(self, claim: Claim) -> str | None:
        """The slot in which the claim takes its place, if it is to take anybody's."""
        single = self._predicates.is_single_valued(
            claim.predicate, otherwise=claim.is_single_valued
        )
        if (
            not single
            or claim.polarity == "-"
            or claim.modality is Modality.TEMPORARY
            or not is_one_thing(claim.subject)
        ):
            return None
        key = slot_key(claim.subject, claim.predicate)
        if self._ruling.relation in (Relation.SUPERSEDES, Relation.PRECEDES):
            return key
        members = await self._working.slot(self._source.scope, key)
        now = self._working.now
        is_taken = any(item.valid_to is None or item.valid_to > now for item in members)
        # Where the rules let both hold, the slot must not choose.
        return None if is_taken else key

    def end_the_rest(self) -> list[str]:
        """Close the facts of superseded statements that no new value closed; their ids."""
        return [
            end(self._working, fact, self._source, self._statement.said_at)
            for effect in self._ruling.effects
            for fact in self._working.seen(effect.outdated)
            if fact.superseded_by is None and fact.state is State.ACTIVE
        ]


def contest(
    working: Working,
    memory: Memory,
    drawn: Sequence[Memory],
    effects: Sequence[Effect],
    standing: Standing,
) -> Memory:
    """Link what cannot hold together, in both directions; the statement with its links."""
    others: list[Memory] = []
    for effect in effects:
        others.append(effect.memory)
        others.extend(
            fact
            for item in standing.current
            if item.memory.id == effect.memory.id
            for fact in item.facts
        )
    mine = _distinct([memory, *drawn])
    shared = {item.id for item in mine}
    others = [item for item in _distinct(others) if item.id not in shared]
    for other in working.seen(others):
        links = _joined(other.contradicts, (item.id for item in mine))
        working.change(
            replace(
                other,
                confidence=confidence.contested(other.confidence),
                contradicts=links,
            )
        )
    ids = [other.id for other in others]
    for fact in working.seen(drawn):
        working.change(replace(fact, contradicts=_joined(fact.contradicts, ids)))
    return replace(memory, contradicts=_joined(memory.contradicts, ids))


def _joined(ids: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ids, *more)))


def _distinct(memories: Iterable[Memory]) -> list[Memory]:
    return list({memory.id: memory for memory in memories}.values())
