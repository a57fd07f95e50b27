"""What becomes of a memory on its way into the archive and back. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from perdure.domain.batches import Place, Whole
from perdure.domain.changes import JournalEntry
from perdure.domain.journal import sealed
from perdure.domain.records import EMPTY, NO_SOURCE, Memory, Source, State

PUT_AWAY = ("content", "metadata", "object", "attachments", "source")
"""The fields whose values lie in the archive only. What tells whose a memory is, when it was, what
slot it fills, what it rests on and how it was used stays, and may change while it lies there."""


def may_rest(memory: Memory) -> bool:
    """Whether a memory may be compressed or archived: one under a legal hold stays as it is, and
    what is forgotten or a stub has nothing to put away."""
    return memory.state is not State.FORGOTTEN and not memory.held and bool(memory.content)


def stub_of(memory: Memory, place: Place) -> Memory:
    """What stays of an archived memory: its next version, without words."""
    return replace(
        memory,
        content="",
        metadata=EMPTY,
        object=None,
        attachments=(),
        source=_role_only(memory.source),
        state=State.ARCHIVED,
        archive=str(place),
        version=memory.version + 1,
    )


def _role_only(source: Source) -> Source:
    return NO_SOURCE if source.role is None else Source(role=source.role)


def summarised(memory: Memory, summary: str, place: Place) -> Memory:
    """A compressed memory: its next version, with a summary for its words.

    One that was superseded keeps being so by `superseded_by`.
    """
    return replace(
        memory,
        content=summary,
        state=State.COMPRESSED,
        archive=str(place),
        version=memory.version + 1,
    )


def brought_back(stored: Memory, archived: Memory) -> Memory:
    """The memory with its words again, at its next version.

    What is stored has moved on where upkeep and others may move it (links, validity, importance,
    strength, counts, legal hold), and stays. Of a compressed one only the words come back: the
    rest of it never left.
    """
    taken: dict[str, Any] = {"content": archived.content}
    if stored.state is State.ARCHIVED:
        taken = {name: getattr(archived, name) for name in PUT_AWAY}
    state = State.ACTIVE if stored.superseded_by is None else State.SUPERSEDED
    return replace(stored, **taken, state=state, version=stored.version + 1)


def refills(skeletons: Iterable[JournalEntry], archived: Iterable[JournalEntry]) -> tuple[
    JournalEntry, ...
]:  # fmt: skip
    """The archived entries that give emptied ones their contents back.

    Only those whose contents have the seal that the journal kept: what was altered in the archive
    does not come into the journal.
    """
    seals = {entry.sequence: entry.seal for entry in skeletons if entry.is_emptied}
    return tuple(
        entry
        for entry in archived
        if not entry.is_emptied
        and seals.get(entry.sequence) == entry.seal
        and sealed(entry) == entry.seal
    )


def filled(
    entries: Sequence[JournalEntry], archived: Iterable[JournalEntry]
) -> tuple[JournalEntry, ...]:
    """The journal's entries, with the contents that the archive has of emptied ones."""
    known: Mapping[int, JournalEntry] = {
        entry.sequence: entry for entry in refills(entries, archived)
    }
    return tuple(known.get(entry.sequence, entry) for entry in entries)


def made_whole(standing: Whole, archived: Whole) -> Whole:
    """All of a memory that lies in part in the archive: what to archive it with again."""
    back = brought_back(standing.memory, archived.memory)
    vectors = standing.vectors if standing.memory.state is State.ACTIVE else archived.vectors
    return Whole(
        memory=replace(back, version=standing.memory.version),
        entries=filled(standing.entries, archived.entries),
        vectors=vectors,
    )
