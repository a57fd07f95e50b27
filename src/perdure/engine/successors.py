"""What took the place of outdated memories: it answers what they used to answer.

"The wedding is on the 14th" gives way to "Wrong line, it's the 21st", whose words do not say that
it is about a wedding.
"""

from __future__ import annotations

from collections.abc import Sequence

from perdure.domain.query import Condition
from perdure.domain.records import Memory
from perdure.domain.visibility import View
from perdure.engine.core import Core

MOST_STEPS = 16
"""Replacements that are followed from one outdated memory."""


def may_be_answered_by_successors(view: View) -> bool:
    """Whether a question is about the present and shows no outdated memories by itself."""
    return view.as_of is None and view.known_as_of is None and not view.include


async def successors_of(
    core: Core, memories: Sequence[Memory], condition: Condition
) -> dict[str, Memory]:
    """For each outdated memory, by id, what holds in its place, where the condition admits it."""
    found: dict[str, Memory] = {}
    waiting = {memory.id: memory for memory in memories if memory.superseded_by is not None}
    for _ in range(MOST_STEPS):
        ids = {memory.superseded_by for memory in waiting.values()} - {None}
        if not ids:
            break
        records = await core.store.get(condition.view.scope, sorted(filter(None, ids)))
        following: dict[str, Memory] = {}
        for origin, memory in waiting.items():
            successor = records.get(memory.superseded_by or "")
            if successor is None:
                continue
            if successor.superseded_by is not None:
                following[origin] = successor
            elif condition.admits(successor):
                found[origin] = successor
        waiting = following
    return found
