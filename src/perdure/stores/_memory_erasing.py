"""Erasing memories of the in-memory store."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.domain.changes import Refused
from perdure.domain.erasure import (
    KEY_BYTES,
    Erased,
    Erasure,
    change_set_of,
    is_erased,
    request_is_erased,
    trace_of_request,
    trace_of_words,
)
from perdure.domain.preconditions import refusal
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.stores._memory_tables import Tables


def inventory(tables: Tables, scope: Scope) -> dict[str, tuple[str, ...]]:
    """As the store port says."""
    memories = (item.memory for item in tables.records.get(scope.walls, {}).values())
    return {
        memory.id: memory.supports
        for memory in memories
        if scope.admits(memory.scope) and not is_erased(memory)
    }


def erase(tables: Tables, erasure: Erasure) -> Erased | Refused:
    """As the store port says. Its owner holds the lock."""
    if erasure.is_complete:
        turned_up = inventory(tables, erasure.scope).keys() - (erasure.ids or frozenset())
        if turned_up:
            return Refused(stale=tuple(sorted(turned_up)))
    memories = _targets(tables, erasure)
    if held := tuple(memory.id for memory in memories if memory.held):
        return Refused(held=held)
    if not memories:
        return Erased()
    changes = change_set_of(erasure, memories)
    refused = refusal(changes, tables.standing(changes))
    if refused is not None:
        return refused
    walls = erasure.scope.walls
    counts = _counts(tables, memories)
    sequence = tables.write(changes)
    return Erased(
        ids=tuple(memory.id for memory in memories),
        counts={**counts, "requests": _withhold(tables, erasure, memories)},
        places=tuple(memory.archive for memory in memories if memory.archive is not None),
        sequence=sequence,
        digest=tables.journal[walls][-1].digest,
    )


def _targets(tables: Tables, erasure: Erasure) -> list[Memory]:
    memories = (item.memory for item in tables.records.get(erasure.scope.walls, {}).values())
    return sorted(
        (
            memory
            for memory in memories
            if (erasure.ids is None or memory.id in erasure.ids) and not is_erased(memory)
        ),
        key=lambda memory: memory.id,
    )


def _counts(tables: Tables, memories: Sequence[Memory]) -> dict[str, int]:
    walls = memories[0].scope.walls
    ids = {memory.id for memory in memories}
    found = [tables.records[walls][memory_id].vectors for memory_id in ids]
    return {
        "memories": len(ids),
        "vectors": sum(len(vectors.rows) for vectors in found if vectors is not None),
        "journal entries": sum(
            entry.memory_id in ids and not entry.is_emptied for entry in tables.journal[walls]
        ),
    }


def _withhold(tables: Tables, erasure: Erasure, memories: Sequence[Memory]) -> int:
    """Forget the requests that stored the memories, and leave traces of requests and words."""
    walls, key = erasure.scope.walls, withholding_key(tables)
    erased = {memory.id for memory in memories}
    gone = [
        name
        for (owner, name), used in tables.used_keys.items()
        if owner == walls and (erasure.ids is None or request_is_erased(used.answer, erased))
    ]
    for name in gone:
        del tables.used_keys[walls, name]
    traces = tables.withheld.setdefault(walls, set())
    traces |= {trace_of_words(key, walls, memory.content) for memory in memories if memory.content}
    traces |= {trace_of_request(key, walls, name) for name in gone}
    return len(gone)


def withholding_key(tables: Tables) -> bytes:
    """The key that traces are made with, made when first needed."""
    if tables.withholding_key is None:
        tables.withholding_key = tables.salts(KEY_BYTES)
    return tables.withholding_key


def withheld(tables: Tables, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
    """As the store port says."""
    key, traces = tables.withholding_key, tables.withheld.get(scope.walls)
    if key is None or not traces:
        return frozenset()
    return frozenset(
        position
        for position, text in enumerate(texts)
        if trace_of_words(key, scope.walls, text) in traces
    )
