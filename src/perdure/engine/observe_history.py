"""What was said just before, as the context in which a message is understood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition, Order, Query
from perdure.domain.records import Kind, Memory
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.core import Core

TURNS = 6
"""How many turns are looked back at."""
MEMORIES = 24
"""In how many memories they are looked for: a turn of several sentences is several."""

SPOKEN = parse_filter({"memory.role": {"exists": True}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An earlier turn: who spoke (the role), the words, and the memories that keep them."""

    turn: str
    content: str
    memories: tuple[Memory, ...] = ()


async def recent_turns(
    core: Core, scope: Scope, now: datetime, *, known_as_of: datetime | None = None
) -> list[Said]:
    """The last turns kept in this scope, oldest first; or those that were the last back then."""
    view = View(
        scope=scope,
        now=now,
        known_as_of=known_as_of,
        include=frozenset(("superseded", "former")),
    )
    newest = await core.store.query(
        Query(
            condition=Condition(view=view, filter=SPOKEN, kinds=frozenset((Kind.EPISODIC,))),
            order=Order.RECORDED_AT,
            descending=True,
            limit=MEMORIES,
        )
    )
    turns: list[list[Memory]] = []
    for memory in reversed(newest):
        if turns and _is_same_turn(turns[-1][-1], memory):
            turns[-1].append(memory)
        else:
            turns.append([memory])
    return [_said(memories) for memories in turns[-TURNS:]]


def _is_same_turn(one: Memory, other: Memory) -> bool:
    return one.source == other.source and bool(one.source.message_ids)


def _said(memories: list[Memory]) -> Said:
    return Said(
        turn=memories[0].source.role or "",
        content="".join(memory.content for memory in memories),
        memories=tuple(memories),
    )
