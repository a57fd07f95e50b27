"""Which rows were said after one another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Turn = tuple[int, int, int, str, int]
"""(agent, session, occurred_at, id, row): turns of one conversation stand together, in order."""

_FEW = 32
_BYTES_PER_TURN = 160


class Conversations:
    """The turns of a partition, sorted. Changes are made by one thread at a time; `rows` is made
    anew by each, so that an array once handed out never changes."""

    def __init__(self, turns: Iterable[Turn] = ()) -> None:
        self._turns = sorted(turns)
        self.rows = _rows_of(self._turns)

    def add(self, turns: Sequence[Turn]) -> None:
        """Put further turns in their places."""
        if len(turns) > _FEW:
            self._turns = sorted([*self._turns, *turns])
            self.rows = _rows_of(self._turns)
            return
        for turn in turns:
            place = bisect_left(self._turns, turn)
            self._turns.insert(place, turn)
            self.rows = np.insert(self.rows, place, turn[-1])

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return _BYTES_PER_TURN * len(self._turns)


def _rows_of(turns: Sequence[Turn]) -> NDArray[np.int32]:
    return np.fromiter((turn[-1] for turn in turns), dtype=np.int32, count=len(turns))
