"""The asynchronous client: what callers see of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perdure.client.lifecycle import Lifecycle
from perdure.client.reading import Reading
from perdure.client.tasks import Tasks
from perdure.client.upkeep import Upkeep
from perdure.client.writing import Writing
from perdure.domain.scope import Scope
from perdure.errors import InvalidInput

if TYPE_CHECKING:  # a program that has no use for them need not load them
    from perdure.context import AsyncContext
    from perdure.graph import AsyncGraph


class AsyncMemoryManager(Writing, Reading, Tasks, Lifecycle, Upkeep):
    """Long-term memory for agents. Made by `perdure.open_async`.

    Every call takes `scope`; without one the manager's own is used (`scoped` binds one). A bound
    manager never leaves its scope: a call may narrow it, and naming another tenant, user, agent
    or session raises `PermissionDenied`. Times may be datetimes or ISO 8601 text; naive ones are
    UTC. Besides the errors named, any call may raise `Unavailable`, `Misconfigured` and `Closed`.
    """

    async def __aenter__(self) -> AsyncMemoryManager:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def graph(self) -> AsyncGraph:
        """The facts as entities and relations."""
        from perdure.graph import AsyncGraph

        return AsyncGraph(self._core, self._gate, self._within)

    def scoped(
        self,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
    ) -> AsyncMemoryManager:
        """A view with the same methods, bound to a narrower scope.

        A part that is left out, or None, stays as it is. An empty `user` names nobody and is
        `InvalidInput`.
        """
        parts = {"tenant": tenant, "agent": agent, "user": user, "session": session}
        given = Scope(**{name: part for name, part in parts.items() if part is not None})
        if user == "":
            # Most often an id that was never filled in: everybody without one would share.
            raise InvalidInput(
                "user is empty text, which names nobody; pass whose memories they are, or leave "
                "user out for those of no particular user"
            )
        return type(self)(
            self._core,
            self._gate,
            closer=self._closer,
            running=self._running,
            schedule=self._schedule,
            scope=self._within(given),
        )

    def context(
        self,
        session: str | None = None,
        *,
        max_tokens: int | None = None,
        observe: bool = False,
        scope: Scope | None = None,
    ) -> AsyncContext:
        """The turns of a session, and the window of them for the next model call.

        Without `session` the bound or given scope's. `max_tokens` is the budget of a window
        (`Settings.window_tokens` unless given); `observe` stores every turn when it is appended
        instead of when it leaves.
        """
        from perdure.context import AsyncContext

        within = self._within(scope)
        if session is not None:
            bound = self._within(Scope(session=session)).session
            within = within.narrowed(session=bound)
        return AsyncContext(
            self._core, self._gate, scope=within, max_tokens=max_tokens, observe=observe
        )

    async def close(self, *, timeout: float = 30.0) -> None:  # noqa: ASYNC109
        """Finish what was acknowledged, refuse new calls, and let go of files and threads.

        Closing any bound view closes them all. Raises `Unavailable` when calls are still under
        way after `timeout` seconds.
        """
        self._gate.close()
        await self._schedule.stop()
        await self._running.offload(self._gate.wait, timeout)
        await self._closer()
