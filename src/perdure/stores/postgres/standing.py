"""What a change set's preconditions ask about, read under the locks that keep it so."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b

from perdure.domain.changes import Accesses, ChangeSet, IdempotencyKey
from perdure.domain.erasure import WITHHELD, trace_of_request
from perdure.domain.preconditions import Standing, StoredVersion, UsedKey
from perdure.domain.records import Memory
from perdure.domain.text import fingerprint
from perdure.stores._sql.chain import Walls
from perdure.stores.postgres.rows import memory_of
from perdure.stores.postgres.transactions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What the store holds of what the change set touches.

    `stored` are the memories it changes, by id; `heads` the last (sequence, digest) of each
    journal it writes to, for those that have one; `accesses` those whose memory exists.
    """

    standing: Standing
    stored: dict[str, Memory]
    heads: dict[Walls, tuple[int, str]]
    accesses: tuple[Accesses, ...]


def walls_of(changes: ChangeSet) -> list[Walls]:
    """Every (tenant, user) the change set reads or writes, in the order of locking."""
    scopes = [change.after.scope for change in changes.changes]
    scopes += [change.before.scope for change in changes.changes if change.before is not None]
    scopes += [slot.scope for slot in changes.slots]
    scopes += [key.scope for key in changes.idempotency]
    scopes += [access.scope for access in changes.accesses]
    return sorted({scope.walls for scope in scopes})


async def ground_of(session: Session, changes: ChangeSet, walls: list[Walls]) -> Ground:
    """Read it all. The locks must be held."""
    stored = await _stored(session, changes)
    return Ground(
        standing=Standing(
            versions={
                memory.id: StoredVersion(memory.version, memory.scope.walls)
                for memory in stored.values()
            },
            slots=await _slots(session, changes),
            alike=await _alike(session, changes),
            used=await _used_keys(session, changes),
            marks=await _marks(session, changes),
        ),
        stored=stored,
        heads=await _heads(session, walls),
        accesses=await _present(session, changes),
    )


async def _stored(session: Session, changes: ChangeSet) -> dict[str, Memory]:
    ids = list({change.after.id for change in changes.changes})
    rows = await session.rows("stored", ids=ids) if ids else []
    return {row["id"]: memory_of(row) for row in rows}


async def _slots(session: Session, changes: ChangeSet) -> dict[int, list[tuple[str, int]]]:
    members: dict[int, list[tuple[str, int]]] = defaultdict(list)
    slots = changes.slots
    if slots:
        for row in await session.rows(
            "slot_versions",
            tenants=[slot.scope.tenant for slot in slots],
            users=[slot.scope.user for slot in slots],
            agents=[slot.scope.agent for slot in slots],
            sessions=[slot.scope.session for slot in slots],
            keys=[slot.key for slot in slots],
        ):
            members[row["place"] - 1].append((row["id"], row["version"]))
    return members


async def _alike(session: Session, changes: ChangeSet) -> dict[int, list[Memory]]:
    alike: dict[int, list[Memory]] = defaultdict(list)
    positions = sorted(changes.unless_known)
    if positions:
        asked = [changes.changes[position].after for position in positions]
        for row in await session.rows(
            "alike",
            tenants=[memory.scope.tenant for memory in asked],
            users=[memory.scope.user for memory in asked],
            fingerprints=[str(fingerprint(memory.content)) for memory in asked],
        ):
            alike[positions[row["place"] - 1]].append(memory_of(row))
    return alike


async def _used_keys(session: Session, changes: ChangeSet) -> dict[int, UsedKey]:
    keys = changes.idempotency
    if not keys:
        return {}
    rows = await session.rows(
        "used_keys",
        tenants=[key.scope.tenant for key in keys],
        users=[key.scope.user for key in keys],
        digests=[key_digest(key.key) for key in keys],
    )
    used = {row["place"] - 1: UsedKey(row["request"], json.loads(row["answer"])) for row in rows}
    return {**used, **await _withheld_keys(session, keys)}


async def _withheld_keys(session: Session, keys: tuple[IdempotencyKey, ...]) -> dict[int, UsedKey]:
    """Keys whose memories were erased."""
    secret = await session.value("withholding_key")
    if secret is None:
        return {}
    traces = [trace_of_request(bytes.fromhex(secret), key.scope.walls, key.key) for key in keys]
    rows = await session.rows(
        "withheld_among",
        tenants=[key.scope.tenant for key in keys],
        users=[key.scope.user for key in keys],
        traces=traces,
    )
    return {row["place"] - 1: UsedKey(keys[row["place"] - 1].request, WITHHELD) for row in rows}


async def _marks(session: Session, changes: ChangeSet) -> dict[str, int]:
    if not changes.marks:
        return {}
    rows = await session.rows("marks", names=[mark.name for mark in changes.marks])
    return {row["name"]: row["value"] for row in rows}


async def _heads(session: Session, walls: list[Walls]) -> dict[Walls, tuple[int, str]]:
    rows = await session.rows(
        "heads", tenants=[tenant for tenant, _ in walls], users=[user for _, user in walls]
    )
    return {(row["tenant"], row["user_id"]): (row["sequence"], row["digest"]) for row in rows}


async def _present(session: Session, changes: ChangeSet) -> tuple[Accesses, ...]:
    """The accesses whose memory exists behind their walls, or will after the changes."""
    if not changes.accesses:
        return ()
    rows = await session.rows(
        "present",
        tenants=[access.scope.tenant for access in changes.accesses],
        users=[access.scope.user for access in changes.accesses],
        ids=[access.memory_id for access in changes.accesses],
    )
    present = {(row["tenant"], row["user_id"], row["id"]) for row in rows}
    present |= {(*change.after.scope.walls, change.after.id) for change in changes.changes}
    return tuple(
        access for access in changes.accesses if (*access.scope.walls, access.memory_id) in present
    )


def key_digest(key: str) -> str:
    """What an idempotency key is found by: it may itself be longer than an index entry."""
    return blake2b(key.encode(), digest_size=16).hexdigest()
