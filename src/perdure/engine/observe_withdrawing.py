"""Losing what a message asks to be lost: the statements, their facts, and their echoes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from perdure.domain.analysis import query_lexemes
from perdure.domain.changes import Change, Operation
from perdure.domain.effects import probability
from perdure.domain.filters import Comparison, Operator, Or
from perdure.domain.query import Condition, Search
from perdure.domain.readings import Intent, Reading, Relation
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.domain.summaries import is_summary
from perdure.domain.visibility import Include, View
from perdure.domain.withdrawal import (
    TAKEN_BACK,
    Candidate,
    Request,
    is_echo,
    meant_by,
    points_back,
    repeats_whole,
)
from perdure.engine.core import Core
from perdure.engine.observe_history import Said
from perdure.engine.observe_known import VOUCHED, claim_of, facts_of, reach_of
from perdure.engine.observe_turns import Turn
from perdure.engine.observe_working import Working
from perdure.engine.supports import ON_REQUEST, UNDONE, facts_drawn_from, forgotten, without_support

CANDIDATES = 40
CARRIED_OUT = "it asked for something to be lost"

UNVOUCHED = Comparison(field="confidence", operator=Operator.LTE, value=0, attribute=True)
SAID_BY_PEOPLE = Or(
    (VOUCHED, Comparison(field="role", operator=Operator.EQ, value="user", attribute=True))
)
SURE_ALONE = 0.85
"""How surely words must ask for a loss by themselves when the message in its place does not."""
TELLS = (Intent.CREATE, Intent.UPDATE, Intent.CONSOLIDATE)
"""What a message may want beside a loss: "We called the trip off. Get rid of all of that." """

EVERYTHING: frozenset[Include] = frozenset(("superseded", "former", "archived"))


def request_in(core: Core, turn: Turn, reading: Reading) -> Reading | None:
    """The reading by which the message asks for a loss; None when it asks for none.

    A message that tells something may ask for a loss besides, in a sentence of its own or when it
    is read without what was said before it. One that says nothing to the memory, such as a text to
    work on, asks for none, whatever stands in it.
    """
    if reading.intent is Intent.DELETE or reading.targets:
        return reading
    if reading.intent not in TELLS:
        return None
    alone = core.understanding.read(turn.content, at=turn.at, speaker=turn.speaker)
    if _surely_asks(alone):
        return alone
    asking = (each for each in reading.sentences if each.intent is Intent.DELETE)
    if any(_surely_asks(core.understanding.read(each.text, at=turn.at)) for each in asking):
        return reading
    return None


def _surely_asks(alone: Reading) -> bool:
    return alone.intent is Intent.DELETE and alone.confidence >= SURE_ALONE


async def withdraw(
    core: Core,
    working: Working,
    scope: Scope,
    turn: Turn,
    reading: Reading,
    said: Sequence[Said],
    *,
    keep: Collection[str],
) -> list[str]:
    """Forget what the message means; the ids. `keep` are the parts of the message itself."""
    lost: dict[str, Memory] = {}
    request = _request(core, turn, reading)
    for memory in await _meant(core, working, scope, turn, request, said, keep):
        lost[memory.id] = memory
    if not lost:
        return []
    lost |= {
        memory.id: memory
        for memory in await _echoes(core, working, scope, lost.values(), request.words)
        if memory.id not in keep
    }
    ids = list(lost)
    await _note_facts(core, working, lost.values())
    facts = [
        fact
        for memory in lost.values()
        for fact_id in memory.supports
        if (fact := working.current.get(fact_id)) is not None and fact.id not in lost
    ]
    for memory in working.seen(lost.values()):
        working.add(forgotten(memory, working.now, ON_REQUEST))
    gone = list(lost.values())
    for change in without_support(dict.fromkeys(facts), ids, working.now):
        working.add(change)
        if change.operation is Operation.FORGOTTEN:
            gone.append(change.after)
    await _reopen(core, working, scope, gone)
    return [memory.id for memory in gone]


_INTRODUCES = re.compile(r"[:：](?!\d)")
"""After it stand words that are quoted or to be worked on, not told."""
_CLAUSE = re.compile(r"[,，;；。.!！]\s*")


def requests_to_forget(
    core: Core, working: Working, turn: Turn, parts: Iterable[str], lost: Collection[str]
) -> list[Change]:
    """The changes that take the request's own words out of sight, by the ids of those parts.

    "Forget that I am ill" tells what nobody is to tell any more, and is the best match for every
    question about it. Words that say something else beside the request stay, unless they repeat
    what is lost.
    """
    gone = [working.current[memory_id] for memory_id in lost]
    changes = []
    for part in parts:
        words = working.current[part]
        beside = _said_beside(core, turn, words.content)
        if not beside or any(repeats_whole(beside, memory.content) for memory in gone):
            changes.append(forgotten(words, working.now, CARRIED_OUT))
    return changes


def _said_beside(core: Core, turn: Turn, text: str) -> str:
    """The clauses of a request that ask for no loss and say something."""
    beside = []
    for piece in filter(str.strip, _CLAUSE.split(text)):
        reading = core.understanding.read(piece, at=turn.at)
        says_something = any(sentence.is_worth_keeping for sentence in reading.sentences)
        if reading.intent is not Intent.DELETE and says_something:
            beside.append(piece)
    return " ".join(beside)


def _request(core: Core, turn: Turn, reading: Reading) -> Request:
    """What the message asks to be lost, and the clauses after it that ask for nothing.

    What stands before the request names what it is about ("all about the boat: delete it"); what
    follows and is no request itself may say what is to be kept ("the rest stands").
    """
    asked: list[str] = []
    spared: list[str] = []
    targets = list(reading.targets)
    for sentence in reading.sentences:
        if sentence.intent is not Intent.DELETE:
            continue
        waiting: list[str] = []
        has_asked = False
        for piece in filter(str.strip, _CLAUSE.split(sentence.text)):
            alone = core.understanding.read(piece, at=turn.at)
            if alone.intent is Intent.DELETE:
                asked += [*waiting, piece]
                waiting, has_asked = [], True
                targets += () if reading.targets else alone.targets
            elif has_asked:
                spared.append(piece)
            else:
                waiting.append(piece)
        asked += waiting
    return Request(
        words=" ".join(asked) or turn.content,
        before=_ended_before(reading),
        is_everything=any(target.is_everything for target in targets),
        spared=tuple(spared),
        predicates=frozenset().union(*(target.predicates for target in targets)),
    )


def _ended_before(reading: Reading) -> str:
    """The sentence before the first request, when it tells that something is over or was wrong.

    It says what a request that names nothing means: "The trip is off. Get rid of all of that."
    """
    before = None
    for sentence in reading.sentences:
        if sentence.intent is Intent.DELETE:
            break
        before = sentence
    else:
        return ""
    if before is None or not before.modality.is_held or _INTRODUCES.search(before.text):
        return ""
    if before.intent is not Intent.UPDATE and not (
        before.intent is Intent.CREATE and before.shows_change
    ):
        return ""
    return before.text


async def _note_facts(core: Core, working: Working, memories: Iterable[Memory]) -> None:
    for fact in (await facts_drawn_from(core, memories)).values():
        working.note(fact)


async def _meant(
    core: Core,
    working: Working,
    scope: Scope,
    turn: Turn,
    request: Request,
    said: Sequence[Said],
    keep: Collection[str],
) -> list[Memory]:
    rated = await _rated(core, working, scope, request, keep)
    is_blank = points_back(request.words, rated)
    if is_blank and request.before:
        request = request.with_what_stood_before()
        rated = await _rated(core, working, scope, request, keep)
        is_blank = points_back(request.words, rated)
    names_something = request.is_everything or request.predicates
    if not names_something and is_blank:
        newest = [
            memory
            for memory in _newest(working, turn, said)
            if _withdrawn(core, working, memory, turn.content, None) >= TAKEN_BACK
        ]
        if newest:
            return newest
    return meant_by(request, rated)


async def _rated(
    core: Core, working: Working, scope: Scope, request: Request, keep: Collection[str]
) -> list[Candidate]:
    near = await _search(core, working, scope, request.words)
    candidates = [(memory, cosine) for memory, cosine in near if memory.id not in keep]
    await _note_facts(core, working, (memory for memory, _ in candidates))
    return [
        Candidate(
            memory=memory,
            relevance=core.embedding.calibration.relevance(cosine),
            withdrawn=_withdrawn(core, working, memory, request.words, cosine),
            is_of_kind=request.names_kind_of(facts_of(memory, working)),
            is_of_other_kind=request.names_another_kind_than(facts_of(memory, working)),
        )
        for memory, cosine in candidates
    ]


def _withdrawn(
    core: Core, working: Working, memory: Memory, request: str, cosine: float | None
) -> float:
    verdict = core.understanding.relate(
        memory.content,
        request,
        cosine=core.embedding.understood(cosine),
        old_claims=tuple(map(claim_of, facts_of(memory, working))),
    )
    return probability(verdict, Relation.RETRACTS)


async def _search(
    core: Core, working: Working, scope: Scope, text: str
) -> list[tuple[Memory, float]]:
    """Memories near the words, current or not, with their cosines; an assistant's words are not
    among them unless somebody vouches for them."""
    vectors = await core.embedding.for_search(text)
    view = View(scope=reach_of(scope), now=working.now, include=EVERYTHING)
    found = await core.store.search(
        Search(
            condition=Condition(view=view, filter=SAID_BY_PEOPLE),
            vector=None if vectors is None else vectors.rows[0],
            model=None if vectors is None else vectors.model,
            terms=query_lexemes(text),
            limit=CANDIDATES,
        )
    )
    cosines = {item.id: item.cosine or 0.0 for item in found.candidates}
    records = await core.store.get(scope, list(cosines))
    near = [(working.note(memory), cosines[memory.id]) for memory in records.values()]
    for memory_id in working.made:
        memory = working.current[memory_id]
        if memory.confidence > 0 and memory_id not in cosines:
            near.append((memory, 0.0))
    # A summary goes with what it tells; by itself it is nothing anybody said.
    return [
        (memory, cosine)
        for memory, cosine in near
        if memory.state is not State.FORGOTTEN and not is_summary(memory)
    ]


def _newest(working: Working, turn: Turn, said: Sequence[Said]) -> list[Memory]:
    """What the speaker said last that anybody vouches for: "scratch that"."""
    for item in reversed(said):
        memories = [
            memory
            for memory in working.seen(item.memories)
            if memory.confidence > 0
            and memory.state is not State.FORGOTTEN
            and memory.source.speaker == turn.speaker
        ]
        if memories:
            return [working.note(memory) for memory in memories]
    return []


async def _echoes(
    core: Core, working: Working, scope: Scope, lost: Iterable[Memory], words: str
) -> list[Memory]:
    """Words nobody vouches for, such as an assistant's, that repeat what is lost."""
    lost = list(lost)
    terms = dict.fromkeys(term for memory in lost for term in query_lexemes(memory.content))
    view = View(scope=reach_of(scope), now=working.now, include=EVERYTHING)
    found = await core.store.search(
        Search(
            condition=Condition(view=view, filter=UNVOUCHED),
            vector=None,
            model=None,
            terms=tuple(terms),
            limit=CANDIDATES,
        )
    )
    records = await core.store.get(scope, [item.id for item in found.candidates])
    echoes = []
    for memory in records.values():
        current = working.note(memory)
        if current.state is not State.FORGOTTEN and is_echo(current.content, lost, words):
            echoes.append(current)
    return echoes


async def _reopen(core: Core, working: Working, scope: Scope, lost: Iterable[Memory]) -> None:
    """Let what was superseded by a lost memory, and is not lost itself, hold again."""
    gone = {memory.id for memory in lost}
    ids = [memory_id for memory in lost for memory_id in memory.supersedes]
    if not ids:
        return
    for memory in (await core.store.get(scope, ids)).values():
        current = working.note(memory)
        if current.state is State.SUPERSEDED and current.superseded_by in gone:
            after = replace(
                current,
                state=State.ACTIVE,
                superseded_by=None,
                valid_to=None,
                retired_at=None,
                version=current.version + 1,
            )
            working.add(
                Change(operation=Operation.RESTORED, before=current, after=after, reason=UNDONE)
            )
