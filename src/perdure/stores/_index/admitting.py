"""Which rows of a partition a condition admits, but for its filter: `domain.visibility` on arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perdure.domain.query import Condition
from perdure.domain.times import to_micros
from perdure.domain.visibility import View
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import (
    ARCHIVED,
    EXPIRES,
    FORGOTTEN,
    GONE,
    OCCURRED,
    OCCURRED_END,
    RETIRED,
    SUPERSEDED,
    VALID_FROM,
    VALID_TO,
    Codes,
    Partition,
    Snapshot,
)


def admitted(partition: Partition, snapshot: Snapshot, condition: Condition) -> Mask:
    """A mask over the snapshot's rows. The partition's walls are taken for granted."""
    view = condition.view
    mask = _is_visible(snapshot, view)
    if not view.everything:
        if view.scope.agent:
            mask &= _is_among(snapshot.agents, partition.agents, (view.scope.agent,))
        if view.scope.session:
            mask &= _is_among(snapshot.sessions, partition.sessions, (view.scope.session,))
    if condition.kinds is not None:
        wanted = tuple(kind.value for kind in condition.kinds)
        mask &= _is_among(snapshot.kinds, partition.kinds, wanted)
    start, end = condition.between
    if start is not None:
        mask &= snapshot.times[OCCURRED_END] >= to_micros(start)
    if end is not None:
        mask &= snapshot.times[OCCURRED] < to_micros(end)
    return mask


def _is_visible(snapshot: Snapshot, view: View) -> Mask:
    flags, times = snapshot.flags, snapshot.times
    hidden = FORGOTTEN | GONE
    if "archived" not in view.include:
        hidden |= ARCHIVED
    is_shown: Mask = (flags & (hidden | RETIRED)) == 0
    if "former" not in view.include:
        moment = to_micros(view.moment)
        is_shown &= times[VALID_FROM] <= moment
        is_shown &= times[VALID_TO] > moment
    if "superseded" in view.include:
        is_shown |= (flags & (hidden | SUPERSEDED)) == SUPERSEDED
    if "expired" not in view.include:
        is_shown &= times[EXPIRES] > to_micros(view.now)
    return is_shown


def _is_among(column: NDArray[np.int32], codes: Codes[str], wanted: tuple[str, ...]) -> Mask:
    numbers = [codes.numbers[text] for text in wanted if text in codes.numbers]
    found: Mask = column == numbers[0] if len(numbers) == 1 else np.isin(column, numbers)
    return found
