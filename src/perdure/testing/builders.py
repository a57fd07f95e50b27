"""Values for tests that show only the detail that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import numpy as np

from perdure.domain.changes import Change, ChangeSet, Operation, Vectors
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
"""The moment at which things happen unless a test says otherwise."""

ILKA = Scope(user="ilka")
MODEL = "scripted@1/4"
"""The model behind `vectors_of`; four dimensions."""

_numbers = count(1)


def an_id() -> str:
    """An id like the real ones; each is larger than those before it."""
    return f"01983fd0-0000-7000-8000-{next(_numbers):012x}"


def a_memory(
    content: str = "The kettle is blue.",
    *,
    scope: Scope = ILKA,
    at: datetime = NOON,
    **fields: Any,
) -> Memory:
    """A memory that happened, was recorded and began to hold at `at`."""
    times = {"occurred_at": at, "recorded_at": at, "valid_from": at}
    return Memory(**{"id": an_id(), "content": content, "scope": scope, **times, **fields})


def successor(memory: Memory, **fields: Any) -> Memory:
    """The next version of a memory, with these fields replaced."""
    return replace(memory, version=memory.version + 1, **fields)


def forgotten(memory: Memory) -> Memory:
    """The next version of a memory, forgotten."""
    return successor(memory, state=State.FORGOTTEN)


def vectors_of(*rows: Sequence[float], model: str = MODEL) -> Vectors:
    """One vector per row of numbers, each scaled to unit length."""
    return Vectors(model=model, rows=np.stack([unit(row) for row in rows]))


def unit(numbers: Sequence[float]) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The numbers as a float32 vector of unit length."""
    vector = np.asarray(numbers, dtype=np.float64)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def a_change(
    after: Memory,
    *,
    before: Memory | None = None,
    operation: Operation | None = None,
    **fields: Any,
) -> Change:
    """A change to `after`; without `before` it is new."""
    usual = Operation.CREATED if before is None else Operation.UPDATED
    return Change(operation=operation or usual, before=before, after=after, **fields)


def a_change_set(*changes: Change | Memory, at: datetime = NOON, **fields: Any) -> ChangeSet:
    """Changes written together; a bare memory is a new one."""
    given = tuple(item if isinstance(item, Change) else a_change(item) for item in changes)
    return ChangeSet(changes=given, at=at, **fields)
