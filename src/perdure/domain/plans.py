"""What upkeep would do, or did: one action for each memory, with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from perdure.domain.scope import Scope


class ActionKind(StrEnum):
    """What is done with a memory.

    `compress`: a summary takes the place of its words, which go to the archive. `archive`: it goes
    to the archive whole, and leaves recall. `expire`: its time to live has run out, and it is
    forgotten. `evict`: there is no room for it, and it leaves recall. `consolidate`: facts and
    summaries are drawn from it.
    """

    COMPRESS = "compress"
    ARCHIVE = "archive"
    EXPIRE = "expire"
    EVICT = "evict"
    CONSOLIDATE = "consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing to do with one memory, and why.

    `bytes_saved` is about how much smaller the store becomes by it; 0 when the words stay in it.
    """

    memory_id: str
    action: ActionKind
    reason: str
    bytes_saved: int
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Actions, in the order in which they are taken.

    `applied` tells what was done from what would be. `notes` say what limits the plan: that no
    archive is configured, or that memories which are never evicted fill a scope beyond its quota.
    """

    actions: tuple[Action, ...] = ()
    applied: bool = False
    notes: tuple[str, ...] = ()

    @property
    def bytes_saved(self) -> int:
        """About how many bytes all actions save together."""
        return sum(action.bytes_saved for action in self.actions)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many actions of each kind there are."""
        return dict(Counter(action.action.value for action in self.actions))

    def __len__(self) -> int:
        return len(self.actions)

    def __bool__(self) -> bool:
        return bool(self.actions)
