"""What upkeep reads: memories at rest, crowded scopes, days of use."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from heapq import merge
from itertools import islice
from typing import Any

from perdure.domain.changes import Accesses, ChangeSet
from perdure.domain.records import Kind, State
from perdure.domain.resting import BANDS, Crowd, Due, Lifeline, Rest, classes_of
from perdure.domain.scope import Scope
from perdure.domain.utility import DayOfUse, uses_in
from perdure.domain.visibility import View
from perdure.stores.postgres.conditions import within
from perdure.stores.postgres.rows import Row, scope_of
from perdure.stores.postgres.transactions import Session


async def due_in(session: Session, *, view: View, due: Due) -> list[Lifeline]:
    """As `Store.due` says."""
    lists: list[list[Lifeline]] = []
    for rest, before in due.rested.items():
        classes = [str(number) for number in classes_of(rest, due.below)]
        sql, values = within(
            "rested", view, classes=classes, before=before, below=due.below, limit=due.limit
        )
        lists.append([lifeline_of(row) for row in await session.composed_rows(sql, values)])
    if due.expired_at is not None:
        sql, values = within("expired", view, at=due.expired_at, limit=due.limit)
        lists.append([lifeline_of(row) for row in await session.composed_rows(sql, values)])
    found = {line.id: line for line in merge(*lists, key=_place)}
    return list(islice(found.values(), due.limit))


async def crowded_in(session: Session, *, view: View, above: int) -> list[Crowd]:
    """As `Store.crowded` says."""
    rows = await session.composed_rows(*within("crowded", view, above=above))
    return [
        Crowd(
            scope=Scope(tenant=row["tenant"], user=row["user_id"], agent=row["agent"]),
            memories=row["memories"],
        )
        for row in rows
    ]


async def residents_in(session: Session, *, scope: Scope) -> list[Lifeline]:
    """As `Store.residents` says."""
    rows = await session.rows(
        "residents_of", tenant=scope.tenant, user_id=scope.user, agent=scope.agent
    )
    return [lifeline_of(row) for row in rows]


async def days_in(session: Session, *, view: View, since: date) -> list[DayOfUse]:
    """As `Store.days_of_use` says."""
    rows = await session.composed_rows(*within("days_of_use", view, since=since))
    return [
        DayOfUse(day=row["day"], recalled=int(row["recalled"]), used=int(row["used"]))
        for row in rows
    ]


async def count_uses(session: Session, changes: ChangeSet, present: Sequence[Accesses]) -> None:
    """Note what the change set tells of recalls and uses."""
    uses = uses_in(changes.changes, present, changes.at)
    await session.many(
        "count_uses",
        [
            {
                "tenant": scope.tenant,
                "user_id": scope.user,
                "day": day,
                "agent": scope.agent,
                "session": scope.session,
                "recalled": recalled,
                "used": used,
            }
            for (scope, day), (recalled, used) in uses.items()
        ],
    )


def lifeline_of(row: Row) -> Lifeline:
    """The lifeline of a row of `lifeline_columns`."""
    return Lifeline(
        id=row["id"],
        scope=scope_of(row),
        kind=Kind(row["kind"]),
        state=State(row["state"]),
        importance=row["importance"],
        interval_days=row["interval_days"],
        touched_at=row["touched_at"],
        expires_at=row["expires_at"],
        pinned=row["pinned"],
        held=row["held"],
        holds=row["holds"],
        rest=Rest(row["rest_class"] // BANDS),
        bytes=int(row["bytes"]),
    )


def _place(line: Lifeline) -> tuple[Any, str]:
    return line.touched_at, line.id
