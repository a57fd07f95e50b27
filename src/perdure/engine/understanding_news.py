"""Something remembered deliberately, understood: one record that takes its place among others.

The words stay one memory. Where they state one fact, the memory is that fact. Whoever stores
something deliberately wants it kept, so it takes the place of another memory only where both are
facts of one slot (the same subject and single-valued predicate, or the opposite of the same);
likeness, and the learned verdicts of `observe`, outdate nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from perdure.domain import confidence
from perdure.domain.decisions import is_held, rule
from perdure.domain.predicates import Predicates
from perdure.domain.proposals import Statement
from perdure.domain.readings import Claim, Intent, Modality, Relation, Sentence, Span
from perdure.domain.records import Kind, Memory
from perdure.domain.text import identity_text
from perdure.engine.observe_applying import contest, end
from perdure.engine.observe_known import Standing, slots_of
from perdure.engine.observe_working import Working
from perdure.ports.understanding import Understanding

LONGEST = 2_000
"""Characters up to which something remembered is read as a statement; longer is a document."""
SURE = 0.8
"""Confidence from which a fact read from the words is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """The memory as it is to be stored, and the ids of those whose place it takes."""

    memory: Memory
    superseded: tuple[str, ...] = ()


def is_news(memory: Memory) -> bool:
    """Whether something remembered may bear on what is held: a person's statement, no document,
    not a mere event, and in no slot that the caller named."""
    return (
        memory.kind in (Kind.LONG_TERM, Kind.SEMANTIC)
        and memory.key is None
        and memory.source.role in (None, "user")
        and len(memory.content) <= LONGEST
    )


async def take_in(working: Working, memory: Memory, predicates: Predicates) -> TakenIn:
    """Decide what the memory does to others; their changes are added to `working`."""
    core = working.core
    statement = statement_of(memory, core.understanding)
    if statement is None:
        return TakenIn(memory=memory)
    if not statement.claims:
        return TakenIn(memory=memory)
    standing = await slots_of(core, working, memory.scope, statement, predicates)
    ruling = rule(statement, standing.current, predicates)
    memory = as_fact(memory, statement.claims, standing)
    match ruling.relation:
        case Relation.SUPERSEDES:
            whole = [effect.memory for effect in ruling.effects if effect.is_whole]
            parts = [fact for effect in ruling.effects for fact in effect.outdated]
            memory = replace(memory, supersedes=tuple(item.id for item in whole))
            ended = [
                end(working, old, memory, memory.valid_from)
                for old in dict.fromkeys([*whole, *parts])
                if working.current[old.id].superseded_by is None
            ]
            return TakenIn(memory=memory, superseded=tuple(ended))
        case Relation.CONTRADICTS:
            memory = replace(memory, confidence=confidence.contested(memory.confidence))
            return TakenIn(memory=contest(working, memory, [], ruling.effects, standing))
        case Relation.PRECEDES if ruling.effects[0].memory.valid_from > memory.valid_from:
            later = ruling.effects[0].memory.valid_from
            ends = later if memory.valid_to is None else min(later, memory.valid_to)
            return TakenIn(memory=replace(memory, valid_to=ends))
        case _:
            return TakenIn(memory=memory)


def statement_of(memory: Memory, understanding: Understanding) -> Statement | None:
    """All that the words say as one statement; None when they state nothing that holds.

    What nobody in a conversation would hold, a plain fact about the world, is held here.
    """
    from perdure.understanding import told_fact  # with its rules, when the first words are read

    reading = understanding.read(
        memory.content, at=memory.valid_from, speaker=memory.source.speaker
    )
    held = [
        sentence
        for sentence in reading.sentences
        if sentence.modality.is_held and sentence.is_worth_keeping
    ]
    if not held:
        return None
    changes = any(sentence.intent is Intent.UPDATE for sentence in held)
    is_passing = all(sentence.modality is Modality.TEMPORARY for sentence in held)
    claims = tuple(
        claim
        for sentence in held
        for claim in sentence.claims
        if is_held(claim) and claim.confidence >= SURE
    )
    told = told_fact(memory.content)
    if told is not None:  # a closed form is surer than what the networks find in it
        claims = (told,)
    return Statement(
        content=memory.content,
        sentence=Sentence(
            span=Span(start=0, end=len(memory.content)),
            text=memory.content,
            # Whoever stores something deliberately wants it held, whatever else the words do.
            intent=Intent.UPDATE if changes else Intent.CREATE,
            modality=Modality.TEMPORARY if is_passing else Modality.ASSERTED,
        ),
        said_at=memory.valid_from,
        speaker=memory.source.speaker,
        claims=claims,
    )


def as_fact(memory: Memory, claims: Sequence[Claim], standing: Standing) -> Memory:
    """The memory as the one fact it states; as it is when it states none or several.

    The same words stored before it was understood stay the same words.
    """
    for item in standing.current:
        if identity_text(item.memory.content) == identity_text(memory.content):
            old = item.memory
            return replace(
                memory,
                subject=old.subject,
                predicate=old.predicate,
                object=old.object,
                polarity=old.polarity,
            )
    if len(claims) != 1:
        return memory
    [claim] = claims
    return replace(
        memory,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        polarity=claim.polarity,
    )
