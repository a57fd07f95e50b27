"""What `check` of any store must find in records and journal, however they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from perdure.domain.changes import EMPTYING, JournalEntry
from perdure.domain.codec import difference
from perdure.domain.journal import GENESIS, digest_of, sealed
from perdure.domain.records import Memory
from perdure.domain.replay import replay
from perdure.ports.store import Finding


def chain_findings(chain: Iterable[JournalEntry]) -> Iterator[Finding]:
    """Entries of one (tenant, user)'s journal that were altered, or that follow a gap.

    Contents may be gone only where a later entry of the memory tells what removed them.
    """
    previous = GENESIS
    emptied: dict[str, int] = {}
    for entry in chain:
        if entry.previous != previous:
            yield Finding(
                place="journal",
                problem=f"entry {entry.sequence} does not follow the entry before it",
                memory_id=entry.memory_id,
            )
        # The seal lies there for the day when nothing else is left to say what it was.
        if sealed(entry) != entry.seal or digest_of(entry) != entry.digest:
            yield Finding(
                place="journal",
                problem=f"entry {entry.sequence} was altered after it was written",
                memory_id=entry.memory_id,
            )
        previous = entry.digest
        if entry.is_emptied:
            emptied[entry.memory_id] = entry.sequence
        elif entry.operation in EMPTYING:
            emptied.pop(entry.memory_id, None)
    for memory_id, sequence in emptied.items():
        yield Finding(
            place="journal",
            problem=f"the contents of entry {sequence} are gone, and no entry says why",
            memory_id=memory_id,
        )


def replay_findings(
    entries: Iterable[JournalEntry], stored: Mapping[str, Memory]
) -> Iterator[Finding]:
    """Records that are not what their journal tells. Both must be complete for the same walls."""
    try:
        told = replay(entries)
    except (TypeError, ValueError, KeyError) as error:
        # Entries that others build on are missing or altered; the chain's findings say which.
        problem = f"the journal cannot be replayed ({type(error).__name__})"
        yield Finding(place="records", problem=problem)
        return
    for memory_id in sorted(stored.keys() | told.keys()):
        if memory_id not in stored:
            problem = "the journal tells of it, but it is not stored"
        elif memory_id not in told:
            problem = "it is stored, but the journal does not tell of it"
        elif wrong := difference(told[memory_id], stored[memory_id]):
            problem = f"stored otherwise than the journal tells: {', '.join(sorted(wrong))}"
        else:
            continue
        yield Finding(place="records", problem=problem, memory_id=memory_id)


def unfinished(*, repaired: bool) -> Finding:
    """Something was erased, and nobody got round to freeing the files of its bytes."""
    return Finding(
        place="files", problem="bytes of what was erased may still lie in them", repaired=repaired
    )


def link_findings(stored: Mapping[str, Memory]) -> Iterator[Finding]:
    """Memories that name a successor that does not exist. `stored` is one (tenant, user)'s."""
    for memory in stored.values():
        if memory.superseded_by is not None and memory.superseded_by not in stored:
            yield Finding(
                place="links",
                problem="the memory it says it was superseded by does not exist",
                memory_id=memory.id,
            )
