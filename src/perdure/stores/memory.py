"""The in-memory store: the reference that the others agree with, and a store without a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import Path
from secrets import token_bytes
from threading import RLock

from perdure.domain.batches import Whole, place_of
from perdure.domain.changes import (
    Applied,
    ChangeSet,
    JournalEntry,
    Operation,
    Refused,
    TokenVectors,
    Vectors,
)
from perdure.domain.erasure import Erased, Erasure
from perdure.domain.preconditions import refusal
from perdure.domain.query import Condition, Found, Query, Search
from perdure.domain.records import Memory, State
from perdure.domain.resting import HOT, Crowd, Due, Lifeline
from perdure.domain.scope import Scope
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.domain.walking import Walk
from perdure.errors import Closed, Misconfigured
from perdure.ports.store import Finding, Sizes
from perdure.stores import _memory_erasing as erasing
from perdure.stores._memory_check import check
from perdure.stores._memory_rests import lifeline
from perdure.stores._memory_tables import Tables, detached, own_vectors
from perdure.stores._reference import Indexed, ReferenceReads, as_known


class MemoryStore:
    """Keeps everything in this process, until it ends. See `perdure.ports.store.Store`.

    Writes hold one lock; reads hold it only while they gather the records, which are immutable.
    """

    is_blocking = True

    def __init__(
        self, *, identity: str = "memory", salts: Callable[[int], bytes] = token_bytes
    ) -> None:
        """`salts` draws the random bytes that key the journal's seals."""
        self._identity = identity
        self._tables = Tables(salts=salts)
        self._leases: dict[str, tuple[str, datetime]] = {}
        self._lock = RLock()
        self._is_closed = False

    async def apply(self, changes: ChangeSet) -> Applied | Refused:
        """Write everything in the change set, or nothing."""
        with self._lock:
            tables = self._open_tables()
            refused = refusal(changes, tables.standing(changes))
            if refused is not None:
                return _own_refusal(refused)
            return Applied(sequence=tables.write(changes))

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids behind the scope's walls, whatever their state."""
        with self._lock:
            records = self._open_tables().records.get(scope.walls, {})
            found = [records[memory_id].memory for memory_id in ids if memory_id in records]
        return {memory.id: detached(memory) for memory in found}

    async def slot(self, scope: Scope, key: str) -> list[Memory]:
        """The slot's unretired, unforgotten memories, ordered by (valid_from, id)."""
        with self._lock:
            members = self._open_tables().members(scope, key)
        return [detached(memory) for memory in members]

    async def query(self, query: Query) -> list[Memory]:
        """One page, sorted by the order's value and then by id."""
        return [detached(memory) for memory in self._reads(query.condition.view).query(query)]

    async def neighbours(self, walk: Walk) -> list[Memory]:
        """The facts within so many steps of the names, the nearest first."""
        return [detached(fact) for fact in self._reads(walk.condition.view).neighbours(walk)]

    async def count(self, condition: Condition) -> int:
        """How many memories the condition admits."""
        return self._reads(condition.view).count(condition)

    async def search(self, search: Search) -> Found:
        """Both arms' best candidates among what the condition admits."""
        return self._reads(search.condition.view).search(search)

    def _reads(self, view: View) -> ReferenceReads:
        with self._lock:
            records = self._open_tables().within(view)
            if view.known_as_of is None:
                return ReferenceReads(records)
            entries = list(self._tables.entries(view))
        current = {item.memory.id: item for item in records}
        return ReferenceReads(as_known(entries, view.known_as_of, current))

    async def history(self, scope: Scope, memory_id: str) -> list[JournalEntry]:
        """The memory's journal entries in order, without accesses."""
        with self._lock:
            chain = list(self._open_tables().journal.get(scope.walls, ()))
        return [
            _own_entry(entry)
            for entry in chain
            if entry.memory_id == memory_id and entry.operation is not Operation.ACCESSED
        ]

    async def changes_since(
        self, view: View, sequence: int, *, limit: int | None = None
    ) -> list[JournalEntry]:
        """Journal entries the view's scope admits, with a higher sequence, in order."""
        with self._lock:
            entries = self._open_tables().entries(view, after=sequence)
            admitted = (entry for entry in entries if view.admits_scope(entry.scope))
            return [_own_entry(entry) for entry in islice(admitted, limit)]

    async def identity(self) -> str:
        """A name of this store that never changes."""
        self._open_tables()
        return self._identity

    async def whole(self, scope: Scope, ids: Sequence[str]) -> dict[str, Whole]:
        """Everything held of these memories, all as of one moment."""
        with self._lock:
            tables = self._open_tables()
            records = tables.records.get(scope.walls, {})
            items = {memory_id: records[memory_id] for memory_id in ids if memory_id in records}
            chain = list(tables.journal.get(scope.walls, ())) if items else []
        entries: dict[str, list[JournalEntry]] = {memory_id: [] for memory_id in items}
        for entry in chain:
            if entry.memory_id in entries:
                entries[entry.memory_id].append(_own_entry(entry))
        return {
            memory_id: Whole(
                memory=detached(item.memory),
                entries=tuple(entries[memory_id]),
                vectors=None if item.vectors is None else own_vectors(item.vectors),
            )
            for memory_id, item in items.items()
        }

    async def archived_batches(self) -> dict[str, int]:
        """How many memories, of any scope and state, point into each batch of the archive."""
        return dict(Counter(place_of(str(memory.archive)).batch for memory in self._archived()))

    async def archived_in(self, batch: str) -> list[Memory]:
        """The memories of any scope and state whose place is in this batch."""
        return [
            detached(memory)
            for memory in self._archived()
            if place_of(str(memory.archive)).batch == batch
        ]

    def _archived(self) -> list[Memory]:
        with self._lock:
            return [
                item.memory
                for records in self._open_tables().records.values()
                for item in records.values()
                if item.memory.archive is not None
            ]

    async def token_vectors(
        self, view: View, ids: Sequence[str], *, model: str
    ) -> dict[str, TokenVectors]:
        """The token vectors by this model of the memories with these ids."""
        with self._lock:
            items = [self._open_tables().find(memory_id) for memory_id in ids]
        return {
            item.memory.id: item.vectors.tokens
            for item in items
            if item is not None
            and view.admits_walls(item.memory.scope)
            and _has_tokens(item, model)
            if item.vectors is not None and item.vectors.tokens is not None
        }

    async def lacking_vectors(
        self, model: str, *, tokens: str | None = None, limit: int
    ) -> list[Memory]:
        """Memories of any scope, not forgotten, without vectors by this model; by id."""
        with self._lock:
            tables = self._open_tables()
            lacking = sorted(
                item.memory.id
                for records in tables.records.values()
                for item in records.values()
                if _should_have_vectors(item.memory)
                and not (
                    _has_vectors(item, model) and (tokens is None or _has_tokens(item, tokens))
                )
            )
            found = [tables.find(memory_id) for memory_id in lacking[:limit]]
        return [detached(item.memory) for item in found if item is not None]

    async def put_vectors(self, vectors: Mapping[str, tuple[int, Vectors]]) -> int:
        """Set the vectors of memories by id, each only while its version is the given one."""
        done = 0
        with self._lock:
            tables = self._open_tables()
            for memory_id, (version, offered) in vectors.items():
                item = tables.find(memory_id)
                if item is None or item.memory.version != version:
                    continue
                if tables.model is None:
                    tables.model = offered.model
                if tables.model == offered.model:
                    tables.put(item._replace(vectors=own_vectors(offered)))
                    done += 1
        return done

    async def embedding_model(self) -> str | None:
        """Identity of the model whose vectors this store uses."""
        with self._lock:
            return self._open_tables().model

    async def adopt_model(self, model: str, *, replacing: str | None) -> bool:
        """Make `model` the one whose vectors are used, if the present one is `replacing`."""
        with self._lock:
            tables = self._open_tables()
            if tables.model == model:
                return True
            if tables.model != replacing:
                return False
            tables.model = model
            for records in tables.records.values():
                for memory_id, item in records.items():
                    records[memory_id] = item._replace(vectors=None)
            return True

    async def due(self, view: View, due: Due) -> list[Lifeline]:
        """Memories the view's scope admits that rest long enough or have expired."""
        with self._lock:
            return self._open_tables().rests.due(view, due, self._tables.find)

    async def crowded(self, view: View, *, above: int) -> list[Crowd]:
        """Agents, each of one user, with more than `above` hot memories."""
        with self._lock:
            return self._open_tables().rests.crowded(view, above)

    async def residents(self, scope: Scope) -> list[Lifeline]:
        """Every hot memory of exactly this tenant, user and agent."""
        with self._lock:
            items = list(self._open_tables().records.get(scope.walls, {}).values())
        return sorted(
            (lifeline(item) for item in items
             if item.memory.state in HOT and item.memory.scope.agent == scope.agent),
            key=lambda line: line.id,
        )  # fmt: skip

    async def days_of_use(self, view: View, *, since: date) -> list[DayOfUse]:
        """How often what the view's scope admits was recalled and used, by day."""
        with self._lock:
            return self._open_tables().uses.days(view, since)

    async def inventory(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """Ids of everything a scope admits, whatever its state, each with what it supports."""
        with self._lock:
            return erasing.inventory(self._open_tables(), scope)

    async def erase(self, erasure: Erasure) -> Erased | Refused:
        """Take the contents of memories out of everything, or, refused, out of nothing."""
        with self._lock:
            return erasing.erase(self._open_tables(), erasure)

    async def withheld(self, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
        """The positions of texts whose words were erased behind the scope's walls."""
        with self._lock:
            return erasing.withheld(self._open_tables(), scope, texts)

    async def withholding_key(self) -> bytes:
        """The random key that traces are made with, of this store alone."""
        with self._lock:
            return erasing.withholding_key(self._open_tables())

    async def compact(self) -> bool:
        """True: there is no file."""
        self._open_tables()
        return True

    async def lease(self, name: str, *, owner: str, now: datetime, duration: timedelta) -> bool:
        """Take or renew an exclusive right until `now` + `duration`."""
        with self._lock:
            self._open_tables()
            holder, until = self._leases.get(name, (owner, now))
            if holder != owner and now < until:
                return False
            self._leases[name] = (owner, now + duration)
            return True

    async def release(self, name: str, *, owner: str) -> None:
        """Give a lease back."""
        with self._lock:
            self._open_tables()
            if self._leases.get(name, ("", None))[0] == owner:
                self._leases.pop(name, None)

    async def mark(self, name: str) -> int | None:
        """The number kept under a name; None when there is none."""
        with self._lock:
            return self._open_tables().marks.get(name)

    async def sizes(self, view: View) -> Sizes:
        """Counts and bytes for `stats`."""
        with self._lock:
            tables = self._open_tables()
            items = [item for item in tables.within(view) if view.admits_scope(item.memory.scope)]
            return Sizes(
                memories=Counter(item.memory.state.value for item in items),
                recalled=sum(item.memory.accessed_count for item in items),
                used=sum(item.memory.used_count for item in items),
                without_vector=sum(
                    _should_have_vectors(item.memory) and not _has_vectors(item, tables.model)
                    for item in items
                ),
                bytes=tables.bytes(),
            )

    async def check(self, *, repair: bool) -> list[Finding]:
        """Look at every record, index, link and the journal's chain; repair what is derived."""
        with self._lock:
            return check(self._open_tables(), repair=repair)

    async def backup(self, target: Path) -> None:
        """Refused: nothing of this store is on disk."""
        self._open_tables()
        raise Misconfigured(
            f"a memory:// store has no file to copy to {target}; "
            "use export, or keep the memories in a sqlite:/// store"
        )

    async def close(self) -> None:
        """Let go of everything: the memories are gone."""
        with self._lock:
            self._is_closed = True
            self._tables = Tables()
            self._leases = {}

    def _open_tables(self) -> Tables:
        if self._is_closed:
            raise Closed("this memory:// store was closed and its memories are gone")
        return self._tables


def _should_have_vectors(memory: Memory) -> bool:
    return memory.state is not State.FORGOTTEN and not memory.is_stub


def _has_vectors(item: Indexed, model: str | None) -> bool:
    return item.vectors is not None and item.vectors.model == model


def _has_tokens(item: Indexed, model: str) -> bool:
    tokens = None if item.vectors is None else item.vectors.tokens
    return tokens is not None and tokens.model == model


def _own_refusal(refused: Refused) -> Refused:
    return replace(
        refused,
        known={position: detached(memory) for position, memory in refused.known.items()},
        repeated=deepcopy(dict(refused.repeated)),
    )


def _own_entry(entry: JournalEntry) -> JournalEntry:
    return replace(entry, change=deepcopy(entry.change))
