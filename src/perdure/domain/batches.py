"""What goes into the archive, and where it lies there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from perdure.domain.changes import JournalEntry, Vectors
from perdure.domain.records import Memory

_SEPARATOR = "#"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """All that is held of one memory: the record, its journal, its vectors.

    `entries` are complete and in order, accesses included. `vectors` are by the model that the
    store used at the time, None where there were none.
    """

    memory: Memory
    entries: tuple[JournalEntry, ...]
    vectors: Vectors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the archive a memory lies; as text it is `Memory.archive`.

    A row keeps its number when other rows leave the batch.
    """

    batch: str
    row: int

    def __str__(self) -> str:
        return f"{self.batch}{_SEPARATOR}{self.row}"


def place_of(text: str) -> Place:
    """The place a `Memory.archive` names. Raises ValueError for a text that names none."""
    batch, _, row = text.rpartition(_SEPARATOR)
    if not batch or not row.isascii() or not row.isdigit():
        raise ValueError(f"{text[:80]!r} is no place in an archive")
    return Place(batch=batch, row=int(row))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """Memories of one tenant that are archived together, by the number of their row."""

    name: str
    made_at: datetime
    rows: Mapping[int, Whole]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the archive holds under one name.

    `rows` are the numbers it has, ascending. `checksum` is the SHA-256 of the object with the
    rows, hexadecimal, and `bytes` that object's size.
    """

    name: str
    made_at: datetime
    rows: tuple[int, ...]
    checksum: str
    bytes: int
