"""Working memory: the tasks under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perdure.client.base import Bound, call
from perdure.domain.scope import Scope

if TYPE_CHECKING:
    from perdure.domain.working import Task
    from perdure.working import AsyncWorking  # many programs have no use for it


class Tasks(Bound):
    """Working memory: the tasks under way."""

    def working(self, task: str, *, scope: Scope | None = None) -> AsyncWorking:
        """The working memory of one task, under a name that is yours to choose.

        Goal, plan, steps and intermediate results as a tree, for as long as the task takes; what
        matters becomes episodes when it is finished. Kept in the process, or where
        `settings.working` says. Nothing happens before a call of what this gives.
        """
        from perdure.working import AsyncWorking

        return AsyncWorking(self._core, self._gate, task, self._within(scope))

    @call
    async def working_tasks(self, *, scope: Scope | None = None) -> list[Task]:
        """The tasks under way in a scope and in narrower ones, the latest change first."""
        from perdure.engine import working

        return await working.tasks(self._core, self._within(scope), self._core.now())
