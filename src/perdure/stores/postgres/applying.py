"""Writing a change set: locks, preconditions, records, vectors, journal; one transaction."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from perdure.domain.changes import Applied, ChangeSet, Refused, Vectors
from perdure.domain.journal import canonical
from perdure.domain.preconditions import refusal
from perdure.domain.records import Memory
from perdure.domain.replay import settled
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.errors import InvalidInput
from perdure.stores._sql.chain import chained_lines
from perdure.stores.postgres.locking import lock_marks, lock_walls, model_lock, take_locks
from perdure.stores.postgres.modelling import chosen_model, put_vectors
from perdure.stores.postgres.resting import count_uses
from perdure.stores.postgres.rows import row_of
from perdure.stores.postgres.standing import Ground, ground_of, key_digest, walls_of
from perdure.stores.postgres.transactions import Session

MAX_WALLS_BYTES = 2000
MAX_ID_BYTES = 500
"""Together they fit an entry of a PostgreSQL index, which holds about 2,700 bytes."""


@dataclass(slots=True)
class _After:
    """The records after the changes, and the vectors that are no longer those stored.

    `vectors` maps ids to their new vectors, None for none.
    """

    memories: dict[str, Memory] = field(default_factory=dict)
    vectors: dict[str, Vectors | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of a change set.

    `trace` is where to see whether it was committed: the name and values of a statement. None
    when it wrote nothing.
    """

    result: Applied | Refused
    trace: tuple[str, dict[str, Any]] | None = None


async def was_written(session: Session, written: Written) -> bool:
    """Whether what `apply_in` wrote is in the database."""
    if written.trace is None:
        return True
    name, values = written.trace
    return bool(await session.value(name, **values))


async def apply_in(session: Session, schema: str, changes: ChangeSet) -> Written:
    """Write the change set, or nothing. Must be called in a transaction."""
    walls = walls_of(changes)
    if not walls and not changes.marks:
        # Nothing to write. A position no later entry falls short of is known between writers.
        await take_locks(session, exclusive=[model_lock(schema)])
        return Written(result=Applied(sequence=await session.value("last_sequence")))
    await lock_walls(session, schema, walls)
    if changes.marks:
        await lock_marks(session, schema, [mark.name for mark in changes.marks])
    ground = await ground_of(session, changes, walls)
    refused = refusal(changes, ground.standing)
    if refused is not None:
        return Written(result=refused)
    offered = next((item.vectors for item in changes.changes if item.vectors is not None), None)
    model = None if offered is None else await chosen_model(session, offered.model)
    await _empty_entries(session, changes, ground)
    await _refill_entries(session, changes)
    after = _after(changes, ground.stored, model)
    await _write_records(session, after, ground)
    await put_vectors(
        session,
        {(*after.memories[memory_id].scope.walls, memory_id): vectors
         for memory_id, vectors in after.vectors.items()},
    )  # fmt: skip
    await _count_accesses(session, ground)
    await _write_keys(session, changes)
    await count_uses(session, changes, ground.accesses)
    await session.many(
        "put_mark", [{"name": mark.name, "value": mark.value} for mark in changes.marks]
    )
    return await _write_journal(session, changes, ground)


def require_storable(changes: ChangeSet) -> None:
    """Refuse what no index entry can hold, before anything is asked of the database."""
    for tenant, user in walls_of(changes):
        if len(tenant.encode()) + len(user.encode()) > MAX_WALLS_BYTES:
            raise InvalidInput(
                f"scope.tenant and scope.user together have more than {MAX_WALLS_BYTES} bytes, "
                "which a PostgreSQL store cannot index; choose shorter identifiers"
            )
    for change in changes.changes:
        if len(change.after.id.encode()) > MAX_ID_BYTES:
            raise InvalidInput(f"the id {change.after.id[:40]!r}… exceeds {MAX_ID_BYTES} bytes")


def _after(changes: ChangeSet, stored: dict[str, Memory], model: str | None) -> _After:
    after = _After()
    for change in changes.changes:
        memory_id, offered = change.after.id, change.vectors
        before = after.memories.get(memory_id) or stored.get(memory_id)
        if before is None or memory_id in changes.emptied:
            after.memories[memory_id] = change.after
        else:
            after.memories[memory_id] = settled(change, before)
        if offered is not None and offered.model == model:
            after.vectors[memory_id] = offered
        elif before is not None and change.text_changed:
            after.vectors[memory_id] = None
    return after


async def _write_records(session: Session, after: _After, ground: Ground) -> None:
    new = [memory for memory in after.memories.values() if memory.id not in ground.stored]
    await session.many(
        "claim_id",
        [{"id": item.id, "tenant": item.scope.tenant, "user_id": item.scope.user} for item in new],
    )
    await session.many("put_memory", [row_of(memory) for memory in after.memories.values()])


async def _empty_entries(session: Session, changes: ChangeSet, ground: Ground) -> None:
    """Take the contents out of the journal entries that the emptied memories have so far."""
    ids_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for memory_id in changes.emptied & ground.stored.keys():
        ids_of[ground.stored[memory_id].scope.walls].append(memory_id)
    for (tenant, user), ids in ids_of.items():
        await session.rows("empty_entries", tenant=tenant, user_id=user, ids=ids)


async def _refill_entries(session: Session, changes: ChangeSet) -> None:
    await session.many(
        "refill_entry",
        [
            {
                **_walls(entry.scope),
                "sequence": entry.sequence,
                "seal": entry.seal,
                "salt": entry.salt,
                "reason": entry.reason,
                "change": canonical(dict(entry.change)),
            }
            for entry in changes.refilled
        ],
    )


async def _count_accesses(session: Session, ground: Ground) -> None:
    await session.many(
        "count_access",
        [
            {
                **_walls(access.scope),
                "id": access.memory_id,
                "count": access.count,
                "last_at": access.last_at,
            }
            for access in ground.accesses
        ],
    )


async def _write_keys(session: Session, changes: ChangeSet) -> None:
    await session.many(
        "write_key",
        [
            {
                **_walls(key.scope),
                "key_digest": key_digest(key.key),
                "key": key.key,
                "request": key.request,
                "answer": json.dumps(dict(key.answer), ensure_ascii=False),
                "at": changes.at,
            }
            for key in changes.idempotency
        ],
    )


async def _write_journal(session: Session, changes: ChangeSet, ground: Ground) -> Written:
    heads = {walls: digest for walls, (_, digest) in ground.heads.items()}
    lines = chained_lines(replace(changes, accesses=ground.accesses), heads)
    if not lines:
        reached = max((sequence for sequence, _ in ground.heads.values()), default=0)
        return Written(result=Applied(sequence=reached), trace=_trace_of(changes))
    rows = await session.rows(
        "write_entries",
        tenants=[item.line.scope.tenant for item in lines],
        users=[item.line.scope.user for item in lines],
        ats=[iso(item.line.at) for item in lines],
        operations=[item.line.operation.value for item in lines],
        memory_ids=[item.line.memory_id for item in lines],
        versions=[str(item.line.version) for item in lines],
        agents=[item.line.scope.agent for item in lines],
        sessions=[item.line.scope.session for item in lines],
        actors=[item.line.actor for item in lines],
        request_id=changes.request_id,
        config_hash=changes.config_hash,
        reasons=[item.line.reason for item in lines],
        changes=[item.change for item in lines],
        previouses=[item.previous for item in lines],
        digests=[item.digest for item in lines],
        salts=[item.salt for item in lines],
        seals=[item.seal for item in lines],
    )
    last, sequence = lines[-1], max(int(row["sequence"]) for row in rows)
    values = {**_walls(last.line.scope), "sequence": sequence, "digest": last.digest}
    return Written(result=Applied(sequence=sequence), trace=("has_entry", values))


def _trace_of(changes: ChangeSet) -> tuple[str, dict[str, Any]] | None:
    """Where to see that a set without journal entries was written."""
    if changes.marks:
        mark = changes.marks[0]
        return "has_mark", {"name": mark.name, "value": mark.value}
    if not changes.idempotency:
        return None
    key = changes.idempotency[0]
    values = {**_walls(key.scope), "key_digest": key_digest(key.key), "request": key.request}
    return "has_key", values


def _walls(scope: Scope) -> dict[str, Any]:
    return {"tenant": scope.tenant, "user_id": scope.user}
