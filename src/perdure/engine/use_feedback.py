"""Feedback out of an agent's answer: which of the recalled memories it used."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import cast

from perdure.domain.records import Memory
from perdure.domain.results import Feedback, Hit, Recall, Recalled, RecalledText
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.use_detection import used_among
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.editing import feedback
from perdure.errors import InvalidInput


def ids_recalled(recalled: Recalled) -> list[str]:
    """The ids of what was recalled, each once, in order."""
    if isinstance(recalled, RecalledText):
        return list(dict.fromkeys(item.memory_id for item in recalled.citations))
    if isinstance(recalled, str | bytes) or not isinstance(recalled, Iterable):
        raise InvalidInput(
            "feedback_from needs what recall or recall_context gave, hits, memories or ids, "
            f"not {shown(recalled)}"
        )
    return list(dict.fromkeys(_id_of(item) for item in cast("Iterable[object]", recalled)))


def _id_of(item: object) -> str:
    if isinstance(item, Hit):
        return item.memory.id
    if isinstance(item, Memory):
        return item.id
    if isinstance(item, str) and item:
        return item
    raise InvalidInput(f"a hit, a memory or an id is needed, not {shown(item)}")


async def feedback_from(
    core: Core,
    view: View,
    answer: str,
    recalled: Recalled,
    *,
    question: str | None,
    actor: str | None,
) -> Feedback:
    """Find out what the answer used, and note it as `feedback` does.

    Memories that were forgotten meanwhile are passed over.
    """
    if not isinstance(answer, str):
        raise InvalidInput(f"the answer must be text, not {shown(answer)}")
    if question is None and isinstance(recalled, Recall):
        question = recalled.query
    if question is not None and not isinstance(question, str):
        raise InvalidInput(f"the question must be text, not {shown(question)}")
    ids = ids_recalled(recalled)
    found = await core.store.get(view.scope, ids)
    memories = [found[item] for item in ids if item in found and _has_words(found[item])]
    cited = _cited(answer, recalled)
    flags = used_among(answer, [item.searchable_text for item in memories], question=question or "")
    used = [
        memory.id for memory, is_used in zip(memories, flags, strict=True)
        if is_used or memory.id in cited
    ]  # fmt: skip
    after = await _noted(core, view.scope, used, view.now, actor)
    return Feedback(used=tuple(after), unused=tuple(item for item in ids if item not in used))


def _has_words(memory: Memory) -> bool:
    return bool(memory.content) and memory.state != "forgotten"


def _cited(answer: str, recalled: Recalled) -> frozenset[str]:
    """What the answer names by its label in the recalled text: `[2]`."""
    if not isinstance(recalled, RecalledText):
        return frozenset()
    return frozenset(item.memory_id for item in recalled.citations if f"[{item.label}]" in answer)


async def _noted(
    core: Core, scope: Scope, used: list[str], now: datetime, actor: str | None
) -> list[Memory]:
    if not used:
        return []
    return await feedback(
        core, scope, used, used=True, helpful=None, wrong=False, now=now, actor=actor
    )
