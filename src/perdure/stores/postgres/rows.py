"""A memory as a row of `memories`, a journal entry as a row of `journal`, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from perdure.domain.analysis import lexemes
from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.journal import canonical
from perdure.domain.records import EMPTY, Json, Kind, Memory, Metadata, Source, State
from perdure.domain.resting import review_due_at
from perdure.domain.scope import Scope
from perdure.domain.text import fingerprint
from perdure.errors import CorruptStore
from perdure.stores._sql.filters_postgres import instants_of, numeric_json, survives_jsonb
from perdure.stores._sql.rare_fields import rare_document, rare_fields

Row = Mapping[str, Any]
"""A row as the driver gives it: values by column."""

_PLAIN = (
    "id", "version", "content", "importance", "confidence", "occurred_at", "occurred_until",
    "recorded_at", "retired_at", "valid_from", "valid_to", "expires_at", "superseded_by", "pinned",
    "key", "subject", "predicate", "object", "polarity", "accessed_count", "used_count",
    "last_accessed_at", "archive", "held",
)  # fmt: skip
"""Fields whose column has their name and holds their value."""


def row_of(memory: Memory) -> dict[str, Any]:
    """The values of every column, by name."""
    scope, metadata = memory.scope, dict(memory.metadata)
    rare = rare_document(memory)
    if not survives_jsonb(metadata):
        rare["metadata"] = metadata
    return {
        **{name: getattr(memory, name) for name in _PLAIN},
        "tenant": scope.tenant,
        "user_id": scope.user,
        "agent": scope.agent,
        "session": scope.session,
        "kind": memory.kind.value,
        "state": memory.state.value,
        "role": memory.source.role,
        "speaker": memory.source.speaker,
        "metadata": numeric_json(metadata),
        "extra": canonical(rare) if rare else None,
        **derived_from(memory),
    }


def derived_from(memory: Memory) -> dict[str, Any]:
    """The columns that follow from the others."""
    return {
        "fingerprint": fingerprint(memory.content),
        "lexemes": array_literal(lexemes(memory.indexed_text)),
        "instants": json.dumps(instants_of(memory)),
        "interval_days": float(memory.strength.interval_days),
        "review_due_at": review_due_at(memory.strength),
    }


def array_literal(numbers: Iterable[int]) -> str:
    """The numbers as PostgreSQL writes an array."""
    return "{" + ",".join(map(str, numbers)) + "}"


def scope_of(row: Row) -> Scope:
    """The scope of a memory or an entry."""
    return Scope(
        tenant=row["tenant"], agent=row["agent"], user=row["user_id"], session=row["session"]
    )


def memory_of(row: Row) -> Memory:
    """The memory of a row of `memory_columns`. Raises `CorruptStore` when it describes none."""
    try:
        return _memory_of(row)
    except (TypeError, ValueError, KeyError) as error:
        raise CorruptStore(
            f"the row of memory {row['id']!r} was altered and describes no memory; "
            "run verify, and restore the row from a backup"
        ) from error


def _memory_of(row: Row) -> Memory:
    document: dict[str, Json] = json.loads(row["extra"]) if row["extra"] else {}
    metadata = document.pop("metadata", None) or json.loads(row["metadata"])
    rare = rare_fields(document)
    return Memory(
        **{name: row[name] for name in _PLAIN},
        scope=scope_of(row),
        kind=Kind(row["kind"]),
        state=State(row["state"]),
        source=Source(
            role=row["role"], speaker=row["speaker"], message_ids=rare.source.message_ids
        ),
        metadata=Metadata(metadata) if metadata else EMPTY,
        supersedes=rare.supersedes,
        causes=rare.causes,
        provenance=rare.provenance,
        attachments=rare.attachments,
        strength=rare.strength,
        supports=rare.supports,
        contradicts=rare.contradicts,
    )


def entry_of(row: Row) -> JournalEntry:
    """The entry of a row of `entry_columns`."""
    return JournalEntry(
        sequence=row["sequence"],
        at=row["at"],
        operation=Operation(row["operation"]),
        memory_id=row["memory_id"],
        version=row["version"],
        scope=scope_of(row),
        actor=row["actor"],
        request_id=row["request_id"],
        config_hash=row["config_hash"],
        reason=row["reason"],
        change=json.loads(row["change"]) if row["salt"] else {},
        previous=row["previous"],
        digest=row["digest"],
        salt=row["salt"],
        seal=row["seal"],
    )
