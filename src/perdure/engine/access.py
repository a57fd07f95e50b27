"""Counting recalls without writing on every read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from perdure.domain.changes import Accesses
from perdure.domain.records import Memory
from perdure.domain.replay import accessed
from perdure.domain.scope import Scope
from perdure.domain.visibility import View

FLUSH_AT = 512
"""Memories with unwritten recalls that make it worth writing them along with the next change."""


@dataclass(slots=True)
class _Recalls:
    """Recalls of one memory that are not written yet."""

    scope: Scope
    count: int
    last_at: datetime


class AccessLog:
    """Recalls that are not written yet, so that reading need not write.

    They are written along with a change once enough have gathered, and on close. Losing it (the
    process is killed) loses counts, never a memory. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pending: dict[str, _Recalls] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def note(self, memories: Iterable[Memory], at: datetime) -> None:
        """Count one recall of each."""
        with self._lock:
            for memory in memories:
                self._add(memory.id, memory.scope, 1, at)

    def _add(self, memory_id: str, scope: Scope, count: int, at: datetime) -> None:
        recalls = self._pending.get(memory_id)
        if recalls is None:
            self._pending[memory_id] = _Recalls(scope, count, at)
            return
        recalls.count += count
        recalls.last_at = max(recalls.last_at, at)

    def counts(self, ids: Iterable[str]) -> list[int]:
        """How many recalls of each memory are not written yet."""
        pending = self._pending
        return [
            0 if (recalls := pending.get(memory_id)) is None else recalls.count for memory_id in ids
        ]

    def overlay(self, memory: Memory) -> Memory:
        """The memory with its unwritten recalls counted in."""
        recalls = self._pending.get(memory.id) if self._pending else None
        if recalls is None:
            return memory
        return accessed(memory, count=recalls.count, last_at=recalls.last_at)

    def last_at(self, memory_id: str) -> datetime | None:
        """When a memory was last recalled, if that is not written yet."""
        recalls = self._pending.get(memory_id)
        return None if recalls is None else recalls.last_at

    def total(self, view: View) -> int:
        """Unwritten recalls of memories in the view's scope."""
        with self._lock:
            return sum(
                item.count for item in self._pending.values() if view.admits_scope(item.scope)
            )

    def take(self, *, at_least: int = 1) -> tuple[Accesses, ...]:
        """Everything pending, which the caller now writes; give it back if that fails.

        Nothing while fewer than `at_least` memories are pending.
        """
        if len(self._pending) < at_least:
            return ()
        with self._lock:
            taken, self._pending = self._pending, {}
        return tuple(
            Accesses(memory_id=memory_id, scope=item.scope, count=item.count, last_at=item.last_at)
            for memory_id, item in taken.items()
        )

    def forget(self, ids: Iterable[str]) -> None:
        """Drop what is not written yet of these memories."""
        with self._lock:
            for memory_id in ids:
                self._pending.pop(memory_id, None)

    def give_back(self, taken: Iterable[Accesses]) -> None:
        """Return what could not be written."""
        with self._lock:
            for item in taken:
                self._add(item.memory_id, item.scope, item.count, item.last_at)
