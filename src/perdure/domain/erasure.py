"""What is left of a memory after it was erased, and what keeps it from being taken in again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from hashlib import blake2b
from typing import Any

from perdure.domain.changes import Change, ChangeSet, Operation
from perdure.domain.journal import canonical
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.domain.text import identity_text

TRACE_BYTES = 16
KEY_BYTES = 32
Walls = tuple[str, str]


class Everything(Enum):
    """Says that no ids were given: a None where an id should be must not erase a whole scope."""

    EVERYTHING = "everything"


EVERYTHING = Everything.EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Erasure:
    """What a store erases in one transaction.

    `ids` are memories of the scope's (tenant, user); None takes everything behind these walls,
    for which the scope must name no agent and no session. `is_complete` says that `ids` should
    hold everything the scope admits, agent and session narrowing: when something else turns up,
    nothing is erased. `changes` are written along with it: facts that lose part of their support.
    """

    scope: Scope
    ids: frozenset[str] | None
    at: datetime
    is_complete: bool = False
    changes: tuple[Change, ...] = ()
    actor: str = ""
    reason: str | None = None
    config_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What a store erased. All of it is durable.

    `ids` are those that had anything to lose, in order. `counts` says how much went from each
    place. `places` are where in the archive copies of them lie. `sequence` and `digest` are those
    of the last journal entry written, 0 and "" when nothing had anything to lose.
    """

    ids: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    sequence: int = 0
    digest: str = ""


def is_erased(memory: Memory) -> bool:
    """Whether nothing is left to erase: the words are gone already, and no other copy is known."""
    return memory.state is State.FORGOTTEN and not memory.content and memory.archive is None


def tombstone(memory: Memory, at: datetime) -> Memory:
    """What is left of a memory erased at `at`: its id, scope, version and links, no contents.

    The place in the archive stays until the copy there is gone as well, so that a crash in
    between is noticed.
    """
    return Memory(
        id=memory.id,
        content="",
        scope=memory.scope,
        state=State.FORGOTTEN,
        version=memory.version + 1,
        occurred_at=memory.recorded_at,
        recorded_at=memory.recorded_at,
        valid_from=memory.recorded_at,
        retired_at=at,
        supersedes=memory.supersedes,
        superseded_by=memory.superseded_by,
        archive=memory.archive,
    )


def change_set_of(erasure: Erasure, memories: Iterable[Memory]) -> ChangeSet:
    """What erasing these memories writes into records and journal."""
    erased = tuple(
        Change(
            operation=Operation.ERASED,
            before=memory,
            after=tombstone(memory, erasure.at),
            reason=erasure.reason,
        )
        for memory in memories
    )
    return ChangeSet(
        changes=(*erasure.changes, *erased),
        at=erasure.at,
        actor=erasure.actor,
        config_hash=erasure.config_hash,
        emptied=frozenset(change.after.id for change in erased),
    )


def request_is_erased(answer: Mapping[str, Any], erased: frozenset[str] | set[str]) -> bool:
    """Whether all that a request stored, by the answer kept for it, is among the erased."""
    stored = answer.get("memories", [answer["id"]] if "id" in answer else [])
    return bool(stored) and erased.issuperset(stored)


def trace_of_words(key: bytes, walls: Walls, content: str) -> str:
    """What is kept of erased words, so that an import does not bring them back: a keyed hash.

    It is of the words as `identity_text` has them, so spacing and capitals do not get past it.
    """
    return _trace(key, "words", walls, identity_text(content))


def trace_of_request(key: bytes, walls: Walls, name: str) -> str:
    """The same of the key that a request or an observed message came with."""
    return _trace(key, "request", walls, name)


def trace_of_scope(key: bytes, scope: Scope) -> str:
    """Names a scope to who knows the key."""
    return _trace(key, "scope", scope.walls, canonical([scope.agent, scope.session]))


def _trace(key: bytes, kind: str, walls: Walls, text: str) -> str:
    covered = canonical([kind, *walls, text]).encode()
    return blake2b(covered, key=key, digest_size=TRACE_BYTES).hexdigest()


WITHHELD: Mapping[str, Any] = {"erased": True}
"""The answer to a request whose memories were erased."""
