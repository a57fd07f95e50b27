"""Writing one change set inside a transaction: preconditions first, then all of it."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, NamedTuple

from perdure.domain.changes import Applied, Refused
from perdure.domain.journal import canonical, chained
from perdure.domain.preconditions import Standing, StoredVersion, UsedKey, refusal
from perdure.domain.records import Memory
from perdure.domain.times import to_micros
from perdure.stores.sqlite.preparing import Access, Entry, Insertion, Modification, Prepared
from perdure.stores.sqlite.rows import memory_of
from perdure.stores.sqlite.transaction import Transaction
from perdure.stores.sqlite.vectors import Packed

Walls = tuple[str, str]

_PAGES_PER_TRANSACTION, _PAGES_PER_STEP = 4, 4
"""Roughly what writing adds to the log, for timing checkpoints."""


class _Stored(NamedTuple):
    seq: int
    partition: int
    version: int


def write(tx: Transaction, prepared: Prepared) -> Applied | Refused:
    """Write the change set if its preconditions hold. Nothing is written otherwise."""
    stored = _stored(tx, prepared)
    refused = refusal(prepared.changes, _standing(tx, prepared, stored))
    if refused is not None:
        return refused
    for step in prepared.steps:
        if isinstance(step, Insertion):
            _insert(tx, step, stored, prepared)
        else:
            _modify(tx, step, stored, prepared)
    for access in prepared.accesses:
        _count_access(tx, access, stored, prepared)
    _keep_keys(tx, prepared)
    tx.pages += _PAGES_PER_TRANSACTION + _PAGES_PER_STEP * len(prepared.steps)
    return Applied(sequence=tx.sequence)


def _stored(tx: Transaction, prepared: Prepared) -> dict[str, _Stored]:
    """What is stored under the ids the set names, of any scope."""
    ids = [change.after.id for change in prepared.changes.changes]
    ids += [access.id for access in prepared.accesses]
    if len(ids) == 1:
        rows = tx.execute(tx.sql["stored_version"], ids)
    else:
        rows = tx.execute(tx.sql["stored_versions"], (json.dumps(ids),))
    return {row[0]: _Stored(row[1], row[2], row[3]) for row in rows}


def _standing(tx: Transaction, prepared: Prepared, stored: dict[str, _Stored]) -> Standing:
    changes = prepared.changes
    return Standing(
        versions={
            memory_id: StoredVersion(found.version, _walls(tx, found.partition))
            for memory_id, found in stored.items()
        },
        slots={
            position: _slot_versions(
                tx, slot.scope.walls, slot.key, slot.scope.agent, slot.scope.session
            )
            for position, slot in enumerate(changes.slots)
        },
        alike=_alike(tx, prepared) if changes.unless_known else {},
        used=_used_keys(tx, prepared) if changes.idempotency else {},
    )


def _walls(tx: Transaction, partition: int) -> Walls:
    tenant, user = tx.execute(tx.sql["walls_of"], (partition,)).fetchone()
    return tenant, user


def _slot_versions(
    tx: Transaction, walls: Walls, key: str, agent: str, session: str
) -> list[tuple[str, int]]:
    partition = tx.find_partition(walls)
    if partition is None:
        return []
    return tx.execute(tx.sql["slot_versions"], (partition, key, agent, session)).fetchall()


def _alike(tx: Transaction, prepared: Prepared) -> dict[int, list[Memory]]:
    by_walls: dict[Walls, list[int]] = defaultdict(list)
    for position in prepared.fingerprints:
        by_walls[prepared.steps[position].walls].append(position)
    alike: dict[int, list[Memory]] = {}
    for walls, positions in by_walls.items():
        partition = tx.find_partition(walls)
        if partition is not None:
            found = _with_fingerprints(tx, partition, walls, prepared, positions)
            alike.update(
                (position, found[prepared.fingerprints[position]]) for position in positions
            )
    return alike


def _with_fingerprints(
    tx: Transaction, partition: int, walls: Walls, prepared: Prepared, positions: list[int]
) -> dict[int, list[Memory]]:
    found: dict[int, list[Memory]] = defaultdict(list)
    if len(positions) == 1:
        wanted = prepared.fingerprints[positions[0]]
        for row in tx.execute(tx.sql["alike"], (partition, wanted)):
            found[wanted].append(memory_of(row, {partition: walls}))
        return found
    asked = json.dumps([prepared.fingerprints[position] for position in positions])
    for fingerprint, *row in tx.execute(tx.sql["alike_many"], (partition, asked)):
        found[fingerprint].append(memory_of(row, {partition: walls}))
    return found


def _used_keys(tx: Transaction, prepared: Prepared) -> dict[int, UsedKey]:
    used: dict[int, UsedKey] = {}
    for position, key in enumerate(prepared.changes.idempotency):
        partition = tx.find_partition(key.scope.walls)
        if partition is None:
            continue
        row = tx.execute(tx.sql["used_key"], (partition, key.key)).fetchone()
        if row is not None:
            used[position] = UsedKey(row[0], json.loads(row[1]))
    return used


def _insert(
    tx: Transaction, step: Insertion, stored: dict[str, _Stored], prepared: Prepared
) -> None:
    partition = tx.partition(step.walls)
    seq = tx.new_memory()
    tx.execute(tx.sql["insert_memory"], (seq, partition, *step.row, step.fingerprint, step.lexemes))
    memory_id = step.row[0]
    if not _put_vectors(tx, seq, step):
        tx.execute(tx.sql["await_vectors"], (memory_id,))
    stored[memory_id] = _Stored(seq, partition, step.entry.version)
    _chain(tx, partition, seq, step.entry, prepared, reloads=1)


def _modify(
    tx: Transaction, step: Modification, stored: dict[str, _Stored], prepared: Prepared
) -> None:
    seq, partition, _ = stored[step.id]
    columns = {**step.columns, **step.counters}
    if columns:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        sql = tx.sql["update_memory"].format(assignments=assignments)
        tx.execute(sql, (*columns.values(), seq))
    has_new = _put_vectors(tx, seq, step)
    if has_new:
        tx.execute(tx.sql["stop_awaiting"], (step.id,))
    elif step.text_changed:
        tx.execute(tx.sql["drop_vectors"], (seq,))
        tx.execute(tx.sql["await_vectors"], (step.id,))
    reloads = 1 if has_new or step.text_changed else 0
    _chain(tx, partition, seq, step.entry, prepared, reloads=reloads)


def _put_vectors(tx: Transaction, seq: int, step: Insertion | Modification) -> bool:
    """Whether the memory now has the step's vectors."""
    if step.vectors is None or step.model is None:
        return False
    number = tx.model_number(step.model, step.dimension)
    if number is None:
        return False
    put_vectors(tx, seq, number, step.vectors)
    return True


def put_vectors(tx: Transaction, seq: int, model: int, vectors: Packed) -> None:
    """Set a memory's vectors."""
    tx.execute(tx.sql["put_vectors"], (seq, model, *vectors))


def _count_access(
    tx: Transaction, access: Access, stored: dict[str, _Stored], prepared: Prepared
) -> None:
    found = stored.get(access.id)
    if found is None or tx.find_partition(access.walls) != found.partition:
        return
    tx.execute(tx.sql["count_access"], (access.times, access.last_us, found.seq))
    _chain(tx, found.partition, found.seq, access.entry, prepared, reloads=0)


def _chain(
    tx: Transaction, partition: int, seq: int, entry: Entry, prepared: Prepared, *, reloads: int
) -> None:
    """Append to the partition's journal."""
    previous = tx.head(partition)
    digest = chained(previous, entry.covered)
    sequence = tx.extend(partition, digest)
    values: tuple[Any, ...] = (
        sequence,
        partition,
        seq,
        reloads,
        entry.operation,
        entry.version,
        entry.at_us,
        entry.actor,
        prepared.changes.request_id,
        prepared.changes.config_hash,
        entry.reason,
        bytes.fromhex(previous),
        bytes.fromhex(digest),
        entry.change,
    )
    tx.execute(tx.sql["insert_entry"], values)


def _keep_keys(tx: Transaction, prepared: Prepared) -> None:
    at_us = to_micros(prepared.changes.at)
    for key in prepared.changes.idempotency:
        partition = tx.partition(key.scope.walls)
        answer = canonical(dict(key.answer))
        tx.execute(tx.sql["insert_key"], (partition, key.key, key.request, answer, at_us))
