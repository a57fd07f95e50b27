"""Whether a change set may be written, given what the store holds of what it touches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from perdure.domain.changes import Change, ChangeSet, IdempotencyKey, Refused, SlotState
from perdure.domain.duplicates import restates
from perdure.domain.records import Memory
from perdure.domain.text import identity_text


class StoredVersion(NamedTuple):
    """Which version of a memory is stored, and behind which walls (tenant, user)."""

    version: int
    walls: tuple[str, str]


class UsedKey(NamedTuple):
    """What an idempotency key was used for, and the answer it got."""

    request: str
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the store holds, read in the transaction that will write.

    `versions` of the memories the changes name, of any scope, those that exist; `slots` the
    (id, version) pairs in each slot the set names, by its position; `alike` for each
    `unless_known` position the stored memories behind the same walls with the same fingerprint;
    `used` the keys of the set that were used before, by position; `marks` those that exist.
    """

    versions: Mapping[str, StoredVersion] = field(default_factory=dict)
    slots: Mapping[int, Collection[tuple[str, int]]] = field(default_factory=dict)
    alike: Mapping[int, Collection[Memory]] = field(default_factory=dict)
    used: Mapping[int, UsedKey] = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)


def refusal(changes: ChangeSet, standing: Standing) -> Refused | None:
    """Every precondition that fails, or None when the set may be written."""
    if _is_one_new_memory(changes) and not (
        standing.versions or standing.used or any(standing.alike.values())
    ):
        return None  # nothing stored has to do with it, which is the usual case
    repeated, clashing = _used_keys(changes.idempotency, standing.used)
    refused = Refused(
        known=_known(changes, standing.alike),
        stale=_stale(changes.changes, standing.versions),
        slots=tuple(
            slot.key
            for position, slot in enumerate(changes.slots)
            if not _is_unchanged(slot, standing.slots.get(position, ()))
        ),
        repeated=repeated,
        clashing=clashing,
        marks=tuple(
            mark.name for mark in changes.marks if standing.marks.get(mark.name) != mark.was
        ),
    )
    return None if refused == Refused() else refused


def _is_one_new_memory(changes: ChangeSet) -> bool:
    return (
        len(changes.changes) == 1
        and changes.changes[0].before is None
        and not changes.slots
        and not changes.marks
        and len(changes.idempotency) <= 1
    )


def _is_unchanged(slot: SlotState, members: Collection[tuple[str, int]]) -> bool:
    return slot.members == frozenset(members)


def _stale(changes: tuple[Change, ...], versions: Mapping[str, StoredVersion]) -> tuple[str, ...]:
    """Ids of changes that do not build on what is stored, or on the change before them."""
    standing = dict(versions)
    stale: dict[str, None] = {}
    for change in changes:
        before, after = change.before, change.after
        expected = None if before is None else StoredVersion(before.version, before.scope.walls)
        if standing.get(after.id) != expected:
            stale[after.id] = None
        standing[after.id] = StoredVersion(after.version, after.scope.walls)
    return tuple(stale)


def _known(changes: ChangeSet, alike: Mapping[int, Collection[Memory]]) -> dict[int, Memory]:
    """For each position that is known already, the memory that says it."""
    known: dict[int, Memory] = {}
    so_far: dict[str, Memory] = {}
    said: dict[str, list[str]] = {}  # ids by the words, so that a large set stays linear
    for position, change in enumerate(changes.changes):
        words = identity_text(change.after.content)
        if position in changes.unless_known:
            stored = {memory.id: memory for memory in alike.get(position, ())}
            for memory_id in (*sorted(stored), *said.get(words, ())):
                standing = so_far.get(memory_id) or stored[memory_id]
                if restates(change.after, standing, changes.at):
                    known[position] = standing
                    break
        if position not in known:
            so_far[change.after.id] = change.after
            said.setdefault(words, []).append(change.after.id)
    return known


def _used_keys(
    keys: tuple[IdempotencyKey, ...], used: Mapping[int, UsedKey]
) -> tuple[dict[int, Mapping[str, Any]], tuple[int, ...]]:
    repeated: dict[int, Mapping[str, Any]] = {}
    clashing: list[int] = []
    earlier: dict[tuple[tuple[str, str], str], UsedKey] = {}
    for position, key in enumerate(keys):
        name = (key.scope.walls, key.key)
        before = used.get(position) or earlier.get(name)
        if before is None:
            earlier[name] = UsedKey(key.request, key.answer)
        elif before.request == key.request:
            repeated[position] = before.answer
        else:
            clashing.append(position)
    return repeated, tuple(clashing)
