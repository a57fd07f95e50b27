"""Where tasks under way are kept: a small place that may be lost, and never holds a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from perdure.domain.scope import Scope

if TYPE_CHECKING:
    from perdure.domain.working import TaskKey


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """One task as a store keeps it.

    `version` is at least 1; `document` is JSON text, opaque to the store; `write` is unlike that
    of any other write; `expires_at` is in whole milliseconds.
    """

    key: TaskKey
    version: int
    document: str
    write: str
    expires_at: datetime

    @property
    def order(self) -> tuple[str, str, str]:
        """What listings are sorted by, among the tasks of one user."""
        return (self.key.scope.agent, self.key.scope.session, self.key.name)


@runtime_checkable
class WorkingStore(Protocol):
    """Tasks by their key. Each call is atomic, also against other processes.

    `now` is the caller's clock, and a task that expires at it or before is absent. Scopes and
    names are opaque: no two keys that differ share a task. Each call may raise `Unavailable`, and
    `Misconfigured` when trying again cannot help.
    """

    async def load(self, key: TaskKey, *, now: datetime) -> StoredTask | None:
        """The task, or None when there is none."""
        ...

    async def write(self, task: StoredTask, *, expected: int, now: datetime) -> bool:
        """Store the task if the one there has the version `expected`; 0: if there is none.

        False, and nothing written, when another version is there. The same write again, as after
        an answer that was lost, is true while that write is still the latest.
        """
        ...

    async def delete(self, key: TaskKey, *, expected: int | None, now: datetime) -> bool:
        """Remove the task if it has that version; None: whichever it has. False: not removed."""
        ...

    async def tasks(self, scope: Scope, *, now: datetime) -> list[StoredTask]:
        """The tasks a search in this scope sees (`Scope.admits`), by scope and name."""
        ...

    async def aclose(self) -> None:
        """Let go of connections. May be repeated."""
        ...
