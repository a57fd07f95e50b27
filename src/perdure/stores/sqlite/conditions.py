"""A condition as SQL parameters and a compiled filter."""

from __future__ import annotations

import json
from typing import Any

from perdure.domain.filters import ATTRIBUTES, Filter
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
