"""Conditions of reads as SQL: the values that `queries/reading.sql` asks for, and what it leaves
open."""

from __future__ import annotations

from typing import Any

from perdure.domain.query import Condition, Order, Query
from perdure.domain.times import from_micros
from perdure.domain.visibility import View
from perdure.stores._sql.filters import compile_filter
from perdure.stores._sql.filters_postgres import PostgresDialect
from perdure.stores.postgres.transactions import STATEMENTS

_DIALECT = PostgresDialect()
_COLUMNS = {
    Order.RECORDED_AT: "m.recorded_at",
    Order.OCCURRED_AT: "m.occurred_at",
    Order.IMPORTANCE: "m.importance",
}


Composed = tuple[str, dict[str, Any]]
"""A statement that Python finished, and its values."""


def within(name: str, view: View, **values: Any) -> Composed:
    """The named statement behind the view's walls."""
    return STATEMENTS[name].format(walls=_walls(view)), {**_scope_values(view), **values}


def _walls(view: View) -> str:
    return STATEMENTS["of_tenant" if view.everything else "of_user"]


def _scope_values(view: View) -> dict[str, Any]:
    scope = view.scope
    return {
        "tenant": scope.tenant,
        "user_id": scope.user,
        "agent": scope.agent,
        "session": scope.session,
        "everything": view.everything,
    }


def admitting(name: str, condition: Condition, **parts: str) -> Composed:
    """The named statement with the condition's filter in place, and the values of both."""
    view = condition.view
    compiled = compile_filter(condition.filter, _DIALECT)
    starts, ends = condition.between
    values = {
        **_scope_values(view),
        "now": view.now,
        "moment": view.moment,
        "expired": "expired" in view.include,
        "archived": "archived" in view.include,
        "superseded": "superseded" in view.include,
        "former": "former" in view.include,
        "kinds": None if condition.kinds is None else [kind.value for kind in condition.kinds],
        "starts": starts,
        "ends": ends,
        **compiled.params,
    }
    return STATEMENTS[name].format(walls=_walls(view), filter=compiled.sql, **parts), values


def paging(query: Query) -> Composed:
    """The statement for one page, and its values."""
    column = _COLUMNS[query.order]
    direction, beyond = ("DESC", "<") if query.descending else ("ASC", ">")
    after, position = "TRUE", {}
    if query.after is not None:
        kind = "float8" if query.order is Order.IMPORTANCE else "timestamptz"
        after = f"({column}, m.id) {beyond} (CAST(:after_value AS {kind}), CAST(:after_id AS text))"
        position = {
            "after_value": float(query.after.value)
            if query.order is Order.IMPORTANCE
            else from_micros(int(query.after.value)),
            "after_id": query.after.id,
        }
    order = f"{column} {direction}, m.id {direction}"
    sql, values = admitting("page", query.condition, after=after, order=order)
    return sql, {**values, **position, "limit": query.limit}
