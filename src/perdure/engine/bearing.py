"""What is stored that may bear on a message, to be shown to a language model."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from perdure.domain.analysis import query_lexemes
from perdure.domain.query import Condition, Search
from perdure.domain.records import Kind, Memory
from perdure.domain.scope import Scope
from perdure.domain.summaries import is_summary
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.observe_known import VOUCHED, reach_of
from perdure.engine.proposing import Bearing
from perdure.engine.proposing_prompt import Shown

MOST_SHOWN = 24
MOST_CHARS = 500
"""Of each memory: enough for anything said in a few sentences."""


async def bearing_on(core: Core, scope: Scope, content: str, now: datetime) -> list[Bearing]:
    """The vouched-for memories nearest to the words, the nearest first, under short ids.

    Short ids cost few tokens, and a model cannot mistake one character of a long one.
    """
    vectors = await core.embedding.for_search(content)
    view = View(scope=reach_of(scope), now=now)
    found = await core.store.search(
        Search(
            condition=Condition(view=view, filter=VOUCHED),
            vector=None if vectors is None else vectors.rows[0],
            model=None if vectors is None else vectors.model,
            terms=query_lexemes(content),
            limit=MOST_SHOWN,
        )
    )
    nearness = {item.id: (item.cosine or 0.0) + item.lexical for item in found.candidates}
    near = sorted(nearness, key=lambda memory_id: (-nearness[memory_id], memory_id))
    records = await core.store.get(scope, near[:MOST_SHOWN])
    memories = [
        records[memory_id]
        for memory_id in near[:MOST_SHOWN]
        if memory_id in records and not is_summary(records[memory_id])
    ]
    relatives = await _relatives(core, scope, memories)
    return [
        Bearing(
            shown=Shown(
                id=f"m{number}", said=memory.valid_from, text=memory.content[:MOST_CHARS].strip()
            ),
            memory_id=memory.id,
            is_fact=memory.kind is Kind.SEMANTIC,
            relatives=tuple(relatives[other] for other in _related(memory) if other in relatives),
        )
        for number, memory in enumerate(memories, start=1)
    ]


def _related(memory: Memory) -> tuple[str, ...]:
    return memory.provenance if memory.kind is Kind.SEMANTIC else memory.supports


async def _relatives(core: Core, scope: Scope, memories: Iterable[Memory]) -> dict[str, str]:
    """The words of the facts and statements that belong to these memories, by id."""
    wanted = dict.fromkeys(other for memory in memories for other in _related(memory))
    found = await core.store.get(scope, list(wanted)) if wanted else {}
    return {memory_id: memory.content for memory_id, memory in found.items()}
