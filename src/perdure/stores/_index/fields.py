"""Filters over a partition's rows, by columns that are filled in when first asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perdure.domain.filters import And, Comparison, Filter, Not, Or
from perdure.stores._index.columns import Column, Mask

Field = tuple[str, bool]
"""A name, and whether it is an attribute of the record rather than a metadata key."""

ReadField = Callable[[Field, NDArray[np.int64]], Sequence[Any]]
"""As `columns.Read`, for any field."""

Decide = Callable[[Comparison, NDArray[np.int64]], Mask]
"""Decides a comparison otherwise than by a column, for memories given by number."""

UNKEPT = frozenset((("id", True), ("content", True)))
"""Attributes that are different in every memory: a column of them would be the memories again."""


class Fields:
    """The columns of one partition. Safe to use from several threads."""

    def __init__(self) -> None:
        self._columns: dict[Field, Column] = {}
        self._lock = RLock()

    def mask(
        self, part: Filter, memories: NDArray[np.int64], read: ReadField, decide: Decide
    ) -> Mask:
        """Which rows pass the filter; `memories` are the rows' numbers."""
        match part:
            case And(parts):
                mask = np.ones(len(memories), dtype=np.bool_)
                for item in parts:
                    mask &= self.mask(item, memories, read, decide)
                return mask
            case Or(parts):
                mask = np.zeros(len(memories), dtype=np.bool_)
                for item in parts:
                    mask |= self.mask(item, memories, read, decide)
                return mask
            case Not(inner):
                return ~self.mask(inner, memories, read, decide)
            case Comparison():
                return self._compared(part, memories, read, decide)

    def _compared(
        self, comparison: Comparison, memories: NDArray[np.int64], read: ReadField, decide: Decide
    ) -> Mask:
        field = (comparison.field, comparison.attribute)
        if field in UNKEPT:
            return decide(comparison, memories)
        with self._lock:
            column = self._columns.setdefault(field, Column())
            column.fill(memories, lambda asked: read(field, asked))
            return column.mask(comparison, len(memories))

    def forget(self, rows: Sequence[int]) -> None:
        """These rows' memories may have changed."""
        with self._lock:
            for column in self._columns.values():
                column.forget(rows)

    @property
    def nbytes(self) -> int:
        """About how many bytes all columns take."""
        return sum(column.nbytes for column in list(self._columns.values()))
