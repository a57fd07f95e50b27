"""Tasks kept in the process; they end with it."""

from __future__ import annotations

from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING

from perdure.domain.scope import Scope
from perdure.ports.working_store import StoredTask

if TYPE_CHECKING:
    from perdure.domain.working import TaskKey

_SWEEP_EVERY = 256


class MemoryWorkingStore:
    """A `WorkingStore` in a dictionary. Computes in the calling thread; any thread may call."""

    is_blocking = True

    def __init__(self) -> None:
        self._lock = Lock()
        self._tasks: dict[TaskKey, StoredTask] = {}
        self._writes = 0

    async def load(self, key: TaskKey, *, now: datetime) -> StoredTask | None:
        with self._lock:
            return self._present(key, now)

    async def write(self, task: StoredTask, *, expected: int, now: datetime) -> bool:
        with self._lock:
            self._sweep(now)
            present = self._present(task.key, now)
            if present is not None and present.write == task.write:
                return True
            if (0 if present is None else present.version) != expected:
                return False
            self._tasks[task.key] = task
            return True

    async def delete(self, key: TaskKey, *, expected: int | None, now: datetime) -> bool:
        with self._lock:
            present = self._present(key, now)
            if present is None or expected not in (None, present.version):
                return False
            del self._tasks[key]
            return True

    async def tasks(self, scope: Scope, *, now: datetime) -> list[StoredTask]:
        with self._lock:
            seen = [task for key, task in self._tasks.items() if scope.admits(key.scope)]
        present = (task for task in seen if task.expires_at > now)
        return sorted(present, key=lambda task: task.order)

    async def aclose(self) -> None:
        return None

    def _present(self, key: TaskKey, now: datetime) -> StoredTask | None:
        task = self._tasks.get(key)
        return task if task is not None and task.expires_at > now else None

    def _sweep(self, now: datetime) -> None:
        """Let go of what expired, now and then: a write must not cost as much as all tasks."""
        self._writes += 1
        if self._writes % _SWEEP_EVERY == 0:
            gone = [key for key, task in self._tasks.items() if task.expires_at <= now]
            for key in gone:
                del self._tasks[key]
