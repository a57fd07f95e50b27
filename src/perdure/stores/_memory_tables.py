"""What the in-memory store holds, with the indexes that writing keeps in step."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from heapq import merge
from operator import attrgetter
from secrets import token_bytes
from typing import Any, TypeVar

import numpy as np

from perdure.domain.changes import (
    Accesses,
    Change,
    ChangeSet,
    IdempotencyKey,
    JournalEntry,
    Operation,
    TokenVectors,
    Vectors,
)
from perdure.domain.erasure import WITHHELD, trace_of_request
from perdure.domain.journal import (
    GENESIS,
    SALT_BYTES,
    Line,
    canonical,
    digest_of,
    emptied,
    lines_of,
    sealed,
)
from perdure.domain.preconditions import Standing, StoredVersion, UsedKey
from perdure.domain.records import Memory, Metadata, State
from perdure.domain.replay import accessed, settled
from perdure.domain.scope import Scope
from perdure.domain.text import fingerprint
from perdure.domain.utility import uses_in
from perdure.domain.visibility import View
from perdure.stores._memory_rests import Rests, Uses
from perdure.stores._reference import Indexed, indexed

Walls = tuple[str, str]
Key = TypeVar("Key")


def detached(memory: Memory) -> Memory:
    """The memory with metadata of its own, so that nobody else's hands reach what is stored."""
    return replace(memory, metadata=Metadata(deepcopy(dict(memory.metadata))))


def own_vectors(vectors: Vectors) -> Vectors:
    """Vectors in memory of their own, which nobody can write to."""
    rows = np.array(vectors.rows, dtype=np.float32)
    rows.setflags(write=False)
    if vectors.tokens is None:
        return Vectors(model=vectors.model, rows=rows)
    tokens = np.array(vectors.tokens.rows, dtype=np.int8)
    tokens.setflags(write=False)
    own = TokenVectors(model=vectors.tokens.model, rows=tokens)
    return Vectors(model=vectors.model, rows=rows, tokens=own)


@dataclass(slots=True)
class Tables:
    """Records, vectors, journal and their indexes. Knows no lock: its owner holds one.

    `salts` draws as many random bytes as asked for.
    """

    records: dict[Walls, dict[str, Indexed]] = field(default_factory=lambda: defaultdict(dict))
    walls_of: dict[str, Walls] = field(default_factory=dict)
    alike: dict[tuple[Walls, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    slots: dict[tuple[Scope, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    used_keys: dict[tuple[Walls, str], UsedKey] = field(default_factory=dict)
    journal: dict[Walls, list[JournalEntry]] = field(default_factory=lambda: defaultdict(list))
    rests: Rests = field(default_factory=Rests)
    uses: Uses = field(default_factory=Uses)
    marks: dict[str, int] = field(default_factory=dict)
    salts: Callable[[int], bytes] = token_bytes
    withheld: dict[Walls, set[str]] = field(default_factory=dict)
    withholding_key: bytes | None = None
    sequence: int = 0
    model: str | None = None

    def find(self, memory_id: str) -> Indexed | None:
        """The memory with this id, whoever it belongs to."""
        walls = self.walls_of.get(memory_id)
        return None if walls is None else self.records[walls][memory_id]

    def within(self, view: View) -> list[Indexed]:
        """Every record behind the view's walls, or of its tenant."""
        return [item for walls in self._walls(view, self.records)
                for item in self.records[walls].values()]  # fmt: skip

    def entries(self, view: View, *, after: int = 0) -> Iterator[JournalEntry]:
        """Journal entries behind the view's walls, or of its tenant, in order."""
        chains = (self.journal[walls] for walls in self._walls(view, self.journal))
        by_sequence = attrgetter("sequence")
        return merge(
            *(chain[bisect_right(chain, after, key=by_sequence) :] for chain in chains),
            key=by_sequence,
        )

    def _walls(self, view: View, of: Mapping[Walls, Any]) -> list[Walls]:
        if view.everything:
            return [walls for walls in of if walls[0] == view.scope.tenant]
        return [view.scope.walls] if view.scope.walls in of else []

    def members(self, scope: Scope, key: str) -> list[Memory]:
        """The slot's unretired, unforgotten memories, ordered by (valid_from, id)."""
        records = self.records.get(scope.walls, {})
        members = [records[memory_id].memory for memory_id in self.slots.get((scope, key), ())]
        return sorted(members, key=lambda memory: (memory.valid_from, memory.id))

    def standing(self, changes: ChangeSet) -> Standing:
        """What the change set's preconditions ask about."""
        found = {change.after.id: self.find(change.after.id) for change in changes.changes}
        used = {position: self._used(key) for position, key in enumerate(changes.idempotency)}
        return Standing(
            versions={
                memory_id: StoredVersion(item.memory.version, item.memory.scope.walls)
                for memory_id, item in found.items()
                if item is not None
            },
            slots={
                position: [(item.id, item.version) for item in self.members(slot.scope, slot.key)]
                for position, slot in enumerate(changes.slots)
            },
            alike={
                position: self._alike(changes.changes[position].after)
                for position in changes.unless_known
            },
            used={position: key for position, key in used.items() if key is not None},
            marks=self.marks,
        )

    def _used(self, key: IdempotencyKey) -> UsedKey | None:
        walls, secret = key.scope.walls, self.withholding_key
        if secret and trace_of_request(secret, walls, key.key) in self.withheld.get(walls, ()):
            return UsedKey(key.request, WITHHELD)
        return self.used_keys.get((walls, key.key))

    def _alike(self, memory: Memory) -> Collection[Memory]:
        walls = memory.scope.walls
        ids = self.alike.get((walls, fingerprint(memory.content)), ())
        return [self.records[walls][memory_id].memory for memory_id in ids]

    def write(self, changes: ChangeSet) -> int:
        """Apply a change set whose preconditions hold; the journal's sequence after it.

        Everything that could fail is made before the first table is touched.
        """
        after, model = self._prepared(changes)
        present = self._present(changes.accesses, after)
        for access in present:
            item = after.get(access.memory_id) or self._record(access)
            memory = accessed(item.memory, count=access.count, last_at=access.last_at)
            after[memory.id] = item._replace(memory=memory)
        entries = self._chained(replace(changes, accesses=present))
        keys = {(key.scope.walls, key.key): _used(key) for key in changes.idempotency}
        chains = self._emptied_chains(changes.emptied)
        for item in after.values():
            self.put(item)
        self.journal.update(chains)
        self._refill(changes.refilled)
        for entry in entries:
            self.journal[entry.scope.walls].append(entry)
        self.used_keys.update(keys)
        self.uses.count(uses_in(changes.changes, present, changes.at))
        self.marks.update({mark.name: mark.value for mark in changes.marks})
        self.model = model
        self.sequence += len(entries)
        return self.sequence

    def _prepared(self, changes: ChangeSet) -> tuple[dict[str, Indexed], str | None]:
        """The records after the changes, and the model whose vectors are used."""
        after: dict[str, Indexed] = {}
        model = self.model
        for change in changes.changes:
            stored = after.get(change.after.id) or self.find(change.after.id)
            if model is None and change.vectors is not None:
                model = change.vectors.model
            after[change.after.id] = _indexed_after(
                change, stored, model, settles=change.after.id not in changes.emptied
            )
        return after, model

    def _emptied_chains(self, ids: Collection[str]) -> dict[Walls, list[JournalEntry]]:
        """The journals of these memories' owners, with the memories' contents removed."""
        owners = {self.walls_of[memory_id] for memory_id in ids if memory_id in self.walls_of}
        return {
            walls: [emptied(entry) if entry.memory_id in ids else entry
                    for entry in self.journal[walls]]
            for walls in owners
        }  # fmt: skip

    def _refill(self, entries: tuple[JournalEntry, ...]) -> None:
        """Give emptied entries their contents back."""
        for entry in entries:
            chain = self.journal.get(entry.scope.walls, [])
            place = bisect_left(chain, entry.sequence, key=attrgetter("sequence"))
            if place < len(chain):
                standing = chain[place]
                is_same = (standing.sequence, standing.seal) == (entry.sequence, entry.seal)
                if is_same and standing.is_emptied:
                    chain[place] = replace(
                        standing, reason=entry.reason, change=deepcopy(dict(entry.change)),
                        salt=entry.salt,
                    )  # fmt: skip

    def _present(
        self, accesses: tuple[Accesses, ...], after: Mapping[str, Indexed]
    ) -> tuple[Accesses, ...]:
        """The accesses whose memory exists behind their walls."""
        return tuple(
            access
            for access in accesses
            if access.memory_id in self.records.get(access.scope.walls, {})
            or (access.memory_id in after
                and after[access.memory_id].memory.scope.walls == access.scope.walls)
        )  # fmt: skip

    def _record(self, access: Accesses) -> Indexed:
        return self.records[access.scope.walls][access.memory_id]

    def _chained(self, changes: ChangeSet) -> list[JournalEntry]:
        entries: list[JournalEntry] = []
        last: dict[Walls, str] = {}
        for sequence, line in enumerate(lines_of(changes), start=self.sequence + 1):
            walls = line.scope.walls
            chain = self.journal.get(walls)
            previous = last.get(walls) or (chain[-1].digest if chain else GENESIS)
            entry = _entry(line, sequence, previous, changes, self.salts(SALT_BYTES))
            last[walls] = entry.digest
            entries.append(entry)
        return entries

    def bytes(self) -> int:
        """Roughly what the texts and vectors take."""
        return sum(
            len(item.memory.searchable_text) + (item.vectors.rows.nbytes if item.vectors else 0)
            for records in self.records.values()
            for item in records.values()
        )

    def put(self, item: Indexed) -> None:
        """Store a record in place of what had its id, and keep the indexes in step."""
        memory = item.memory
        walls = memory.scope.walls
        before = self.records[walls].get(memory.id)
        if before is not None:
            self._unlist(before.memory)
        self.rests.move(None if before is None else before.memory, memory)
        self.records[walls][memory.id] = item
        self.walls_of[memory.id] = walls
        self.alike[walls, fingerprint(memory.content)].add(memory.id)
        if is_slot_member(memory):
            self.slots[memory.scope, memory.key or ""].add(memory.id)

    def _unlist(self, memory: Memory) -> None:
        _discard(self.alike, (memory.scope.walls, fingerprint(memory.content)), memory.id)
        _discard(self.slots, (memory.scope, memory.key or ""), memory.id)


def _discard(table: dict[Key, set[str]], key: Key, memory_id: str) -> None:
    ids = table.get(key, set())
    ids.discard(memory_id)
    if not ids:
        table.pop(key, None)


def is_slot_member(memory: Memory) -> bool:
    """Whether a slot lists the memory."""
    return (
        memory.key is not None and memory.retired_at is None and memory.state is not State.FORGOTTEN
    )


def _indexed_after(
    change: Change, stored: Indexed | None, model: str | None, *, settles: bool
) -> Indexed:
    offered = change.vectors
    vectors = own_vectors(offered) if offered is not None and offered.model == model else None
    if stored is None:
        return indexed(detached(change.after), vectors)
    memory = detached(settled(change, stored.memory) if settles else change.after)
    if change.text_changed:
        return indexed(memory, vectors)
    return stored._replace(memory=memory, vectors=vectors or stored.vectors)


def _used(key: IdempotencyKey) -> UsedKey:
    return UsedKey(key.request, deepcopy(dict(key.answer)))


def _entry(
    line: Line, sequence: int, previous: str, changes: ChangeSet, salt: bytes
) -> JournalEntry:
    entry = JournalEntry(
        sequence=sequence,
        at=line.at,
        operation=Operation(line.operation),
        memory_id=line.memory_id,
        version=line.version,
        scope=line.scope,
        actor=line.actor,
        request_id=changes.request_id,
        config_hash=changes.config_hash,
        reason=line.reason,
        change=json.loads(canonical(line.change)),
        previous=previous,
        digest="",
        salt=salt.hex(),
        seal="",
    )
    entry = replace(entry, seal=sealed(entry))
    return replace(entry, digest=digest_of(entry))
