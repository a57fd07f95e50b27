"""Everything a store writes, as values: changes with preconditions, and the journal they leave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.errors import InvalidInput


class Operation(StrEnum):
    """What happened to a memory; the word in the journal and in `history`."""

    CREATED = "created"
    UPDATED = "updated"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    PROMOTED = "promoted"
    REINFORCED = "reinforced"
    IMPORTED = "imported"
    ACCESSED = "accessed"
    CONSOLIDATED = "consolidated"
    COMPRESSED = "compressed"
    ARCHIVED = "archived"
    ERASED = "erased"


EMPTYING = frozenset({Operation.COMPRESSED, Operation.ARCHIVED, Operation.ERASED})
"""The only operations that may take the contents out of a memory's earlier journal entries."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TokenVectors:
    """The vectors of a text's words or pieces of words: int8, shape (pieces, dimension).

    `domain.late_interaction.packed` makes them from unit rows. No pieces at all says that the model
    (its identity, apart from that of `Vectors`) cannot read the text.
    """

    model: str
    rows: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vectors:
    """The vectors of one memory: float32, shape (pieces, dimension), unit length, all by `model`.

    The first row is the whole text where it was embedded whole; further rows are its pieces.
    `tokens` are the vectors of its words, where the embedder makes such.
    """

    model: str
    rows: NDArray[np.float32]
    tokens: TokenVectors | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Change:
    """One memory before and after. `before` None means it is new.

    Precondition: without `before` no memory has the id; with it the stored version is
    `before.version`, and `after.version` is one more. `vectors` None leaves the stored ones when
    the searchable text is unchanged and removes them when it changed: an old vector must never
    find a new text. Counts of accesses are written only where `after` differs from `before` in
    them, so that recalls counted meanwhile are not undone. `at` and `actor` override the change set's (an import keeps the history's).
    `operation` is for the journal and decides nothing. Id and scope never change.

    Counting accesses does not raise the version: a change that leaves `accessed_count` or
    `last_accessed_at` as it is in `before` leaves the stored value, which may be further on
    (`domain.replay.settled`).
    """

    operation: Operation
    before: Memory | None = None
    after: Memory
    vectors: Vectors | None = None
    reason: str | None = None
    at: datetime | None = None
    actor: str | None = None

    @property
    def text_changed(self) -> bool:
        """Whether what a search sees differs from before."""
        return self.before is None or self.before.indexed_text != self.after.indexed_text


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotState:
    """Precondition: `Store.slot(scope, key)` gives exactly these (id, version) pairs.

    It is the slot before the change set that is looked at.
    """

    scope: Scope
    key: str
    members: frozenset[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """One (tenant, user)'s key for one request; agent and session do not tell keys apart.

    `request` is a digest of what was asked; `answer` (JSON) is what the same request gets back
    when it comes again. Written in the same transaction as the changes.
    """

    scope: Scope
    key: str
    request: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """How often a memory was recalled since the last write, and when last.

    An access to a memory that does not exist behind the scope's walls is dropped without a trace.
    """

    memory_id: str
    scope: Scope
    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far some work has come: a number the store keeps under a name, beside the memories.

    Precondition: the stored number is `was` (None: there is none yet). It becomes `value`, of at
    most 63 bits. So of two who did the same work only one can write it.
    """

    name: str
    value: int
    was: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangeSet:
    """What is written together or not at all.

    Several changes of one memory may follow each other; each one's `before` is then the `after`
    of the one before it, and each leaves its own journal entry. `slots` and `idempotency` look at
    the store as it was before the set.
    `unless_known` names changes (by position) that must not be applied when a stored memory, as
    the changes before that position leave it, already says the same (`domain.duplicates.restates`
    at the time `at`), or an earlier change of this set made one say it.
    A set with idempotency keys and no changes still records the keys.

    `emptied` names memories, changed in the set by an operation of `EMPTYING`, whose journal
    entries from before the set lose their contents in the same transaction
    (`domain.journal.emptied`). The first change of such a memory is journalled whole, so that
    replay goes on from it, and its counts of accesses are written as `after` has them.

    `refilled` are journal entries with the contents that the journal lost: they are written back
    into the entries of that sequence that are empty and have the same seal, and nowhere else. Who
    offers them has made sure that the contents have that seal.

    `marks`, each name once, leave no journal entry; a set of nothing else is written too.
    """

    changes: tuple[Change, ...]
    at: datetime
    actor: str = ""
    request_id: str = ""
    config_hash: str = ""
    unless_known: frozenset[int] = frozenset()
    slots: tuple[SlotState, ...] = ()
    idempotency: tuple[IdempotencyKey, ...] = ()
    accesses: tuple[Accesses, ...] = ()
    emptied: frozenset[str] = frozenset()
    refilled: tuple[JournalEntry, ...] = ()
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        if self.emptied:
            allowed = {item.after.id for item in self.changes if item.operation in EMPTYING}
            if unexplained := sorted(self.emptied - allowed):
                raise InvalidInput(
                    f"the earlier entries of memory {unexplained[0]} may only be emptied together "
                    f"with a change that is one of {', '.join(sorted(EMPTYING))}"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """All of it is durable.

    `sequence` is that of the last journal entry written, or, when none was, a position that the
    journal has reached.
    """

    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Nothing was written, because a precondition failed.

    `known` maps positions of `unless_known` changes to the memory that already says it: of several
    stored ones that with the smallest id, otherwise the first of the set that says it and is not
    itself known, so that all of them may be left out together.
    `stale` lists ids whose version moved, that are gone or that exist already; `slots` the keys
    that changed. `repeated` maps positions in `idempotency` to the answer of the earlier request
    with the same key and digest; `clashing` lists positions whose key was used with another
    digest. An earlier key of the same set counts as an earlier request. The answer to a key whose
    memories were erased is `domain.erasure.WITHHELD`, whatever its digest. `marks` are the names of
    those that were moved meanwhile. `held` lists memories that a legal hold keeps from being erased.
    """

    known: Mapping[int, Memory] = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    repeated: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    clashing: tuple[int, ...] = ()
    marks: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One line of the journal. `change` holds the changed fields as `domain.codec` writes them.

    `digest` covers this entry and, through `previous`, all before it: hexadecimal BLAKE2b. It
    covers the contents (`reason` and `change`) through their `seal`, which the random `salt` keys.
    Once they were removed, `change` is empty, `reason` None and `salt` blank.
    """

    sequence: int
    at: datetime
    operation: Operation
    memory_id: str
    version: int
    scope: Scope
    actor: str
    request_id: str
    config_hash: str
    reason: str | None
    change: Mapping[str, Any]
    previous: str
    digest: str
    salt: str
    seal: str

    @property
    def is_emptied(self) -> bool:
        """Whether the contents were removed and only the skeleton is left."""
        return not self.salt
