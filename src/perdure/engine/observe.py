"""Conversation in: each message is kept word for word, understood, decided upon and applied.

One message is one atomic change set, with the precondition that everything it was decided from
still stands; when somebody else wrote meanwhile, it is decided again from fresh state.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from perdure.domain.changes import IdempotencyKey, Refused
from perdure.domain.predicates import Predicates
from perdure.domain.records import Memory, Source, State
from perdure.domain.results import Decision, Observed
from perdure.domain.scope import Scope
from perdure.engine.core import Core
from perdure.engine.observe_deciding import Decided, decide_turn
from perdure.engine.observe_history import Said, recent_turns
from perdure.engine.observe_turns import Turn
from perdure.engine.observe_working import Working
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.writing import Retry, deciding, write
from perdure.errors import Conflict

AGAIN = "this message was observed before"
NOTHING_SAID = "the message has no words"


@dataclass(slots=True)
class _Call:
    """What the messages of one call share."""

    core: Core
    scope: Scope
    predicates: Predicates
    now: datetime
    said: list[Said]
    decisions: list[Decision] = field(default_factory=list)
    memories: dict[str, Memory] = field(default_factory=dict)

    def take(self, position: int, decided: Decided, turn: Turn) -> None:
        """Note what became of a message."""
        for decision in decided.decisions:
            self.decisions.append(replace(decision, message=position))
        self.memories.update((memory.id, memory) for memory in decided.memories)
        kept = [memory for memory in decided.memories if memory.id in decided.parts]
        self.said.append(Said(turn=turn.role, content=turn.content, memories=tuple(kept)))

    @property
    def answer(self) -> Observed:
        return Observed(decisions=tuple(self.decisions), memories=tuple(self.memories.values()))


async def observe(
    core: Core,
    scope: Scope,
    turns: Sequence[Turn],
    *,
    predicates: Predicates,
    now: datetime,
    actor: str | None,
) -> Observed:
    """Store the turns and what they say, one transaction each; every decision with its reason."""
    call = _Call(core, scope, predicates, now, await recent_turns(core, scope, now))
    for position, turn in enumerate(turns):
        if not turn.content:
            call.take(position, Decided(decisions=(_nothing_said(),)), turn)
            continue
        call.take(position, await _observe_turn(call, turn, actor), turn)
    if any(decision.operation == "consolidate" for decision in call.decisions):
        await _tidy(call, actor)
    if core.embedding.backlog:
        await make_up_backlog(core)
    if core.proposer is not None and core.proposer.may_wait(scope) and not call.answer.is_deferred:
        from perdure.engine.observe_deferring import CAUGHT_UP_PER_CALL, catch_up

        await catch_up(core, scope, now=now, actor=actor, limit=CAUGHT_UP_PER_CALL)
    return call.answer


TIDIED_PER_REQUEST = 1_000
"""Memories looked at when a message asks for tidying; whoever waits for an answer waits for this."""


async def _tidy(call: _Call, actor: str | None) -> None:
    """Do what was asked for. What another process is at, that one does; and what it is disturbed
    in is done the next time, for the messages are stored."""
    from perdure.engine.consolidating import consolidate  # rarely asked for

    with suppress(Conflict):
        await consolidate(
            call.core, call.scope, now=call.now, actor=actor, limit=TIDIED_PER_REQUEST
        )


async def decide(
    core: Core, scope: Scope, turns: Sequence[Turn], *, predicates: Predicates, now: datetime
) -> Observed:
    """What `observe` would do with the turns. Nothing is written."""
    call = _Call(core, scope, predicates, now, await recent_turns(core, scope, now))
    working = Working(core=core, now=now)
    for position, turn in enumerate(turns):
        if not turn.content:
            call.take(position, Decided(decisions=(_nothing_said(),)), turn)
            continue
        if _is_for_model(core, turn):
            from perdure.engine.observe_deferring import decide_with_model

            decided = await decide_with_model(working, scope, turn, call.said, predicates)
        else:
            decided = await decide_turn(working, scope, turn, call.said, predicates)
        call.take(position, decided, turn)
    return call.answer


MOST_CHARS_FOR_A_MODEL = 16_000
"""A longer message is read by the rules alone: it is a document rather than something said."""


def _is_for_model(core: Core, turn: Turn) -> bool:
    """Whether a language model is to read the turn: a person's words, not a whole document."""
    return (
        core.proposer is not None and turn.is_users and len(turn.content) <= MOST_CHARS_FOR_A_MODEL
    )


def _nothing_said() -> Decision:
    return Decision(operation="none", reason=NOTHING_SAID)


async def _observe_turn(call: _Call, turn: Turn, actor: str | None) -> Decided:
    core = call.core
    if _is_for_model(core, turn):
        return await _observe_with_model(call, turn, actor)

    async def attempt() -> Decided:
        working = Working(core=core, now=call.now)
        decided = await decide_turn(working, call.scope, turn, call.said, call.predicates)
        key = IdempotencyKey(
            scope=call.scope, key=turn.key, request=turn.request, answer=_answer(decided)
        )
        result = await write(
            core,
            working.changes,
            at=call.now,
            actor=actor,
            slots=tuple(working.slot_states.values()),
            idempotency=(key,),
        )
        if not isinstance(result, Refused):
            core.short_term.forgotten(
                memory for memory in working.current.values() if memory.state is State.FORGOTTEN
            )
            return decided
        return await _before(call, turn, result)

    return await deciding(core, attempt, "observe")


# The modules around language models are imported where one is in use: most programs have none.
async def _observe_with_model(call: _Call, turn: Turn, actor: str | None) -> Decided:
    """Keep the words at once, then let a language model read them."""
    from perdure.engine.observe_deferring import keep_words, read_kept

    core = call.core

    async def attempt() -> Decided:
        kept = await keep_words(core, call.scope, turn, call.predicates, now=call.now, actor=actor)
        if isinstance(kept, Refused):
            return await _before(call, turn, kept)
        return await read_kept(
            core, kept, turn, call.said, call.predicates, now=call.now, actor=actor
        )

    return await deciding(core, attempt, "observe")


async def _before(call: _Call, turn: Turn, refused: Refused) -> Decided:
    """The answer to a message that came before; `Retry` when it was refused for another reason."""
    if refused.clashing:
        raise Conflict(
            f"message id {turn.message_id!r} was observed before with other words; "
            "give the changed message an id of its own"
        )
    if refused.repeated:
        # What was erased names no memories.
        return await _again(call.core, call.scope, refused.repeated[0].get("memories", ()))
    raise Retry


def _answer(decided: Decided) -> dict[str, Any]:
    return {"memories": list(decided.parts)}


async def _again(core: Core, scope: Scope, ids: Sequence[str]) -> Decided:
    """The answer to a message that was observed before: nothing changes."""
    found = await core.store.get(scope, list(ids))
    kept = tuple(
        core.accesses.overlay(found[memory_id])
        for memory_id in ids
        if memory_id in found and found[memory_id].state is not State.FORGOTTEN
    )
    decision = Decision(operation="none", reason=AGAIN, memories=kept)
    return Decided(decisions=(decision,), memories=kept, parts=tuple(item.id for item in kept))


def source_of(turn: Turn) -> Source:
    """Who said the words of a turn."""
    return Source(role=turn.role, speaker=turn.speaker, message_ids=(turn.message_id,))
