"""What a blocking manager consists of."""

from __future__ import annotations

from perdure.client import AsyncMemoryManager
from perdure.domain.scope import Scope
from perdure.running import Portal


class Blocking:
    """The asynchronous manager, and the way into its loop."""

    def __init__(self, core: AsyncMemoryManager, portal: Portal) -> None:
        self._core = core
        self._portal = portal

    @property
    def scope(self) -> Scope:
        """The scope this manager is bound to."""
        return self._core.scope
