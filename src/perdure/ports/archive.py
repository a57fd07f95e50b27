"""The archive: cold storage for whole memories, in batches that are written once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, runtime_checkable

from perdure.domain.batches import Batch, Manifest, Whole


@runtime_checkable
class Archive(Protocol):
    """Keeps batches of whole memories by name.

    It decides nothing: which rows are needed is the store's knowledge. What is given back equals
    what was put, also in type (1 is not 1.0). An archive is one store's; several stores at one
    location do not see each other's batches.

    An archive whose methods never await anything outside Python sets `is_blocking = True` and may
    be called from several threads at once, as a store (`perdure.ports.store.Store`). Every method
    may raise `Unavailable`, which retrying may mend, and `Misconfigured`, which it cannot; none
    reports a failure as an empty result. Reading a batch that was altered or cut off raises
    `CorruptArchive`, one that is not there `NotFound`.
    """

    async def put(self, batch: Batch) -> Manifest:
        """Store a batch under a new name; what was stored, with its checksum.

        Returns when it is durable. `Conflict`, and nothing changed, when something has the name
        already. When it raises anything else, part of the batch may be there; it is then not
        readable under the name, and `delete` removes it. A batch must have rows.
        """
        ...

    async def check(self, name: str) -> Manifest:
        """What the archive holds under the name, after reading all of it back and comparing the
        checksum."""
        ...

    async def manifest(self, name: str) -> Manifest | None:
        """What the archive says it holds under the name, without reading the rows; None when
        there is no whole batch."""
        ...

    async def read(self, name: str, rows: Collection[int] | None = None) -> dict[int, Whole]:
        """The rows with these numbers, all of them for None; the checksum was compared.

        Unknown numbers are left out.
        """
        ...

    async def batches(self) -> list[str]:
        """The names under which anything lies, parts of unfinished batches included; sorted."""
        ...

    async def remnants(self) -> list[str]:
        """The names under which anything lies that is no part of a whole batch; sorted.

        What an interrupted `put`, `drop` or `delete` left, and what another one is just at.
        """
        ...

    async def abandon(self, name: str) -> bool:
        """Remove what there is of an unfinished batch, so that its writer cannot finish it.

        False, and nothing changed, for a whole batch, also for one that becomes whole meanwhile:
        when this returned true no such batch was ever seen whole. A writer that is cut off so gets
        an error from `put`, or finds no batch with `check`. Repeating it, also after a crash in the
        middle, is harmless. `Unavailable` at a place that cannot tell whether one is just being
        finished. Two calls for one batch must not run at once, nor beside `drop`.
        """
        ...

    async def drop(self, name: str, rows: Collection[int]) -> int:
        """Remove rows from a batch for good; how many it had of them. Without any rows it only
        removes what an interrupted call left over.

        The other rows stay readable under their numbers, also while this runs. Afterwards no
        object of the archive holds the dropped ones; a batch without rows is deleted. Repeating
        it, also after a crash in the middle, is harmless; a batch that is not there has none of
        the rows. Two calls for one batch must not run at once.
        """
        ...

    async def delete(self, name: str) -> None:
        """Remove a batch, or what there is of one. Nothing happens when there is nothing."""
        ...
