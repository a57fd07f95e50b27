"""Reads for the archive: all of a memory at once, and what points where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from perdure.domain.batches import Whole
from perdure.domain.changes import JournalEntry, Vectors
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.stores.postgres.rows import entry_of, memory_of
from perdure.stores.postgres.transactions import Session


async def identity(session: Session) -> str:
    """As the store port says."""
    return str(await session.value("identity"))


async def whole(session: Session, scope: Scope, ids: Sequence[str]) -> dict[str, Whole]:
    """As the store port says. Must be called in a snapshot."""
    asked: dict[str, Any] = {"tenant": scope.tenant, "user_id": scope.user, "ids": list(ids)}
    memories = [memory_of(row) for row in await session.rows("by_id", **asked)]
    entries: dict[str, list[JournalEntry]] = defaultdict(list)
    for row in await session.rows("whole_entries", **asked):
        entries[row["memory_id"]].append(entry_of(row))
    vectors: dict[str, list[Any]] = defaultdict(list)
    model = ""
    for row in await session.rows("whole_vectors", **asked):
        model = row["model"]
        vectors[row["memory_id"]].append(np.asarray(row["embedding"], dtype=np.float32))
    return {
        memory.id: Whole(
            memory=memory,
            entries=tuple(entries[memory.id]),
            vectors=(
                Vectors(model=model, rows=np.stack(vectors[memory.id]))
                if memory.id in vectors
                else None
            ),
        )
        for memory in memories
    }


async def archived_batches(session: Session) -> dict[str, int]:
    """As the store port says."""
    return {row["batch"]: row["memories"] for row in await session.rows("archived_batches")}


async def archived_in(session: Session, batch: str) -> list[Memory]:
    """As the store port says."""
    return [memory_of(row) for row in await session.rows("archived_in", batch=batch)]
