"""What every use case works with."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from perdure.config import Settings
from perdure.engine.access import AccessLog
from perdure.engine.contexts import Contexts
from perdure.engine.embedding import Embedding
from perdure.engine.ids import IdFactory
from perdure.engine.maintenance_log import MaintenanceLog
from perdure.engine.short_term import ShortTermBuffers
from perdure.ports.archive import Archive
from perdure.ports.clock import Clock
from perdure.ports.embedder import Embedder
from perdure.ports.store import Store
from perdure.ports.token_counter import TokenCounter
from perdure.ports.understanding import Understanding
from perdure.ports.working_store import WorkingStore

if TYPE_CHECKING:
    from perdure.engine.proposing import Proposer  # most programs have none, and it takes a while


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """One manager's parts, shared by all its bound views."""

    store: Store
    embedding: Embedding
    understanding: Understanding
    clock: Clock
    ids: IdFactory
    settings: Settings
    count_tokens: TokenCounter
    accesses: AccessLog
    short_term: ShortTermBuffers
    working: WorkingStore
    contexts: Contexts
    maintenance: MaintenanceLog
    hash_config: Callable[[], str]
    searching: AbstractContextManager[object]
    """Held while a search computes. One at a time in a program of threads: they would share one
    interpreter anyway, and passing it to and fro in the middle costs as much as the search."""
    adapt_embedder: Callable[[Embedder], Embedder]
    """Makes an embedder that comes later, in `reembed`, run the way this manager runs."""
    archive: Archive | None = None
    """Where memories go that leave the store; none where none is configured."""
    archived_rows: dict[str, int] = field(default_factory=dict)
    """How many rows batches of the archive had when last looked at. They never gain any."""
    proposer: Proposer | None = None
    """A language model that reads what people say, checked by the understanding; if there is one."""

    def now(self) -> datetime:
        """The present moment, aware UTC."""
        return self.clock.now()

    def new_id(self, now: datetime) -> str:
        """A fresh id that sorts by time."""
        return self.ids.new(now)
