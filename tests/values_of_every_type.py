"""Metadata values of every type, and every question a filter can ask of them.

Small enough to try every value with every question on every store.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

STORED: list[Any] = [
    None, True, False, 0, -0.0, 1, 1.0, 0.1, 2**53, 2**53 + 1, float(2**53), 2**63 - 1,
    float(2**63), 1e22, 1.152921504606847e18, 1152921504606846980, 5e-324, "", "1", "true", "b",
    "B", "abc", "2031-07-25T12:00:00Z", "2031-W30-5T12", "2031-07-25T14:00:00.000001+02:00", [],
    [None], [1], [True], [1.0, "b"], ["2031-07-25T12:00:00Z"], [[1]], [{"a": 1}], {}, {"a": 1},
    {"a": 1.0}, {"a": True}, {"a": [None]}, {"a": 1, "b": None},
]  # fmt: skip
ASKED = [*STORED, datetime(2031, 7, 25, 12, tzinfo=UTC)]


def questions(key: str) -> Iterator[dict[str, Any]]:
    """Filters on the key: every operator with every value it takes."""
    yield from ({key: {"exists": wanted}} for wanted in (True, False))
    for number, asked in enumerate(ASKED):
        pair = [asked, ASKED[number - 7]]
        yield from ({key: {operator: asked}} for operator in ("eq", "ne", "contains"))
        yield from ({key: {operator: pair}} for operator in ("in", "nin"))
        if isinstance(asked, str | float | int | datetime) and not isinstance(asked, bool):
            yield from ({key: {operator: asked}} for operator in ("gt", "gte", "lt", "lte"))
