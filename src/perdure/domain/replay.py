"""The state of memories at an earlier moment of knowledge, folded from the journal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.codec import Document, decode, merge
from perdure.domain.records import Memory
from perdure.domain.times import as_utc


def replay(entries: Iterable[JournalEntry], *, until: datetime | None = None) -> dict[str, Memory]:
    """Every memory the entries tell of, as it stood at `until` (inclusive; None: at the end).

    Entries must be in journal order and complete from the first. Counting accesses is not a
    change of what is believed, but it is replayed too, so rankings come out the same.
    """
    documents: dict[str, Document] = {}
    for entry in entries:
        if until is not None and entry.at > until:
            continue
        _fold(documents, entry)
    return {memory_id: decode(document) for memory_id, document in documents.items()}


def _fold(documents: dict[str, Document], entry: JournalEntry) -> None:
    if entry.operation is not Operation.ACCESSED:
        documents[entry.memory_id] = merge(documents.get(entry.memory_id, {}), entry.change)
        return
    document = documents.get(entry.memory_id)
    if document is not None:
        document["accessed_count"] = document.get("accessed_count", 0) + entry.change["count"]
        document["last_accessed_at"] = entry.change["last_at"]


def accessed(memory: Memory, *, count: int, last_at: datetime) -> Memory:
    """The memory after `count` more recalls, the last of them at `last_at`."""
    latest = max(filter(None, (memory.last_accessed_at, last_at)))
    return replace(
        memory, accessed_count=memory.accessed_count + count, last_accessed_at=as_utc(latest)
    )
