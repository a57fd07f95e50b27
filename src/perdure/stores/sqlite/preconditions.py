"""What the store holds of what a change set touches, read in the transaction that will write."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import NamedTuple

from perdure.domain.changes import IdempotencyKey
from perdure.domain.erasure import WITHHELD, trace_of_request
from perdure.domain.preconditions import Standing, StoredVersion, UsedKey
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.stores.sqlite.preparing import Prepared
from perdure.stores.sqlite.rows import memory_of
from perdure.stores.sqlite.transaction import Transaction

Walls = tuple[str, str]


class Stored(NamedTuple):
    """Where a memory is stored: its number, partition, version and last journal entry."""

    seq: int
    partition: int
    version: int
    last_entry: int


def stored_now(tx: Transaction, prepared: Prepared) -> dict[str, Stored]:
    """What is stored under the ids the set names, of any scope."""
    ids = [change.after.id for change in prepared.changes.changes]
    ids += [access.memory_id for access in prepared.changes.accesses]
    if len(ids) == 1:
        rows = tx.execute(tx.sql["stored_version"], ids)
    else:
        rows = tx.execute(tx.sql["stored_versions"], (json.dumps(ids),))
    return {row[0]: Stored(*row[1:]) for row in rows}


def standing(tx: Transaction, prepared: Prepared, stored: dict[str, Stored]) -> Standing:
    """What `domain.preconditions.refusal` asks."""
    changes = prepared.changes
    return Standing(
        versions={
            memory_id: StoredVersion(found.version, tx.walls(found.partition))
            for memory_id, found in stored.items()
        },
        slots={
            position: _slot_versions(tx, slot.scope, slot.key)
            for position, slot in enumerate(changes.slots)
        },
        alike=_alike(tx, prepared) if changes.unless_known else {},
        used=_used_keys(tx, prepared) if changes.idempotency else {},
        marks=_marks(tx, prepared) if changes.marks else {},
    )


def _slot_versions(tx: Transaction, scope: Scope, key: str) -> list[tuple[str, int]]:
    partition = tx.find_partition(scope.walls)
    if partition is None:
        return []
    asked = (partition, key, scope.agent, scope.session)
    return tx.execute(tx.sql["slot_versions"], asked).fetchall()


def _alike(tx: Transaction, prepared: Prepared) -> dict[int, list[Memory]]:
    by_walls: dict[Walls, list[int]] = defaultdict(list)
    for position in prepared.fingerprints:
        by_walls[prepared.steps[position].walls].append(position)
    alike: dict[int, list[Memory]] = {}
    for walls, positions in by_walls.items():
        partition = tx.find_partition(walls)
        if partition is None:
            continue
        wanted = {position: prepared.fingerprints[position] for position in positions}
        found = _with_fingerprints(tx, partition, walls, list(wanted.values()))
        alike.update((position, found[wanted[position]]) for position in positions)
    return alike


def _with_fingerprints(
    tx: Transaction, partition: int, walls: Walls, fingerprints: list[int]
) -> dict[int, list[Memory]]:
    found: dict[int, list[Memory]] = defaultdict(list)
    if len(fingerprints) == 1:
        for row in tx.execute(tx.sql["alike"], (partition, fingerprints[0])):
            found[fingerprints[0]].append(memory_of(row, {partition: walls}))
        return found
    asked = (partition, json.dumps(fingerprints))
    for fingerprint, *row in tx.execute(tx.sql["alike_many"], asked):
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
        elif tx.withholding_key is not None and _is_withheld(tx, partition, key):
            used[position] = UsedKey(key.request, WITHHELD)
    return used


def _marks(tx: Transaction, prepared: Prepared) -> dict[str, int]:
    found: dict[str, int] = {}
    for mark in prepared.changes.marks:
        row = tx.execute(tx.sql["mark"], (mark.name,)).fetchone()
        if row is not None:
            found[mark.name] = row[0]
    return found


def _is_withheld(tx: Transaction, partition: int, key: IdempotencyKey) -> bool:
    assert tx.withholding_key is not None
    trace = trace_of_request(tx.withholding_key, key.scope.walls, key.key)
    asked = (partition, bytes.fromhex(trace))
    return tx.execute(tx.sql["is_withheld"], asked).fetchone() is not None
