"""Writing a decision, and taking it again when somebody else wrote first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from perdure.domain.changes import (
    Accesses,
    Applied,
    Change,
    ChangeSet,
    IdempotencyKey,
    JournalEntry,
    Mark,
    Refused,
    SlotState,
)
from perdure.engine.access import FLUSH_AT
from perdure.engine.core import Core
from perdure.engine.drafts import note_of
from perdure.engine.supports import summaries_to_forget
from perdure.errors import Conflict

Result = TypeVar("Result")


class Retry(Exception):
    """The state moved under the decision; read it again."""


async def write(
    core: Core,
    changes: list[Change],
    *,
    at: datetime,
    actor: str | None,
    unless_known: frozenset[int] = frozenset(),
    slots: tuple[SlotState, ...] = (),
    idempotency: tuple[IdempotencyKey, ...] = (),
    accesses: tuple[Accesses, ...] = (),
    marks: tuple[Mark, ...] = (),
    emptied: frozenset[str] = frozenset(),
    refilled: tuple[JournalEntry, ...] = (),
) -> Applied | Refused:
    """Apply one change set, together with the counted recalls once enough have gathered.

    Summaries of what the changes withdraw are forgotten in the same transaction.
    """
    changes = [*changes, *await summaries_to_forget(core, changes, at)]
    counted = core.accesses.take(at_least=FLUSH_AT if changes else 1)
    change_set = ChangeSet(
        changes=tuple(changes),
        at=at,
        actor=note_of(actor, "actor") or "",
        config_hash=core.hash_config(),
        unless_known=unless_known,
        slots=slots,
        idempotency=idempotency,
        accesses=(*accesses, *counted),
        marks=marks,
        emptied=emptied,
        refilled=refilled,
    )
    try:
        result = await core.store.apply(change_set)
    except BaseException:
        core.accesses.give_back(counted)
        raise
    if isinstance(result, Refused):
        core.accesses.give_back(counted)
    return result


async def write_or_retry(
    core: Core,
    changes: list[Change],
    *,
    at: datetime,
    actor: str | None,
    slots: tuple[SlotState, ...] = (),
) -> None:
    """Apply changes whose only preconditions are versions and slots; raise `Retry` if they fail."""
    if changes and isinstance(await write(core, changes, at=at, actor=actor, slots=slots), Refused):
        raise Retry


async def deciding(core: Core, attempt: Callable[[], Awaitable[Result]], what: str) -> Result:
    """Run `attempt` again from fresh state while it raises `Retry`, a bounded number of times."""
    for _ in range(core.settings.conflict_retries + 1):
        try:
            return await attempt()
        except Retry:
            continue
    raise Conflict(
        f"{what}: others kept changing the same memories; "
        f"gave up after {core.settings.conflict_retries + 1} tries, nothing was changed"
    )


def collapsed(changes: list[Change]) -> list[Change]:
    """The same outcome with at most one change per memory, in order of first appearance."""
    if len(changes) < 2:
        return changes
    merged: dict[str, Change] = {}
    for change in changes:
        earlier = merged.get(change.after.id)
        merged[change.after.id] = change if earlier is None else _joined(earlier, change)
    return list(merged.values())


def _joined(first: Change, second: Change) -> Change:
    version = 1 if first.before is None else first.before.version + 1
    return replace(
        second,
        operation=first.operation if first.before is None else second.operation,
        before=first.before,
        after=replace(second.after, version=version),
        vectors=second.vectors if second.vectors is not None else first.vectors,
    )
