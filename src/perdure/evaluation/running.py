"""What every evaluation needs to run: a memory of its own, and somebody to tell how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from perdure import sync
from perdure.evaluation.clock import SetClock
from perdure.ports.embedder import Embedder
from perdure.ports.language_model import LanguageModel
from perdure.sync import MemoryManager

Watch = Callable[[int, int, str], None]
"""Takes how many items are done, of how many, and a remark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where an evaluation runs.

    Every item has a user of its own, named `run`/item, so that several runs may share a store and
    what an item left behind can be looked at afterwards. Statements that are no conversation are
    remembered one by one, or given to `observe` as a user's messages when it `observes`.
    """

    store: str | Path = "memory://"
    embedder: Embedder | str | None = None
    language_model: LanguageModel | str = "off"
    tenant: str | None = None
    observes: bool = False
    run: str = "evaluation"

    def user(self, item: str) -> str:
        """The user an item belongs to."""
        return f"{self.run}/{item}"

    @contextmanager
    def opened(self, moment: datetime) -> Iterator[tuple[MemoryManager, SetClock]]:
        """The memory, and the clock it goes by."""
        clock = SetClock(moment)
        with sync.open(
            self.store, embedder=self.embedder, language_model=self.language_model, clock=clock
        ) as memory:
            yield memory.scoped(tenant=self.tenant), clock


def unwatched(_done: int, _total: int, _remark: str) -> None:
    """Nobody looks."""
