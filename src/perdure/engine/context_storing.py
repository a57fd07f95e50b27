"""Turns on their way to the store: what leaves a context becomes episodes, through `observe`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from perdure.domain.context.turns import ORDINARY, ContextTurn, words_of
from perdure.domain.results import Observed
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.engine import editing, observe, observe_turns
from perdure.engine.context_entries import Entry
from perdure.engine.core import Core
from perdure.errors import Conflict, NotFound


async def store(core: Core, scope: Scope, entries: Sequence[Entry]) -> list[tuple[str, ...]]:
    """Store the turns' words, in their order; gives the memories that keep each of them.

    Idempotent by the turns' ids: a turn that was stored before stays as it is. What a person said
    in them becomes facts, as with `observe`. With long-term memory off nothing is kept. Durable
    when this returns; after an error, call it again.
    """
    if not core.settings.long_term:
        return [() for _ in entries]
    turns = [entry.turn for entry in entries]
    try:
        observed = await _observe(core, scope, [_message(turn) for turn in turns])
        kept = [_memories_of(observed, turn.id) for turn in turns]
    except Conflict:
        kept = [await _one(core, scope, turn) for turn in turns]
    for turn, memory_ids in zip(turns, kept, strict=True):
        await _weigh(core, scope, turn, memory_ids)
    return kept


async def _observe(core: Core, scope: Scope, messages: Sequence[Mapping[str, Any]]) -> Observed:
    now = core.now()
    made = observe_turns.turns_of(messages, scope, core.settings, now)
    return await observe.observe(
        core, scope, made, predicates=core.settings.registry, now=now, actor=None
    )


def _message(turn: ContextTurn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "content": words_of(turn),
        "name": turn.name,
        "time": iso(turn.at),
        "id": turn.id,
    }


def _memories_of(observed: Observed, turn_id: str) -> tuple[str, ...]:
    return tuple(memory.id for memory in observed.memories if turn_id in memory.source.message_ids)


async def _one(core: Core, scope: Scope, turn: ContextTurn) -> tuple[str, ...]:
    """One turn by itself, since some turn's id was used before for other words.

    It must not stand in the way of all that come after it: its words and time are its name then.
    """
    message = _message(turn)
    try:
        return _memories_of(await _observe(core, scope, [message]), turn.id)
    except Conflict:
        observed = await _observe(core, scope, [{**message, "id": None}])
        return tuple(memory.id for memory in observed.memories if memory.source.message_ids)


async def _weigh(core: Core, scope: Scope, turn: ContextTurn, memory_ids: Sequence[str]) -> None:
    """Hand on that a turn is important."""
    if turn.importance <= ORDINARY:
        return
    for memory_id in memory_ids:
        # What was superseded or forgotten meanwhile has no weight to be given.
        with suppress(NotFound, Conflict):
            await editing.update(
                core, scope, memory_id, now=core.now(), actor=None, expected_version=None,
                content=None, metadata=None, importance=turn.importance, pinned=None, held=None,
                expires_at=editing.KEEP,
            )  # fmt: skip
