"""The blocking client: the asynchronous one, call by call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perdure.bootstrap import open_blocking
from perdure.config import Settings
from perdure.domain.scope import Scope
from perdure.ports.clock import Clock
from perdure.ports.embedder import Embedder
from perdure.ports.language_model import LanguageModel
from perdure.sync.lifecycle import Lifecycle
from perdure.sync.reading import Reading
from perdure.sync.tasks import Tasks
from perdure.sync.upkeep import Upkeep
from perdure.sync.writing import Writing

if TYPE_CHECKING:  # a program that has no use for them need not load them
    from perdure.context import Context
    from perdure.graph import Graph


class MemoryManager(Writing, Reading, Tasks, Lifecycle, Upkeep):
    """Long-term memory for agents. Made by `perdure.open`; any thread may use it.

    The same calls as `AsyncMemoryManager`, where each one is described.
    """

    def __enter__(self) -> MemoryManager:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def graph(self) -> Graph:
        """The facts as entities and relations."""
        from perdure.graph import Graph

        return Graph(self._core.graph, self._portal)

    def scoped(
        self,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
    ) -> MemoryManager:
        """A view with the same methods, bound to a narrower scope."""
        bound = self._core.scoped(tenant=tenant, agent=agent, user=user, session=session)
        return type(self)(bound, self._portal)

    def context(
        self,
        session: str | None = None,
        *,
        max_tokens: int | None = None,
        observe: bool = False,
        scope: Scope | None = None,
    ) -> Context:
        """Blocking form of `AsyncMemoryManager.context`."""
        from perdure.context import Context

        bound = self._core.context(session, max_tokens=max_tokens, observe=observe, scope=scope)
        return Context(bound, self._portal)

    def close(self, *, timeout: float = 30.0) -> None:
        """Blocking form of `AsyncMemoryManager.close`."""
        try:
            self._portal.call(lambda: self._core.close(timeout=timeout))
        finally:
            if self._core._is_idle:  # otherwise calls are still under way, and need the portal
                self._portal.close()


def open(  # noqa: A001 - `perdure.open` is the name callers are promised
    url: str | Path | None = None,
    *,
    embedder: Embedder | str | None = None,
    language_model: LanguageModel | str | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> MemoryManager:
    """Open a memory.

    `url` is a path or `sqlite:///path.db`, `memory://`, or `postgresql://…`; None takes
    `PERDURE_URL`, or a file in the user's data folder. `embedder` is an `Embedder`, or a name:
    "local" (the bundled model, the default), "hashing", "openai:MODEL", "off", or that of an
    installed plug-in; None takes `PERDURE_EMBEDDER`. `language_model` is a `LanguageModel`, or a
    name: "openai:MODEL", "anthropic:MODEL", "off", or that of an installed plug-in; None takes
    `PERDURE_LANGUAGE_MODEL`, and without it there is none. `clock` tells the time (tests pass a
    fake one).

    Raises `EmbedderMismatch` when the store's vectors were made by another model, `NewerStore`,
    `CorruptStore`, `Misconfigured`, `Unavailable` and `InvalidInput`; then nothing was changed.
    """
    return MemoryManager(
        *open_blocking(
            url,
            embedder=embedder,
            language_model=language_model,
            clock=clock,
            settings=settings,
        )
    )
