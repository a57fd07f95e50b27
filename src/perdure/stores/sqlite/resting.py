"""What upkeep reads: memories at rest, crowded scopes, days of use."""

from __future__ import annotations

import json
import sqlite3
from datetime import date
from heapq import merge
from itertools import islice
from typing import Any

from perdure.domain.records import NEW_STRENGTH, Kind, State
from perdure.domain.resting import BANDS, Crowd, Due, Lifeline, Rest, classes_of
from perdure.domain.scope import Scope
from perdure.domain.times import EPOCH, from_micros, to_micros
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.stores.sqlite.entries import NO_LIMIT
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.statements import statements

_EPOCH_DAY = EPOCH.toordinal()
_KINDS = {kind.value: kind for kind in Kind}
_STATES = {state.value: state for state in State}


class UpkeepReader:
    """Reads of what upkeep is about, over borrowed connections."""

    def __init__(self, partitions: Partitions) -> None:
        self._partitions = partitions
        self._sql = statements()

    def due(self, connection: sqlite3.Connection, view: View, due: Due) -> list[Lifeline]:
        """As the store port says."""
        walls = self._walled(connection, view)
        if walls is None:
            return []
        values = {**walls, "limit": NO_LIMIT if due.limit is None else due.limit}
        lists = [
            self._lifelines(
                connection,
                self._sql["rested"],
                {
                    **values,
                    "classes": json.dumps(classes_of(rest, due.below)),
                    "before": to_micros(before),
                    "below": due.below,
                },
            )
            for rest, before in due.rested.items()
        ]
        if due.expired_at is not None:
            asked = {**values, "at": to_micros(due.expired_at)}
            lists.append(self._lifelines(connection, self._sql["expired"], asked))
        found = {line.id: line for line in merge(*lists, key=_place)}
        return list(islice(found.values(), due.limit))

    def crowded(self, connection: sqlite3.Connection, view: View, above: int) -> list[Crowd]:
        """As the store port says."""
        values = {**_scope_values(view), "above": above}
        return [
            Crowd(scope=Scope(tenant=tenant, user=user, agent=agent), memories=memories)
            for tenant, user, agent, memories in connection.execute(self._sql["crowded"], values)
        ]

    def residents(self, connection: sqlite3.Connection, scope: Scope) -> list[Lifeline]:
        """As the store port says."""
        partition = self._partitions.find(connection, scope.walls)
        if partition is None:
            return []
        return self._lifelines(connection, self._sql["residents_of"], (partition, scope.agent))

    def days_of_use(
        self, connection: sqlite3.Connection, view: View, since: date
    ) -> list[DayOfUse]:
        """As the store port says."""
        values = {**_scope_values(view), "since": since.toordinal() - _EPOCH_DAY}
        return [
            DayOfUse(day=date.fromordinal(day + _EPOCH_DAY), recalled=recalled, used=used)
            for day, recalled, used in connection.execute(self._sql["days_of_use"], values)
        ]

    def _walled(self, connection: sqlite3.Connection, view: View) -> dict[str, Any] | None:
        """The values of the `walled` fragment; None when nothing was ever stored there."""
        partition = self._partitions.find(connection, view.scope.walls)
        if partition is None and not view.everything:
            return None
        return {**_scope_values(view), "partition": partition}

    def _lifelines(
        self, connection: sqlite3.Connection, sql: str, values: dict[str, Any] | tuple[Any, ...]
    ) -> list[Lifeline]:
        # Most rows are of few scopes, and making one costs as much as the rest of a row.
        scopes: dict[Row, Scope] = {}
        found: list[Lifeline] = []
        for row in connection.execute(sql, values):
            place = row[1:4]
            scope = scopes.get(place)
            if scope is None:
                scope = scopes[place] = self._scope(connection, *place)
            found.append(_lifeline(row, scope))
        return found

    def _scope(
        self, connection: sqlite3.Connection, partition: int, agent: str, session: str
    ) -> Scope:
        tenant, user = self._partitions.walls(connection, partition)
        return Scope(tenant=tenant, user=user, agent=agent, session=session)


def _lifeline(row: Row, scope: Scope) -> Lifeline:
    (
        id_, _partition, _agent, _session, kind, state, importance, interval_days, touched_at,
        expires_at, pinned, held, holds, rest_class, size,
    ) = row  # fmt: skip
    return Lifeline(
        id=id_,
        scope=scope,
        kind=_KINDS[kind],
        state=_STATES[state],
        importance=importance,
        interval_days=NEW_STRENGTH.interval_days if interval_days is None else interval_days,
        touched_at=from_micros(touched_at),
        expires_at=None if expires_at is None else from_micros(expires_at),
        pinned=pinned == 1,
        held=held == 1,
        holds=holds == 1,
        rest=Rest(rest_class // BANDS),
        bytes=size,
    )


def _place(line: Lifeline) -> tuple[Any, str]:
    return line.touched_at, line.id


def _scope_values(view: View) -> dict[str, Any]:
    narrowing = not view.everything
    return {
        "tenant": view.scope.tenant,
        "user": view.scope.user,
        "everything": view.everything,
        "agent": view.scope.agent if narrowing else "",
        "session": view.scope.session if narrowing else "",
    }
