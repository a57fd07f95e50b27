"""Counting recalls without writing on every read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from threading import Lock

from perdure.domain.changes import Accesses
from perdure.domain.ranking import Candidate
from perdure.domain.records import Memory
from perdure.domain.replay import accessed
from perdure.domain.visibility import View

FLUSH_AT = 512
"""Memories with unwritten recalls that make it worth writing them along with the next change."""


class AccessLog:
    """Recalls that are not written yet, so that reading need not write.

    They are written along with a change once enough have gathered, and on close. Losing it (the process is killed) loses counts, never a memory. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._pending: dict[str, Accesses] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def note(self, memories: Iterable[Memory], at: datetime) -> None:
        """Count one recall of each."""
        with self._lock:
            for memory in memories:
                earlier = self._pending.get(memory.id)
                self._pending[memory.id] = Accesses(
                    memory_id=memory.id,
                    scope=memory.scope,
                    count=1 if earlier is None else earlier.count + 1,
                    last_at=at if earlier is None else max(at, earlier.last_at),
                )

    def counted(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The candidates with their unwritten recalls counted in."""
        pending = self._pending
        if not pending:
            return candidates
        return [
            item._replace(accessed_count=item.accessed_count + pending[item.id].count)
            if item.id in pending
            else item
            for item in candidates
        ]

    def overlay(self, memory: Memory) -> Memory:
        """The memory with its unwritten recalls counted in."""
        pending = self._pending.get(memory.id) if self._pending else None
        if pending is None:
            return memory
        return accessed(memory, count=pending.count, last_at=pending.last_at)

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
            taken, self._pending = tuple(self._pending.values()), {}
            return taken

    def give_back(self, taken: Iterable[Accesses]) -> None:
        """Return what could not be written."""
        with self._lock:
            for item in taken:
                newer = self._pending.get(item.memory_id)
                self._pending[item.memory_id] = (
                    item
                    if newer is None
                    else Accesses(
                        memory_id=item.memory_id,
                        scope=item.scope,
                        count=item.count + newer.count,
                        last_at=max(item.last_at, newer.last_at),
                    )
                )
