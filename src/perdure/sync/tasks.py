"""Working memory: the tasks under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perdure.domain.scope import Scope
from perdure.sync.base import Blocking

if TYPE_CHECKING:
    from perdure.domain.working import Task
    from perdure.working import Working  # many programs have no use for it


class Tasks(Blocking):
    """Working memory: the tasks under way."""

    def working(self, task: str, *, scope: Scope | None = None) -> Working:
        """Blocking form of `AsyncMemoryManager.working`."""
        from perdure.working import Working

        return Working(self._core.working(task, scope=scope), self._portal)

    def working_tasks(self, *, scope: Scope | None = None) -> list[Task]:
        """Blocking form of `AsyncMemoryManager.working_tasks`."""
        return self._portal.call(lambda: self._core.working_tasks(scope=scope))
