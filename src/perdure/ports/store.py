"""The store of record: the only truth, written through one atomic change set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Protocol, runtime_checkable

from perdure.domain.batches import Whole
from perdure.domain.changes import (
    Applied,
    ChangeSet,
    JournalEntry,
    Refused,
    TokenVectors,
    Vectors,
)
from perdure.domain.erasure import Erased, Erasure
from perdure.domain.query import Condition, Found, Query, Search
from perdure.domain.records import Memory
from perdure.domain.resting import Crowd, Due, Lifeline
from perdure.domain.scope import Scope
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.domain.walking import Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something `check` found wrong: where, what, and whether it was mended."""

    place: str
    problem: str
    memory_id: str | None = None
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much a view's scope holds.

    `memories` counts every record by its state (`State` values; forgotten ones too); `recalled`
    and `used` are the sums of `accessed_count` and `used_count`; `without_vector` the records that
    no vector finds, but for forgotten ones and stubs. `bytes` is the whole store's, as far as it can be told.
    """

    memories: Mapping[str, int]
    recalled: int
    used: int
    without_vector: int
    bytes: int


@runtime_checkable
class Store(Protocol):
    """Keeps memories, their vectors, and the journal.

    Walls are the store's business too: no method returns anything of another tenant, nor of
    another user unless the view says `everything`. Results depend on nothing outside the view,
    not even through statistics.

    A store whose methods never await anything outside Python sets `is_blocking = True`; the
    blocking client then calls it without an event loop, and the async client through
    `perdure.ports.blocking`. Such a store may be called from several threads at once.
    Every method may raise `Unavailable` (after `close`, `Closed`); none reports a failure as an
    empty result.

    What is given back equals what was written, also in type (1 is not 1.0), and is the caller's:
    altering a nested list in it alters nothing stored.

    Memory ids are unique across the whole store. A store uses the vectors of one model; vectors
    by another are not kept: `apply` then stores the memory without. While there is no model, the
    first vectors written make theirs the one.
    """

    async def apply(self, changes: ChangeSet) -> Applied | Refused:
        """Write everything in the change set, or nothing.

        Returns `Applied` only when it is durable. All preconditions are checked in the same
        transaction; a failed one gives `Refused` with every failure that was found. Writes one
        journal entry per change, in order, and one per access. An empty change set is `Applied`
        and writes nothing; accesses of unknown ids are skipped.
        """
        ...

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids behind the scope's walls, whatever their state.

        Agent and session do not narrow: an id names one memory. Unknown ids are left out.
        """
        ...

    async def slot(self, scope: Scope, key: str) -> list[Memory]:
        """Every unretired, unforgotten memory of exactly this scope with this slot key, ordered
        by (valid_from, id). Expiry and archiving do not take a memory out of its slot."""
        ...

    async def query(self, query: Query) -> list[Memory]:
        """One page, sorted by the order's value and then by id, both in the asked direction.

        `after` need not be the position of a memory that still exists.
        """
        ...

    async def neighbours(self, walk: Walk) -> list[Memory]:
        """The facts within so many steps of the names, among what the condition admits.

        A fact touches its subject and its object; a step goes from the names reached to the facts
        that touch them, and on to what those name. Each fact once, the nearest step first, within
        a step by (recorded_at, id).
        """
        ...

    async def count(self, condition: Condition) -> int:
        """How many memories the condition admits."""
        ...

    async def search(self, search: Search) -> Found:
        """Both arms' best candidates among what the condition admits.

        The vector arm is exact: the `limit` memories with the highest cosine (a memory's cosine
        is the best of its vectors), ties by id. The lexical arm is BM25 as in `domain.lexical`
        with the statistics of exactly the admitted memories: the `limit` highest above 0, ties by
        id. Vectors of another model are ignored. Cosines may be off by 1e-5, lexical scores by
        1e-9, because the order of additions is the store's.

        For `known_as_of` the records are those folded from the journal up to that time
        (`domain.replay`), and a memory has vectors only when its searchable text is still the
        one that is stored now. So it is for `query` and `count`.
        """
        ...

    async def history(self, scope: Scope, memory_id: str) -> list[JournalEntry]:
        """The memory's journal entries in order, without accesses; empty when there is none
        behind the scope's walls. They stay readable after the memory is forgotten."""
        ...

    async def changes_since(
        self, view: View, sequence: int, *, limit: int | None = None
    ) -> list[JournalEntry]:
        """Journal entries the view's scope admits, with a higher sequence, in order, at most
        `limit`. Accesses are among them; of the view only the scope counts."""
        ...

    async def identity(self) -> str:
        """A name of this store that no other has and that never changes; a copy has it too."""
        ...

    async def whole(self, scope: Scope, ids: Sequence[str]) -> dict[str, Whole]:
        """Everything held of these memories, all as of one moment; walls and unknown ids as for
        `get`. The entries are those of the journal, accesses included, in order."""
        ...

    async def archived_batches(self) -> dict[str, int]:
        """How many memories, of any scope and state, point into each batch of the archive.

        For upkeep only, as `archived_in`: its result never reaches a caller.
        """
        ...

    async def archived_in(self, batch: str) -> list[Memory]:
        """The memories of any scope and state whose place (`Memory.archive`) is in this batch."""
        ...

    async def token_vectors(
        self, view: View, ids: Sequence[str], *, model: str
    ) -> dict[str, TokenVectors]:
        """The token vectors by this model of the memories with these ids behind the view's walls.

        They belong to the words that are stored now. Unknown ids, and memories that have none by
        the model, are left out. Token vectors come and go with a memory's `Vectors`: written with
        them, removed with them, and replaced, or removed, whenever others are set.
        """
        ...

    async def lacking_vectors(
        self, model: str, *, tokens: str | None = None, limit: int
    ) -> list[Memory]:
        """Memories of any scope, not forgotten, without vectors by this model; by id.

        With `tokens`, also those that have vectors but no token vectors by that model.
        Stubs are left out: they have no words here.

        For the embedding worker only: its result never reaches a caller.
        """
        ...

    async def put_vectors(self, vectors: Mapping[str, tuple[int, Vectors]]) -> int:
        """Set the vectors of memories by id, each only while its version is the given one.

        Returns how many were set. Vectors are derived, so this leaves no journal entry. Vectors
        by another model than the store's are not set.
        """
        ...

    async def embedding_model(self) -> str | None:
        """Identity of the model whose vectors this store uses; None before the first vectors
        or the first `adopt_model`."""
        ...

    async def adopt_model(self, model: str, *, replacing: str | None) -> bool:
        """Make `model` the one whose vectors are used, if the present one is `replacing`.

        False, and nothing changed, when the present one is another. Vectors of other models are
        used for nothing from then on and are removed. Adopting the present model again is true
        and changes nothing.
        """
        ...

    async def due(self, view: View, due: Due) -> list[Lifeline]:
        """Memories the view's scope admits that rest long enough or have expired, those that were
        touched first first (ties by id), at most `due.limit`.

        `domain.resting.is_due` is the rule. Of the view only the scope counts. Takes time by how
        many memories are due, not by how many there are; `bytes` may be an estimate.
        """
        ...

    async def crowded(self, view: View, *, above: int) -> list[Crowd]:
        """Agents, each of one user, with more than `above` hot memories (`domain.resting.HOT`), by
        scope; the session does not narrow. Takes time by how many such agents there are."""
        ...

    async def residents(self, scope: Scope) -> list[Lifeline]:
        """Every hot memory of exactly this tenant, user and agent, of any session, by id."""
        ...

    async def days_of_use(self, view: View, *, since: date) -> list[DayOfUse]:
        """How often what the view's scope admits was recalled and used, for each day (UTC) from
        `since` on that has anything, oldest first. Of the view only the scope counts.

        Counted as `domain.utility.uses_in` says when accesses and changes are written; it stays
        when the memories go.
        """
        ...

    async def inventory(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """Ids of everything a scope admits, whatever its state, each with what it supports.

        Agent and session narrow. What was erased is left out.
        """
        ...

    async def erase(self, erasure: Erasure) -> Erased | Refused:
        """Take the contents of memories out of everything, or, refused, out of nothing.

        In one transaction: each becomes `domain.erasure.tombstone`, its journal entries lose their
        contents (`ChangeSet.emptied`) and an `ERASED` entry follows; vectors, terms and indexes
        of it go; requests all of whose memories are erased are forgotten. What is withheld from
        then on is kept as marks (`domain.erasure`). Unknown ids and what was erased before are
        passed over. Refused with `held` for memories under a legal hold, with `stale` where
        `is_complete` or a change does not hold any more.

        Returns when it is durable. The bytes may still lie in the files until `compact`.
        """
        ...

    async def withheld(self, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
        """The positions of texts whose words were erased behind the scope's walls."""
        ...

    async def withholding_key(self) -> bytes:
        """The random key that traces are made with, of this store alone; made when first needed."""
        ...

    async def compact(self) -> bool:
        """Free the files of the bytes of what was erased; whether they are free of it now.

        Without an erasure since the last time it does nothing and is true. False when somebody
        else keeps it from being done, or it has to be done by hand; it can be called again.
        """
        ...

    async def lease(self, name: str, *, owner: str, now: datetime, duration: timedelta) -> bool:
        """Take or renew an exclusive right until `now` + `duration`. False while another owner
        holds one that has not run out: until <= `now` has."""
        ...

    async def release(self, name: str, *, owner: str) -> None:
        """Give a lease back; nothing happens when the owner does not hold it."""
        ...

    async def mark(self, name: str) -> int | None:
        """The number kept under a name (`ChangeSet.marks`); None when there is none."""
        ...

    async def sizes(self, view: View) -> Sizes:
        """Counts and bytes for `stats`."""
        ...

    async def check(self, *, repair: bool) -> list[Finding]:
        """Look at every row, index, link and the journal's chain; repair what is derived.

        Empty for a sound store. Records and journal are never altered.
        """
        ...

    async def backup(self, target: Path) -> None:
        """A consistent copy at a path that does not exist yet, made while writes go on.

        `InvalidInput` when something is at the path. A store that cannot (it keeps nothing on
        disk, or its server has its own tools for it) raises `Misconfigured` with the remedy.
        """
        ...

    async def close(self) -> None:
        """Finish what was acknowledged and let go of files, threads and connections.

        Closing again does nothing.
        """
        ...
