"""The state of memories at an earlier moment of knowledge, folded from the journal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from perdure.domain.changes import Change, JournalEntry, Operation
from perdure.domain.codec import Document, decode, merge
from perdure.domain.records import Memory
from perdure.domain.times import as_utc, iso


def replay(entries: Iterable[JournalEntry], *, until: datetime | None = None) -> dict[str, Memory]:
    """Every memory the entries tell of, as it stood at `until` (inclusive; None: at the end).

    Entries must be in journal order and complete from the first. Counting accesses is not a
    change of what is believed, but it is replayed too, so rankings come out the same. What came
    after a later change of the same memory is later as well, even if a clock went back between.
    Entries without their contents tell nothing: a memory begins with the first that has any.
    """
    documents: dict[str, Document] = {}
    ended: set[str] = set()
    for entry in entries:
        if entry.is_emptied or entry.memory_id in ended:
            continue
        if until is not None and entry.at > until:
            ended.add(entry.memory_id)
            continue
        _fold(documents, entry)
    return {memory_id: decode(document) for memory_id, document in documents.items()}


def _fold(documents: dict[str, Document], entry: JournalEntry) -> None:
    if entry.operation is not Operation.ACCESSED:
        is_whole = "id" in entry.change
        before = {} if is_whole else documents.get(entry.memory_id, {})
        documents[entry.memory_id] = merge(before, entry.change)
        return
    document = documents.get(entry.memory_id)
    if document is not None:
        document["accessed_count"] = document.get("accessed_count", 0) + entry.change["count"]
        times = (document.get("last_accessed_at"), entry.change["last_at"])
        document["last_accessed_at"] = iso(max(as_utc(time) for time in times if time))


def accessed(memory: Memory, *, count: int, last_at: datetime) -> Memory:
    """The memory after `count` more recalls, the last of them at `last_at`."""
    latest = max(filter(None, (memory.last_accessed_at, last_at)))
    return replace(
        memory, accessed_count=memory.accessed_count + count, last_accessed_at=as_utc(latest)
    )


def settled(change: Change, stored: Memory) -> Memory:
    """What a change makes of the stored memory, whose version is `change.before.version`.

    Accesses do not raise the version, so the stored counters may be ahead of `before`. A change
    that leaves a counter as it found it leaves the stored one, as replaying its entry does.
    """
    before, after = change.before, change.after
    if before is None:
        return after
    count, last_at = after.accessed_count, after.last_accessed_at
    return replace(
        after,
        accessed_count=stored.accessed_count if count == before.accessed_count else count,
        last_accessed_at=(
            stored.last_accessed_at if last_at == before.last_accessed_at else last_at
        ),
    )
