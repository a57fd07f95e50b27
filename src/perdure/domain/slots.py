"""Succession inside a slot: one current value at a time, ordered by when it became true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from perdure.domain.changes import Change, Operation
from perdure.domain.records import Memory, State

REPLACED_AT_ONCE = "a newer statement about the same moment"
SUCCEEDED = "a newer value began"
RESUMED = "resumes after a bounded exception"
FILLS_THE_PAST = "older news that arrived late"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Succession:
    """What storing a value does to its slot. `superseded` are the ids it took the place of."""

    changes: tuple[Change, ...]
    memory: Memory
    superseded: tuple[str, ...]


def retire(memory: Memory, *, by: str, at: datetime) -> Memory:
    """The memory no longer believed, replaced by `by`; its words stay readable."""
    state, version = _superseded(memory), memory.version + 1
    return replace(memory, state=state, retired_at=at, superseded_by=by, version=version)


def close(memory: Memory, *, by: str, until: datetime) -> Memory:
    """The memory true only until `until`, when `by` began."""
    state, version = _superseded(memory), memory.version + 1
    return replace(memory, state=state, valid_to=until, superseded_by=by, version=version)


def _superseded(memory: Memory) -> State:
    """The state of a memory that has a successor: what lies in the archive goes on lying there."""
    if memory.state in (State.ARCHIVED, State.COMPRESSED):
        return memory.state
    return State.SUPERSEDED


def succeed(
    members: Sequence[Memory], new: Memory, *, now: datetime, new_id: Callable[[], str]
) -> Succession:
    """Put `new` in its place among the unretired members of its slot.

    - The member valid when `new` begins ends there; one that began at the same moment was a
      mistake and is retired.
    - A later member stays: `new` ends where it begins, so late news fills the past.
    - When `new` has an end of its own inside the member it interrupts, that member's value
      resumes afterwards as a new record.
    """
    ordered = sorted(members, key=lambda item: (item.valid_from, item.id))
    start = new.valid_from
    following = next((item for item in ordered if item.valid_from > start), None)
    covering = [
        item
        for item in ordered
        if item.valid_from <= start and (item.valid_to is None or item.valid_to > start)
    ]
    new = replace(new, supersedes=(*new.supersedes, *(item.id for item in covering)))
    own_end = new.valid_to
    if following is not None and (own_end is None or own_end > following.valid_from):
        new = replace(
            new, valid_to=following.valid_from, superseded_by=following.id, state=State.SUPERSEDED
        )
    is_late = following is not None and following.valid_from <= now
    reason = FILLS_THE_PAST if is_late else None
    changes = [Change(operation=Operation.CREATED, after=new, reason=reason)]
    for item in covering:
        changes.append(_ended(item, new, now))
        if item.valid_from < start:
            changes.extend(_resumed(item, new, now, new_id))
    return Succession(
        changes=tuple(changes), memory=new, superseded=tuple(item.id for item in covering)
    )


def _ended(item: Memory, new: Memory, now: datetime) -> Change:
    if item.valid_from == new.valid_from:
        return Change(
            operation=Operation.SUPERSEDED,
            before=item,
            after=retire(item, by=new.id, at=now),
            reason=REPLACED_AT_ONCE,
        )
    return Change(
        operation=Operation.SUPERSEDED,
        before=item,
        after=close(item, by=new.id, until=new.valid_from),
        reason=SUCCEEDED,
    )


def _resumed(item: Memory, new: Memory, now: datetime, new_id: Callable[[], str]) -> list[Change]:
    end = new.valid_to
    if end is None or new.superseded_by is not None:
        return []
    if item.valid_to is not None and item.valid_to <= end:
        return []
    resumed = replace(
        item,
        id=new_id(),
        version=1,
        valid_from=end,
        recorded_at=now,
        supersedes=(new.id,),
        provenance=(*item.provenance, item.id),
    )
    return [Change(operation=Operation.CREATED, after=resumed, reason=RESUMED)]
