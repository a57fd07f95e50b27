"""What every system under test must offer, so that one suite measures them all.

A system is one class. Texts come with precomputed vectors, so no encoder is ever in the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from benchmarks.data import Item, Query, VectorTable

K = 10
"""How many memories a recall asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A narrowing of one recall; the parts that are set must all hold.

    `since` is inclusive and `until` exclusive, both about `Item.occurred_at`.
    """

    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    channel: str | None = None


FilterName = Literal["kind", "time", "metadata"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a system's figures mean, printed beside them.

    `search` names what one recall does; `durable` says when an add is acknowledged; `processes`
    tells whether several processes may write one store.
    """

    search: str
    durable: str
    processes: bool = True
    filters: frozenset[FilterName] = field(
        default_factory=lambda: frozenset[FilterName](("kind", "time", "metadata"))
    )
    note: str = ""


class System(Protocol):
    """One store of memories on one path."""

    name: str
    traits: Traits

    def setup(self, path: Path, vectors: VectorTable) -> None:
        """Open the store at the folder `path`, creating it when it is empty."""

    def versions(self) -> dict[str, str]:
        """The versions of what does the work, by distribution name."""

    def add(self, item: Item) -> str:
        """Store one memory and return its id once the system acknowledges it."""

    def add_many(self, items: Sequence[Item]) -> list[str]:
        """Store memories by the system's fastest call that acknowledges them together."""

    def count(self) -> int:
        """How many memories the store holds, of all users."""

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        """The texts of the best `k` memories of `query.user`, best first."""

    def get(self, memory_id: str, user: str) -> str:
        """The text of one memory."""

    def newest(self, user: str, limit: int) -> list[str]:
        """The texts of the user's newest memories."""

    def update(self, memory_id: str, user: str, item: Item) -> None:
        """Replace one memory's text, vector and metadata."""

    def delete(self, memory_id: str, user: str) -> None:
        """Make one memory unreadable."""

    def close(self) -> None:
        """Finish what was acknowledged and let go of the path."""


class BulkSystem(System, Protocol):
    """A system that also loads a file of its own making."""

    def write_import_file(self, items: Sequence[Item], path: Path) -> None:
        """Write `items` as the file that `import_file` reads. Not timed."""

    def import_file(self, path: Path) -> int:
        """Load the file into this store; returns how many memories it held."""


class VectorSystem(System, Protocol):
    """A system whose vector arm can be asked alone."""

    def nearest(self, query: Query, k: int) -> list[str]:
        """The texts of the `k` memories of `query.user` nearest to `query.vector`."""
