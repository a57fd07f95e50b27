"""Writing one change set inside a transaction: preconditions first, then all of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from perdure.domain.changes import Accesses, Applied, ChangeSet, Refused
from perdure.domain.journal import canonical, chained
from perdure.domain.preconditions import refusal
from perdure.domain.times import EPOCH, to_micros
from perdure.domain.utility import uses_in
from perdure.stores.sqlite.entries import entry_of
from perdure.stores.sqlite.preconditions import Stored, standing, stored_now
from perdure.stores.sqlite.preparing import Access, Entry, Insertion, Modification, Prepared
from perdure.stores.sqlite.tokens import PackedTokens, put_tokens
from perdure.stores.sqlite.transaction import Transaction
from perdure.stores.sqlite.vectors import table_rows

_EPOCH_DAY = EPOCH.toordinal()
_PAGES_PER_TRANSACTION, _PAGES_PER_STEP = 4, 4
"""Roughly what writing adds to the log, for timing checkpoints."""


def write(tx: Transaction, prepared: Prepared) -> Applied | Refused:
    """Write the change set if its preconditions hold. Nothing is written otherwise."""
    stored = stored_now(tx, prepared)
    refused = refusal(prepared.changes, standing(tx, prepared, stored))
    if refused is not None:
        return refused
    emptied = prepared.changes.emptied
    if emptied:
        _empty(tx, [stored[memory_id].seq for memory_id in emptied if memory_id in stored])
    tx.executemany(tx.sql["refill_entry"], prepared.refills)
    writing = _Writing(tx, prepared, stored)
    for step in prepared.steps:
        if isinstance(step, Insertion):
            writing.insert(step)
        else:
            writing.modify(step)
    accesses = zip(prepared.changes.accesses, prepared.accesses, strict=True)
    present = [given for given, access in accesses if writing.count_access(access)]
    writing.flush()
    _keep_keys(tx, prepared)
    _count_uses(tx, prepared.changes, present)
    for mark in prepared.changes.marks:
        tx.execute(tx.sql["put_mark"], (mark.name, mark.value))
    tx.pages += _PAGES_PER_TRANSACTION + _PAGES_PER_STEP * len(prepared.steps)
    return Applied(sequence=tx.sequence)


def _empty(tx: Transaction, memories: Sequence[int]) -> None:
    """Take the contents out of the memories' entries; their seals, which can then no longer be
    made from them, are kept first."""
    asked = (json.dumps(memories),)
    unsealed = tx.execute(tx.sql["unsealed_entries"], asked).fetchall()
    seals = [(bytes.fromhex(entry_of(row, tx.walls(row[5])).seal), row[0]) for row in unsealed]
    tx.executemany(tx.sql["seal_entry"], seals)
    tx.execute(tx.sql["empty_entries"], asked)


class _Writing:
    """The rows of one change set. New rows are gathered and written table by table."""

    def __init__(self, tx: Transaction, prepared: Prepared, stored: dict[str, Stored]) -> None:
        self._tx = tx
        self._changes = prepared.changes
        self._stored = stored
        self._memories: list[tuple[Any, ...]] = []
        self._vectors: list[tuple[Any, ...]] = []
        self._tokens: list[tuple[int, PackedTokens]] = []
        self._waiting: list[tuple[str]] = []
        self._entries: list[tuple[Any, ...]] = []
        self._pending: set[str] = set()

    def insert(self, step: Insertion) -> None:
        """A new memory, its vectors and its first entry."""
        tx, memory_id = self._tx, step.row[0]
        partition = tx.partition(step.walls)
        seq = tx.new_memory()
        sequence = self._chain(partition, seq, step.entry, before=0, reloads=1)
        derived = (sequence, step.fingerprint, step.lexemes)
        self._memories.append((seq, partition, *step.row, *derived))
        self._pending.add(memory_id)
        self._stored[memory_id] = Stored(seq, partition, step.entry.version, sequence)
        if self._has_vectors(step):
            self._put_vectors(seq, step)
        else:
            self._waiting.append((memory_id,))

    def modify(self, step: Modification) -> None:
        """A new version of a memory that is stored."""
        self._write_what_waits_of(step.id)
        tx = self._tx
        seq, partition, _, before = self._stored[step.id]
        self._pending.add(step.id)
        has_new = self._has_vectors(step)
        if has_new or step.text_changed:
            tx.execute(tx.sql["drop_vectors"], (seq,))
        if has_new:
            self._put_vectors(seq, step)
        reloads = 1 if has_new or step.text_changed else 0
        sequence = self._chain(partition, seq, step.entry, before=before, reloads=reloads)
        columns = {**step.columns, **step.counters, "last_entry": sequence}
        assignments = ", ".join([f"{name} = ?" for name in columns])
        sql = tx.sql["update_memory"].format(assignments=assignments)
        tx.execute(sql, (*columns.values(), seq))
        self._stored[step.id] = Stored(seq, partition, step.entry.version, sequence)
        if has_new or step.is_stub:
            tx.execute(tx.sql["stop_awaiting"], (step.id,))
        elif step.text_changed:
            self._waiting.append((step.id,))

    def count_access(self, access: Access) -> bool:
        """A memory was recalled; False when it is not behind the access's walls."""
        tx = self._tx
        found = self._stored.get(access.id)
        if found is None or tx.find_partition(access.walls) != found.partition:
            return False
        self._write_what_waits_of(access.id)
        seq, partition, version, before = found
        sequence = self._chain(partition, seq, access.entry, before=before, reloads=0)
        tx.execute(tx.sql["count_access"], (access.times, access.last_us, sequence, seq))
        self._stored[access.id] = Stored(seq, partition, version, sequence)
        return True

    def _write_what_waits_of(self, memory_id: str) -> None:
        """Later changes of a memory must find the rows of the earlier ones."""
        if memory_id in self._pending:
            self.flush()

    def flush(self) -> None:
        """Write the gathered rows."""
        self._insert_all("insert_memory", self._memories)
        self._insert_all("insert_vectors", self._vectors)
        for seq, tokens in self._tokens:
            put_tokens(self._tx, seq, tokens)
        self._tokens.clear()
        self._insert_all("await_vectors", self._waiting)
        self._insert_all("insert_entry", self._entries)
        self._memories, self._vectors, self._waiting, self._entries = [], [], [], []
        self._pending.clear()

    def _insert_all(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if len(rows) == 1:
            self._tx.execute(self._tx.sql[name], rows[0])
        elif rows:
            self._tx.executemany(self._tx.sql[name], rows)

    def _has_vectors(self, step: Insertion | Modification) -> bool:
        """Whether the step brings vectors that are used here."""
        if not step.vectors or step.model is None:
            return False
        return self._tx.model_number(step.model, step.dimension) is not None

    def _put_vectors(self, seq: int, step: Insertion | Modification) -> None:
        assert step.model is not None
        number = self._tx.model_number(step.model, step.dimension)
        assert number is not None
        self._vectors += table_rows(seq, number, step.vectors)
        if step.tokens is not None:
            self._tokens.append((seq, step.tokens))

    def _chain(self, partition: int, seq: int, entry: Entry, *, before: int, reloads: int) -> int:
        """Append to the partition's journal; the entry's sequence."""
        tx, changes = self._tx, self._changes
        previous = tx.head(partition)
        digest = chained(previous, entry.covered)
        sequence = tx.extend(partition, digest)
        self._entries.append((
            sequence,
            partition,
            seq,
            before,
            reloads,
            entry.operation,
            entry.version,
            entry.at_us,
            entry.actor,
            changes.request_id,
            changes.config_hash,
            entry.reason,
            bytes.fromhex(previous),
            bytes.fromhex(digest),
            entry.change,
            entry.salt,
        ))  # fmt: skip
        return sequence


def _keep_keys(tx: Transaction, prepared: Prepared) -> None:
    at_us = to_micros(prepared.changes.at)
    for key in prepared.changes.idempotency:
        partition = tx.partition(key.scope.walls)
        answer = canonical(dict(key.answer))
        tx.execute(tx.sql["insert_key"], (partition, key.key, key.request, answer, at_us))


def _count_uses(tx: Transaction, changes: ChangeSet, present: Sequence[Accesses]) -> None:
    uses = uses_in(changes.changes, present, changes.at)
    for (scope, day), (recalled, used) in uses.items():
        place = (tx.partition(scope.walls), day.toordinal() - _EPOCH_DAY)
        tx.execute(tx.sql["count_uses"], (*place, scope.agent, scope.session, recalled, used))
