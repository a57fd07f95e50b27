"""Drawing facts from words that nobody has read yet, through the same decisions as `observe`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perdure.domain.changes import Operation
from perdure.domain.consolidation import is_episode
from perdure.domain.decisions import rule
from perdure.domain.meetings import Meeting, meeting
from perdure.domain.proposals import Statement
from perdure.domain.records import Kind, Memory, State
from perdure.engine.bearing import bearing_on
from perdure.engine.core import Core
from perdure.engine.observe_applying import Part, carry_out
from perdure.engine.observe_known import Standing, reach_of, slots_of
from perdure.engine.observe_working import Working
from perdure.engine.summarising import Teller
from perdure.engine.understanding_news import LONGEST, statement_of
from perdure.errors import Closed, Misconfigured, Unavailable, UnreadableAnswer
from perdure.ports.understanding import Understanding

DISTILLED = "facts were drawn from it"


def is_unread(memory: Memory, drawn: Sequence[Memory]) -> bool:
    """Whether facts may still have to be drawn from a memory. `drawn` are those it has.

    Messages were read when they were observed, and a memory that is a fact stands for itself. Nor
    is anything drawn from what only an assistant said, from documents and extracts, or from the
    value of a slot that the caller named.
    """
    return (
        is_episode(memory)
        and memory.state is State.ACTIVE
        and not any(fact.predicate is not None for fact in drawn)
        and memory.predicate is None
        and memory.superseded_by is None
        and memory.key is None
        and memory.confidence > 0
        and memory.source.role in (None, "user")
        and not memory.source.message_ids
        and len(memory.content) <= LONGEST
    )


async def distil(working: Working, memory: Memory, teller: Teller) -> list[Memory]:
    """Draw the facts a memory states into the changes; those it made or strengthened.

    The decisions are those of `observe`: a fact takes its place among the others of its slot,
    strengthens one that says the same, or contests what cannot hold beside it. The memory keeps
    its words and its importance.
    """
    core = working.core
    predicates = core.settings.registry
    understanding = await _understanding_of(core, memory, teller)
    statement = statement_of(memory, understanding)
    if statement is None or not statement.claims:
        return []
    standing = await slots_of(core, working, memory.scope, statement, predicates)
    left = _without_known(statement, standing, core)
    if not left.claims:
        return []
    if left.claims != statement.claims:
        statement = left
        standing = await slots_of(core, working, memory.scope, statement, predicates)
    ruling = rule(statement, standing.current, predicates)
    if not ruling.holds:
        return []
    texts = [claim.statement for claim in statement.claims]
    vectors = dict(zip(texts, await core.embedding.vectors(texts), strict=True))
    before = working.note(memory)
    part = Part(memory=before, vectors=None, is_stored=True)
    done = await carry_out(working, statement, ruling, standing, part, vectors, predicates)
    after = working.current[memory.id]
    working.change(
        replace(
            after,
            importance=before.importance,
            confidence=after.confidence if after.contradicts else before.confidence,
            supersedes=_joined(before.supersedes, after.supersedes),
            supports=_joined(before.supports, after.supports),
        ),
        Operation.CONSOLIDATED,
        DISTILLED,
    )
    return [item for item in done.memories if item.id != memory.id]


async def _understanding_of(core: Core, memory: Memory, teller: Teller) -> Understanding:
    """The rules, or the language model's proposal checked by them."""
    if core.proposer is None or not teller.may_ask:
        return core.understanding
    from perdure.engine.proposing import Asking  # most programs have no model

    speaker = memory.source.speaker
    asking = Asking(
        content=memory.content,
        at=memory.valid_from,
        speaker=speaker,
        speaker_names=tuple(name for name in (speaker or memory.scope.user,) if name),
        context=(),
        known=[
            item
            for item in await bearing_on(core, reach_of(memory.scope), memory.content, core.now())
            if item.memory_id != memory.id
        ],
        predicates=core.settings.registry,
    )
    await teller.show_life()
    try:
        return await core.proposer.propose(asking)
    except Closed:
        raise
    except UnreadableAnswer:
        return core.understanding
    except (Unavailable, Misconfigured):
        teller.may_ask = False
        return core.understanding


def _without_known(statement: Statement, standing: Standing, core: Core) -> Statement:
    """The statement without what is held as a memory of its own, told as such."""
    told = [
        fact
        for item in standing.current
        for fact in item.facts
        if fact.kind is not Kind.SEMANTIC or not fact.provenance
    ]
    registry = core.settings.registry
    return replace(
        statement,
        claims=tuple(
            claim
            for claim in statement.claims
            if not any(meeting(claim, fact, registry) is Meeting.SAME for fact in told)
        ),
    )


def _joined(ids: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ids, *more)))
