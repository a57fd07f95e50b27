"""A page of a listing, from a partition's arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perdure.domain.query import Order, Position, Query
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import OCCURRED, Snapshot

Values = NDArray[np.int64] | NDArray[np.float64]


def sort_values(snapshot: Snapshot, order: Order) -> Values | None:
    """What the rows are sorted by, or None when the arrays do not hold it."""
    match order:
        case Order.OCCURRED_AT:
            occurred: NDArray[np.int64] = snapshot.times[OCCURRED]
            return occurred
        case Order.IMPORTANCE:
            return snapshot.importance
        case Order.RECORDED_AT:
            return None


def page_positions(
    snapshot: Snapshot, mask: Mask, values: Values, query: Query
) -> list[tuple[int | float, str]]:
    """Value and id of the page's memories, in order: by value, then by id, in the direction."""
    rows = np.flatnonzero(mask)
    found = values[rows]
    if query.after is not None:
        kept = _beyond(snapshot, rows, found, query.after, descending=query.descending)
        rows, found = rows[kept], found[kept]
    if len(rows) > query.limit:
        kept = _first(found, query.limit, descending=query.descending)
        rows, found = rows[kept], found[kept]
    ids = map(snapshot.ids.__getitem__, rows.tolist())
    page = sorted(zip(found.tolist(), ids, strict=True), reverse=query.descending)
    return page[: query.limit]


def _beyond(
    snapshot: Snapshot, rows: NDArray[np.int64], found: Values, after: Position, *, descending: bool
) -> Mask:
    """Which rows come after the position."""
    beyond: Mask = found < after.value if descending else found > after.value
    for place in np.flatnonzero(found == after.value).tolist():
        memory_id = snapshot.ids[rows[place]]
        beyond[place] = memory_id < after.id if descending else memory_id > after.id
    return beyond


def _first(found: Values, limit: int, *, descending: bool) -> Mask:
    """Which values are among the first `limit`, with all that equal the last of them."""
    place = len(found) - limit if descending else limit - 1
    cut = np.partition(found, place)[place]
    first: Mask = found >= cut if descending else found <= cut
    return first
