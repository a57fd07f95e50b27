"""The journal's chain: each entry's digest covers the entry and, through it, all before.

One chain per (tenant, user), so users can be written side by side and one user's journal can be
verified, exported or erased without another's.

Contents can be removed and the chain still verifies: a digest covers them through a seal, keyed
with a salt that lies beside them. Without the salt the seal confirms no guess at what they were.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from perdure.domain.changes import ChangeSet, JournalEntry, Operation
from perdure.domain.codec import Document, difference
from perdure.domain.scope import Scope
from perdure.domain.times import iso

DIGEST_BYTES = SALT_BYTES = 16
GENESIS = ""
"""What the first entry of a chain has for `previous`."""


def canonical(value: Any) -> str:
    """JSON text that is the same for equal values: sorted keys, no spaces, UTF-8 characters."""
    return _ENCODER.encode(value) if _chunks is None else "".join(_chunks(value, 0))


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)
_make_encoder = getattr(json.encoder, "c_make_encoder", None)
# JSONEncoder makes this C function anew for every value, which takes longer than using it.
_chunks = _make_encoder and _make_encoder(
    None, _ENCODER.default, json.encoder.encode_basestring, None, ":", ",", True, False, False
)
"""What `_ENCODER` uses inside, made once; absent from interpreters without it."""


def seal_of(salt: str, reason: str | None, change: str) -> str:
    """What a digest covers of an entry's contents; `change` is canonical JSON, `salt` hexadecimal.

    Whoever writes the entry draws the salt at random.
    """
    said = "" if reason is None else f"={reason}"
    contents = f"{len(said)};{said}{change}".encode()
    return blake2b(contents, key=bytes.fromhex(salt), digest_size=DIGEST_BYTES).hexdigest()


def payload(
    *,
    at: str,
    operation: str,
    memory_id: str,
    version: int,
    actor: str,
    request_id: str,
    config_hash: str,
    seal: str,
) -> bytes:
    """The bytes a digest covers; `at` is an ISO time, `seal` what `seal_of` gives."""
    fields = (at, operation, memory_id, str(version), actor, request_id, config_hash, seal)
    # With the lengths in front, no two entries share their bytes, whatever the texts hold.
    lengths = ",".join([str(len(field)) for field in fields])
    return f"{lengths};{''.join(fields)}".encode()


def chained(previous: str, covered: bytes) -> str:
    """The digest after `previous`: hexadecimal BLAKE2b of 16 bytes."""
    return blake2b(previous.encode("ascii") + covered, digest_size=DIGEST_BYTES).hexdigest()


class Line(NamedTuple):
    """What one change or access writes into the journal. `change` holds the changed fields."""

    operation: Operation
    memory_id: str
    version: int
    scope: Scope
    reason: str | None
    change: Document
    at: datetime
    actor: str


def lines_of(changes: ChangeSet) -> Iterator[Line]:
    """What a change set writes into the journal, in order."""
    whole = set(changes.emptied)
    for change in changes.changes:
        after, before = change.after, change.before
        if after.id in whole:
            whole.discard(after.id)
            before = None
        yield Line(
            change.operation,
            after.id,
            after.version,
            after.scope,
            change.reason,
            difference(before, after),
            changes.at if change.at is None else change.at,
            changes.actor if change.actor is None else change.actor,
        )
    for access in changes.accesses:
        counted: Document = {"count": access.count, "last_at": iso(access.last_at)}
        yield Line(
            Operation.ACCESSED,
            access.memory_id,
            0,
            access.scope,
            None,
            counted,
            changes.at,
            changes.actor,
        )


def sealed(entry: JournalEntry) -> str:
    """The seal this entry must have; that of an emptied one is taken on trust."""
    if entry.is_emptied:
        return entry.seal
    return seal_of(entry.salt, entry.reason, canonical(dict(entry.change)))


def digest_of(entry: JournalEntry) -> str:
    """The digest this entry must have; compare with `entry.digest` to verify it."""
    return chained(
        entry.previous,
        payload(
            at=iso(entry.at),
            operation=entry.operation.value,
            memory_id=entry.memory_id,
            version=entry.version,
            actor=entry.actor,
            request_id=entry.request_id,
            config_hash=entry.config_hash,
            seal=sealed(entry),
        ),
    )


def emptied(entry: JournalEntry) -> JournalEntry:
    """The entry without its contents; its digest stays what it was, and verifies."""
    return entry if entry.is_emptied else replace(entry, reason=None, change={}, salt="")
