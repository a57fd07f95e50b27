"""Arrays that grow at the end while others read what was there before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST_CAPACITY = 8


class GrowingArray:
    """An array with spare room behind its last row.

    `view` gives the rows so far. Appending never moves or alters rows that a view shows: either
    it writes behind them or into a larger copy.
    """

    __slots__ = ("_room", "size")

    def __init__(self, dtype: DTypeLike, *, width: int | None = None) -> None:
        shape = (0,) if width is None else (0, width)
        self._room: NDArray[Any] = np.empty(shape, dtype=dtype)
        self.size = 0

    @property
    def view(self) -> NDArray[Any]:
        """The rows so far. Rows appended later do not appear in it."""
        return self._room[: self.size]

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return int(self._room.nbytes)

    def reserve(self, more: int) -> None:
        """Make exactly enough room for so many more rows."""
        if self.size + more > len(self._room):
            self._move(self.size + more)

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows."""
        end = self.size + len(rows)
        if end > len(self._room):
            self._move(max(end, 2 * self.size, _FIRST_CAPACITY))
        self._room[self.size : end] = rows
        self.size = end

    def _move(self, capacity: int) -> None:
        room = np.empty((capacity, *self._room.shape[1:]), dtype=self._room.dtype)
        room[: self.size] = self._room[: self.size]
        self._room = room

    def replace(self, positions: NDArray[np.int64] | list[int], rows: Any) -> None:
        """Change rows in a copy, so that views given out before keep what they show."""
        room = self._room.copy()
        room[positions] = rows
        self._room = room


class GrowingColumns:
    """Several columns of one type that grow together; each is contiguous in memory."""

    __slots__ = ("_room", "size")

    def __init__(self, dtype: DTypeLike, *, count: int) -> None:
        self._room: NDArray[Any] = np.empty((count, 0), dtype=dtype)
        self.size = 0

    @property
    def view(self) -> NDArray[Any]:
        """The columns so far: shape (count, size)."""
        return self._room[:, : self.size]

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        return int(self._room.nbytes)

    def reserve(self, more: int) -> None:
        """Make exactly enough room for so many more rows."""
        if self.size + more > self._room.shape[1]:
            self._move(self.size + more)

    def extend(self, columns: Sequence[Any] | NDArray[Any]) -> None:
        """Append rows, given as columns of equal length."""
        end = self.size + len(columns[0])
        if end > self._room.shape[1]:
            self._move(max(end, 2 * self.size, _FIRST_CAPACITY))
        for room, column in zip(self._room, columns, strict=True):
            room[self.size : end] = column
        self.size = end

    def _move(self, capacity: int) -> None:
        room = np.empty((len(self._room), capacity), dtype=self._room.dtype)
        room[:, : self.size] = self._room[:, : self.size]
        self._room = room

    def replace(self, positions: list[int], columns: NDArray[Any]) -> None:
        """Change rows in a copy, so that views given out before keep what they show."""
        room = self._room.copy()
        room[:, positions] = columns
        self._room = room
