"""A condition as SQL parameters and a compiled filter."""

from __future__ import annotations

import json
from typing import Any

from perdure.domain.filters import ATTRIBUTES, And, Comparison, Filter, Operator
from perdure.domain.query import Condition
from perdure.domain.times import to_micros
from perdure.stores._sql.filters import Fragment, compile_filter
from perdure.stores._sql.filters_sqlite import SqliteDialect

_DIALECT = SqliteDialect(
    columns={name: f"m.{name}" for name in ATTRIBUTES} | {"tenant": "p.tenant", "user": "p.user"}
)


def filter_fragment(part: Filter | None) -> Fragment:
    """The filter as SQL over `memories AS m` joined with `partitions AS p`."""
    return compile_filter(part, _DIALECT)


def facts_sought(part: Filter | None) -> tuple[str, list[str]] | None:
    """The indexed column in which every memory the filter admits has one of these values, if any.

    SQLite would not find it out: it cannot tell how long a list is, and prefers the order's index.
    """
    parts = part.parts if isinstance(part, And) else () if part is None else (part,)
    sought: dict[str, list[str]] = {}
    for each in parts:
        if not isinstance(each, Comparison) or not each.attribute:
            continue
        if each.operator is Operator.EQ and isinstance(each.value, str):
            sought[each.field] = [each.value]
        elif each.operator is Operator.IN and isinstance(each.value, tuple):
            sought[each.field] = [value for value in each.value if isinstance(value, str)]
    for column in _BEST_FIRST:
        if column in sought:
            return column, sought[column]
    return None


_BEST_FIRST = ("subject", "object", "predicate")
"""Columns with an index of their own, the one that usually admits least first."""


def condition_params(condition: Condition) -> dict[str, Any]:
    """The named values of the `visible` fragment."""
    view = condition.view
    start, end = condition.between
    narrowing = not view.everything
    return {
        "expired": "expired" in view.include,
        "archived": "archived" in view.include,
        "superseded": "superseded" in view.include,
        "former": "former" in view.include,
        "now": to_micros(view.now),
        "moment": to_micros(view.moment),
        "agent": view.scope.agent if narrowing else "",
        "session": view.scope.session if narrowing else "",
        "kinds": None
        if condition.kinds is None
        else json.dumps([k.value for k in condition.kinds]),
        "starts": None if start is None else to_micros(start),
        "ends": None if end is None else to_micros(end),
    }
