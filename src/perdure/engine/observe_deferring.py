"""Messages read by a language model: kept first, read while nothing is locked, and read again
later when the model is out of reach.

The words of a message are stored, marked as waiting, before the model is asked. Its answer is then
decided upon like any reading, in one change set that requires the words still to be waiting. So a
crash, an outage and a second process all lead the same way, and nothing is done twice.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from perdure.domain.answers import AnswerFault
from perdure.domain.changes import IdempotencyKey, Operation, Refused
from perdure.domain.deferral import DEFERRED, FAILED, THINKING, Deferral, deferral_in
from perdure.domain.filters import parse_filter
from perdure.domain.predicates import Predicates
from perdure.domain.query import Condition, Order, Query
from perdure.domain.readings import Intent
from perdure.domain.records import Kind, Memory, Metadata, Source, State
from perdure.domain.results import CaughtUp, Decision
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.bearing import bearing_on
from perdure.engine.core import Core
from perdure.engine.observe_applying import words_of
from perdure.engine.observe_deciding import CONTEXT_TURNS, Decided, decide_turn
from perdure.engine.observe_history import Said, recent_turns
from perdure.engine.observe_turns import Turn
from perdure.engine.observe_working import Kept, Working
from perdure.engine.proposing import Asking, Proposed
from perdure.engine.writing import Retry, deciding, write
from perdure.errors import Closed, Misconfigured, PerdureError, Unavailable, UnreadableAnswer

log = logging.getLogger(__name__)

CAUGHT_UP_PER_CALL = 4
WAITING = parse_filter({DEFERRED: {"exists": True}})
MOST_CAUGHT_UP = 1_000

LATER = "deferred: {cause}; the words are kept and will be read later"
BY_RULES = "read by the rules alone: {cause}"
SETTLED = "read meanwhile by another process"
NOT_TAKEN = "part of the language model's proposal was refused: {parts}"


async def keep_words(
    core: Core,
    scope: Scope,
    turn: Turn,
    predicates: Predicates,
    *,
    now: datetime,
    actor: str | None,
) -> Memory | Refused:
    """Store the words of a turn, marked as waiting; `Refused` when they came before."""
    mark = Deferral(said_at=turn.at, retry_at=now + THINKING, predicates=predicates.given)
    words = words_of(
        turn.content,
        memory_id=core.new_id(now),
        scope=scope,
        source=Source(role=turn.role, speaker=turn.speaker, message_ids=(turn.message_id,)),
        said_at=turn.said_at,
        now=now,
    )
    words = replace(words, metadata=Metadata({DEFERRED: mark.as_json()}))
    [vectors] = await core.embedding.vectors([turn.content], speakers=[turn.speaker])
    working = Working(core=core, now=now)
    working.create(words, vectors)
    key = IdempotencyKey(
        scope=scope, key=turn.key, request=turn.request, answer={"memories": [words.id]}
    )
    result = await write(core, working.changes, at=now, actor=actor, idempotency=(key,))
    return result if isinstance(result, Refused) else words


async def read_kept(
    core: Core,
    words: Memory,
    turn: Turn,
    said: Sequence[Said],
    predicates: Predicates,
    *,
    now: datetime,
    actor: str | None,
) -> Decided:
    """Ask the model about words that are stored, and decide; or leave them waiting."""
    assert core.proposer is not None
    try:
        proposed = await _proposed(core, words.scope, turn, said, predicates, now)
    except BaseException as failure:
        # Whatever happened, and be it that the caller gave up: the words still wait.
        core.proposer.note_waiting(words.scope, is_any=True)
        if isinstance(failure, Closed) or not isinstance(failure, Unavailable | Misconfigured):
            raise
        _tell(core, failure)
        return await _without(core, words, turn, said, predicates, failure, now=now, actor=actor)
    decided = await _settled(
        replace(core, understanding=proposed), words, turn, said, predicates, now=now, actor=actor
    )
    return _with_model(decided, proposed)


async def decide_with_model(
    working: Working, scope: Scope, turn: Turn, said: Sequence[Said], predicates: Predicates
) -> Decided:
    """What the model's reading of a turn would lead to. Nothing is written."""
    core = working.core
    try:
        proposed = await _proposed(core, scope, turn, said, predicates, working.now)
    except Closed:
        raise
    except (Unavailable, Misconfigured) as failure:
        _tell(core, failure)
        if not _waits(core, turn, said, failure):
            return _by_rules(await decide_turn(working, scope, turn, said, predicates), failure)
        reason = LATER.format(cause=failure)
        return Decided(
            decisions=(
                Decision(operation="none", reason=reason, evidence=turn.content, deferred=True),
            )
        )
    working.core = replace(core, understanding=proposed)
    try:
        decided = await decide_turn(working, scope, turn, said, predicates)
    finally:
        working.core = core
    return _with_model(decided, proposed)


async def catch_up(
    core: Core,
    scope: Scope,
    *,
    now: datetime,
    actor: str | None,
    limit: int = MOST_CAUGHT_UP,
    everything: bool = False,
) -> CaughtUp:
    """Read what waits and is due, the oldest first, until the model fails again."""
    waiting = await _waiting(core, scope, now, everything=everything)
    due = [(words, mark) for words, mark in waiting if mark.is_due(now)]
    read = given_up = 0
    for words, mark in due[:limit]:
        decided = await _read_again(core, words, mark, now=now, actor=actor)
        if any(decision.deferred for decision in decided.decisions):
            break  # it would fail for the next one as well; asking at once would only load it
        is_given_up = any(FAILED in memory.metadata for memory in decided.memories)
        given_up, read = given_up + is_given_up, read + (not is_given_up)
    left = len(waiting) - read - given_up
    if not everything and core.proposer is not None:
        core.proposer.note_waiting(scope, is_any=left > 0)
    return CaughtUp(read=read, given_up=given_up, waiting=left)


async def _waiting(
    core: Core, scope: Scope, now: datetime, *, everything: bool
) -> list[tuple[Memory, Deferral]]:
    view = View(scope=scope, now=now, include=frozenset(("former",)), everything=everything)
    found = await core.store.query(
        Query(
            condition=Condition(view=view, filter=WAITING, kinds=frozenset((Kind.EPISODIC,))),
            order=Order.RECORDED_AT,
            limit=MOST_CAUGHT_UP,
        )
    )
    marked = ((memory, deferral_in(memory.metadata)) for memory in found)
    return [(memory, mark) for memory, mark in marked if mark is not None]


async def _read_again(
    core: Core, words: Memory, mark: Deferral, *, now: datetime, actor: str | None
) -> Decided:
    before = await recent_turns(core, words.scope, now, known_as_of=words.recorded_at)
    # Ids sort by time: of what was stored in the same instant, only what came before.
    said = [item for item in before if all(memory.id < words.id for memory in item.memories)]
    predicates = core.settings.registry.extended(mark.predicates)
    turn = _turn_of(words, mark)
    return await read_kept(core, words, turn, said, predicates, now=now, actor=actor)


def _turn_of(words: Memory, mark: Deferral) -> Turn:
    """The turn as it came. Its idempotency key has been written with the words."""
    source = words.source
    return Turn(
        role=source.role or "",
        content=words.content,
        at=mark.said_at,
        speaker=source.speaker,
        message_id=source.message_ids[0] if source.message_ids else "",
        key="",
        request="",
    )


async def _proposed(
    core: Core,
    scope: Scope,
    turn: Turn,
    said: Sequence[Said],
    predicates: Predicates,
    now: datetime,
) -> Proposed:
    assert core.proposer is not None
    names = (turn.speaker, scope.user if turn.speaker is None else None)
    return await core.proposer.propose(
        Asking(
            content=turn.content,
            at=turn.at,
            speaker=turn.speaker,
            speaker_names=tuple(name for name in names if name),
            context=[(item.turn, item.content) for item in said[-CONTEXT_TURNS:]],
            known=await bearing_on(core, scope, turn.content, now),
            predicates=predicates,
        )
    )


def _tell(core: Core, failure: PerdureError) -> None:
    assert core.proposer is not None
    level = logging.ERROR if isinstance(failure, Misconfigured) else logging.WARNING
    log.log(
        level,
        "language_model.failed",
        extra={"model": core.proposer.model, "cause": str(failure)},
    )


def _waits(core: Core, turn: Turn, said: Sequence[Said], failure: PerdureError) -> bool:
    """Whether the reading waits for the model, rather than being left to the rules.

    A request to lose something never waits, and a model that refuses the words would again.
    """
    if isinstance(failure, UnreadableAnswer) and failure.fault == AnswerFault.REFUSED:
        return False
    reading = core.understanding.read(
        turn.content,
        at=turn.at,
        context=[(item.turn, item.content) for item in said[-CONTEXT_TURNS:]],
        speaker=turn.speaker,
    )
    return reading.intent is not Intent.DELETE and not reading.targets


async def _without(
    core: Core,
    words: Memory,
    turn: Turn,
    said: Sequence[Said],
    predicates: Predicates,
    failure: PerdureError,
    *,
    now: datetime,
    actor: str | None,
) -> Decided:
    """What becomes of the words without the model: they wait, or the rules read them."""
    mark = deferral_in(words.metadata)
    if mark is None:
        return _settled_meanwhile()
    asked_s = getattr(failure, "retry_after_s", None)
    later = mark.after_failure(now, str(failure), asked_s=asked_s)
    if not _waits(core, turn, said, failure):
        decided = await _settled(core, words, turn, said, predicates, now=now, actor=actor)
        return _by_rules(decided, failure)
    if later.is_given_up:
        decided = await _settled(
            core, words, turn, said, predicates, now=now, actor=actor, failed=later
        )
        return _by_rules(decided, failure)
    return await _postponed(core, words, later, now=now, actor=actor)


async def _postponed(
    core: Core, words: Memory, later: Deferral, *, now: datetime, actor: str | None
) -> Decided:
    async def attempt() -> Decided:
        current = await _still_waiting(core, words)
        if current is None:
            return _settled_meanwhile()
        metadata = Metadata({**current.metadata, DEFERRED: later.as_json()})
        working = Working(core=core, now=now)
        working.note(current)
        working.change(replace(current, metadata=metadata), Operation.UPDATED, "deferred")
        if isinstance(await write(core, working.changes, at=now, actor=actor), Refused):
            raise Retry
        memory = working.current[current.id]
        decision = Decision(
            operation="none",
            reason=LATER.format(cause=later.cause),
            evidence=memory.content,
            memories=(memory,),
            deferred=True,
        )
        return Decided(decisions=(decision,), memories=(memory,), parts=(memory.id,))

    return await deciding(core, attempt, "observe")


async def _settled(
    core: Core,
    words: Memory,
    turn: Turn,
    said: Sequence[Said],
    predicates: Predicates,
    *,
    now: datetime,
    actor: str | None,
    failed: Deferral | None = None,
) -> Decided:
    """Decide upon words that wait, with the understanding of `core`."""

    async def attempt() -> Decided:
        current = await _still_waiting(core, words)
        if current is None:
            return _settled_meanwhile()
        kept = Kept(memory=current, metadata={} if failed is None else {FAILED: failed.as_failed()})
        working = Working(core=core, now=now, kept=kept)
        decided = await decide_turn(working, words.scope, turn, said, predicates)
        result = await write(
            core,
            working.changes,
            at=now,
            actor=actor,
            slots=tuple(working.slot_states.values()),
        )
        if isinstance(result, Refused):
            raise Retry
        core.short_term.forgotten(
            memory for memory in working.current.values() if memory.state is State.FORGOTTEN
        )
        return decided

    return await deciding(core, attempt, "observe")


async def _still_waiting(core: Core, words: Memory) -> Memory | None:
    """The words as they are stored now; None when nothing is left to be done with them."""
    current = (await core.store.get(words.scope, [words.id])).get(words.id)
    if current is None or current.state is State.FORGOTTEN or DEFERRED not in current.metadata:
        return None
    return current


def _settled_meanwhile() -> Decided:
    return Decided(decisions=(Decision(operation="none", reason=SETTLED),))


def _with_model(decided: Decided, proposed: Proposed) -> Decided:
    """The decisions with what they leaned on, and what of the proposal was not taken."""
    decisions = [
        replace(
            decision,
            leaned_on=tuple(dict.fromkeys((*proposed.leaned_on, *decision.leaned_on))),
        )
        for decision in decided.decisions
    ]
    if proposed.refused:
        reason = NOT_TAKEN.format(parts="; ".join(proposed.refused))
        decisions.append(Decision(operation="none", reason=reason, leaned_on=proposed.leaned_on))
    return replace(decided, decisions=tuple(decisions))


def _by_rules(decided: Decided, failure: PerdureError) -> Decided:
    note = BY_RULES.format(cause=failure)
    return replace(
        decided,
        decisions=tuple(
            replace(decision, reason=f"{decision.reason} ({note})")
            for decision in decided.decisions
        ),
    )
