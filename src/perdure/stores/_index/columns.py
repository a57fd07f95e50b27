"""One field of every row, for filters: distinct values, and which of them a comparison admits.

A comparison is decided by the reference evaluator, once for each distinct value, so that it means
the same here as everywhere. What numpy can decide for all values at once, exactly, it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import NoneType
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from perdure.domain.filters import ORDERED, Comparison, Operator, evaluate, stored_instant
from perdure.domain.journal import canonical
from perdure.domain.records import Memory
from perdure.domain.times import to_micros
from perdure.stores._index.growing import GrowingArray

Mask = NDArray[np.bool_]
Read = Callable[[NDArray[np.int64]], Sequence[Any]]
"""Reads the values of memories, given by number: Python values as the reference sees them,
MISSING for a memory without the field."""


class Missing:
    """The value of a memory that does not have the field."""


MISSING: Final = Missing()

_UNKNOWN = -1
_EXACT = 1 << 53
"""Whole numbers up to here are exact as floating-point numbers."""
_NO_INSTANT = np.iinfo(np.int64).min
_KEPT_VERDICTS = 32
_BYTES_PER_VALUE = 150
_NEGATIONS = {Operator.NE: Operator.EQ, Operator.NIN: Operator.IN}
_SYMBOLS: Mapping[Operator, Callable[..., Any]] = {
    Operator.GT: np.greater,
    Operator.GTE: np.greater_equal,
    Operator.LT: np.less,
    Operator.LTE: np.less_equal,
}


class Column:
    """The values of one field by row, as numbers into the list of distinct values."""

    def __init__(self) -> None:
        self._codes = GrowingArray(np.int32)
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self._verdicts: dict[str, Mask] = {}
        self._floats: NDArray[np.float64] = np.empty(0, dtype=np.float64)
        self._instants: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def fill(self, memories: NDArray[np.int64], read: Read) -> None:
        """Read the values that are not known yet; `memories` are the rows' numbers."""
        more = len(memories) - self._codes.size
        if more > 0:
            self._codes.extend(np.full(more, _UNKNOWN, dtype=np.int32))
        unknown = np.flatnonzero(self._codes.view[: len(memories)] == _UNKNOWN)
        if len(unknown):
            found = [self._code(value) for value in read(memories[unknown])]
            self._codes.replace(unknown, np.array(found, dtype=np.int32))

    def forget(self, rows: Sequence[int]) -> None:
        """The values of these rows may have changed."""
        known = [row for row in rows if row < self._codes.size]
        if known:
            self._codes.replace(known, _UNKNOWN)

    def mask(self, comparison: Comparison, size: int) -> Mask:
        """Which of the first `size` rows pass."""
        if comparison.operator in _NEGATIONS:
            opposite = Comparison(
                field=comparison.field,
                operator=_NEGATIONS[comparison.operator],
                value=comparison.value,
                attribute=comparison.attribute,
            )
            return ~self.mask(opposite, size)
        codes = self._codes.view[:size]
        equal = self._equal(comparison)
        if equal is None:
            found: Mask = self._verdict(comparison)[codes]
        elif len(equal) == 1:
            found = codes == equal[0]
        else:
            found = np.isin(codes, equal)
        return found

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return self._codes.nbytes + _BYTES_PER_VALUE * len(self._values)

    def _code(self, value: Any) -> int:
        key = _key(value)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._values)
            self._values.append(value)
        return number

    def _equal(self, comparison: Comparison) -> list[int] | None:
        """The values that are equal to the asked ones; None when looking them up will not do."""
        match comparison.operator:
            case Operator.EQ:
                asked: Sequence[Any] = (comparison.value,)
            case Operator.IN:
                asked = cast(Sequence[Any], comparison.value)
            case _:
                return None
        if any(isinstance(value, datetime | list | Mapping) for value in asked):
            return None
        keys = map(_key, asked)
        return [self._numbers[key] for key in keys if key in self._numbers]

    def _verdict(self, comparison: Comparison) -> Mask:
        """Which of the distinct values pass. Kept, and extended when values were added."""
        name = repr((comparison.operator, comparison.value))
        known = self._verdicts.pop(name, _NOTHING)
        if len(known) < len(self._values):
            known = np.concatenate((known, self._decided(comparison, len(known))))
        self._verdicts[name] = known
        if len(self._verdicts) > _KEPT_VERDICTS:
            del self._verdicts[next(iter(self._verdicts))]
        return known

    def _decided(self, comparison: Comparison, start: int) -> Mask:
        """Which of the distinct values from `start` on pass."""
        value = comparison.value
        if comparison.operator in ORDERED:
            compare = _SYMBOLS[comparison.operator]
            if isinstance(value, datetime):
                instants = self._all_instants()[start:]
                named: Mask = (instants != _NO_INSTANT) & compare(instants, to_micros(value))
                return named
            if isinstance(value, int | float) and abs(value) <= _EXACT:
                found: Mask = compare(self._all_floats()[start:], float(value))
                return found
        plain = Comparison(field=_FIELD, operator=comparison.operator, value=value)
        return np.array([_passes(plain, item) for item in self._values[start:]], dtype=np.bool_)

    def _all_floats(self) -> NDArray[np.float64]:
        fresh = [_as_float(value) for value in self._values[len(self._floats) :]]
        if fresh:
            self._floats = np.concatenate((self._floats, np.array(fresh, dtype=np.float64)))
        return self._floats

    def _all_instants(self) -> NDArray[np.int64]:
        fresh = [_as_instant(value) for value in self._values[len(self._instants) :]]
        if fresh:
            self._instants = np.concatenate((self._instants, np.array(fresh, dtype=np.int64)))
        return self._instants


_NOTHING: Mask = np.empty(0, dtype=np.bool_)
_FIELD = "value"


def _key(value: Any) -> Any:
    """Equal for values that are equal to every comparison."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | NoneType | Missing | datetime):
        return (type(value), value)
    if isinstance(value, int | float):
        return ("number", value)
    return ("json", canonical(value))


def _as_float(value: Any) -> float:
    """The number, so that comparing it with one up to _EXACT is right; NaN for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return float("nan")
    if abs(value) > _EXACT:
        return float("inf") if value > 0 else float("-inf")
    return float(value)


def _as_instant(value: Any) -> int:
    moment = stored_instant(value)
    return int(_NO_INSTANT) if moment is None else to_micros(moment)


class _Record:
    """As much of a memory as the reference looks at for a metadata key."""

    __slots__ = ("metadata",)

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.metadata = metadata


def _passes(comparison: Comparison, value: Any) -> bool:
    record = _Record({} if value is MISSING else {_FIELD: value})
    return evaluate(comparison, cast(Memory, record))
