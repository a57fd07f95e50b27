"""What consolidation looks at, and what of it may be told again."""

from __future__ import annotations

from hashlib import blake2b

from perdure.domain.changes import JournalEntry, Operation
from perdure.domain.confidence import NOBODY_VOUCHES
from perdure.domain.duplicates import is_near_duplicate
from perdure.domain.records import Kind, Memory, State
from perdure.domain.scope import Scope

EPISODES = frozenset((Kind.EPISODIC, Kind.LONG_TERM))
_TELLING = frozenset(
    "content kind state confidence retired_at superseded_by valid_from valid_to occurred_at "
    "expires_at contradicts provenance supports".split()
)
"""What of a memory matters to consolidation; recalls, edits of metadata and its own links do not."""


def concerns(entry: JournalEntry) -> bool:
    """Whether a memory has to be looked at because of this entry, whatever its importance."""
    own = (Operation.ACCESSED, Operation.CONSOLIDATED)
    return entry.operation not in own and not _TELLING.isdisjoint(entry.change)


def is_episode(memory: Memory) -> bool:
    """Whether it is somebody's words, kept here and not withdrawn."""
    return (
        memory.kind in EPISODES
        and memory.state in (State.ACTIVE, State.COMPRESSED)
        and memory.retired_at is None
    )


def may_be_told(memory: Memory) -> bool:
    """Whether a summary may tell it: it holds for good, as far as anybody knows, in its own words.

    Not what nobody vouches for, what is contested, what ends by itself or expires: a summary would
    tell it as true, and for longer. Nor what was compressed: that is an extract already.
    """
    return (
        is_episode(memory)
        and memory.state is State.ACTIVE
        and memory.expires_at is None
        and memory.confidence > NOBODY_VOUCHES
        and may_stay_told(memory)
    )


def may_stay_told(memory: Memory) -> bool:
    """Whether a summary that tells it may stay: also when its own words were compressed, or lie in
    the archive."""
    return (
        memory.state in (State.ACTIVE, State.COMPRESSED, State.ARCHIVED)
        and memory.retired_at is None
        and memory.superseded_by is None
        and memory.valid_to is None
        and not memory.contradicts
    )


def says_the_same(one: Memory, other: Memory) -> bool:
    """Whether two memories are one statement, told twice."""
    return one.source.speaker == other.source.speaker and is_near_duplicate(
        one.content, other.content
    )


def withdraws(before: Memory, after: Memory) -> bool:
    """Whether a change takes from a memory what a summary may have told of it."""
    if before.content != after.content and before.state is after.state:
        return True  # worded anew; compressing, archiving and bringing back change the state
    return may_stay_told(before) and not may_stay_told(after)


def mark_name(scope: Scope) -> str:
    """Under which name it is kept how far a user's memories (with one agent) were consolidated."""
    return f"consolidated {_digest(scope.tenant, scope.user, scope.agent)}"


def sweep_name(scope: Scope) -> str:
    """The same for all users of a tenant together."""
    return f"consolidated all {_digest(scope.tenant)}"


def lease_name(scope: Scope) -> str:
    """The lease of whoever consolidates a user's memories."""
    return f"consolidating {_digest(scope.tenant, scope.user)}"


def _digest(*parts: str) -> str:
    """No name tells whose memories they are."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(text.encode("utf-8"), digest_size=12).hexdigest()
