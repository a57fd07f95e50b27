"""The journal's chain: each entry's digest covers the entry and, through it, all before.

One chain per (tenant, user), so users can be written side by side and one user's journal can be
verified, exported or erased without another's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from perdure.domain.changes import Accesses, Change, ChangeSet, JournalEntry, Operation
from perdure.domain.codec import Document, difference
from perdure.domain.scope import Scope
from perdure.domain.times import iso

DIGEST_BYTES = 16
GENESIS = ""
"""What the first entry of a chain has for `previous`."""


def canonical(value: Any) -> str:
    """JSON text that is the same for equal values: sorted keys, no spaces, UTF-8 characters."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def payload(
    *,
    at: str,
    operation: str,
    memory_id: str,
    version: int,
    actor: str,
    request_id: str,
    config_hash: str,
    reason: str | None,
    change: str,
) -> bytes:
    """The bytes a digest covers; `change` is canonical JSON, `at` an ISO time."""
    fields = (
        at, operation, memory_id, str(version), actor, request_id, config_hash, reason or "", change
    )  # fmt: skip
    return "\x1f".join(fields).encode("utf-8")


def chained(previous: str, covered: bytes) -> str:
    """The digest after `previous`: hexadecimal BLAKE2b of 16 bytes."""
    return blake2b(previous.encode("ascii") + covered, digest_size=DIGEST_BYTES).hexdigest()


def lines_of(changes: ChangeSet) -> Iterator[tuple[Operation, str, int, Scope, str | None, Document]]:
    """What a change set writes into the journal, in order:
    (operation, memory id, version, scope, reason, changed fields)."""
    for change in changes.changes:
        yield _change_line(change)
    for access in changes.accesses:
        yield _access_line(access)


def _change_line(change: Change) -> tuple[Operation, str, int, Scope, str | None, Document]:
    after = change.after
    return (
        change.operation,
        after.id,
        after.version,
        after.scope,
        change.reason,
        difference(change.before, after),
    )


def _access_line(access: Accesses) -> tuple[Operation, str, int, Scope, str | None, Document]:
    change: Document = {"count": access.count, "last_at": iso(access.last_at)}
    return Operation.ACCESSED, access.memory_id, 0, access.scope, None, change


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
            reason=entry.reason,
            change=canonical(dict(entry.change)),
        ),
    )


