"""The filter language on SQLite: JSON text, and a few functions Python lends the connection.

A metadata key is compared with `json_each`'s key column, so a key with dots, quotes or `%` is only
a value. Whatever SQLite cannot decide exactly (ISO times, floating-point text, equality of lists)
is decided by the registered functions, which call the reference.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from perdure.domain.filters import ATTRIBUTES, same, stored_instant
from perdure.domain.records import Json
from perdure.domain.times import from_micros, to_micros
from perdure.stores._sql.filters import Bindings, Dialect, Values

DEFAULT_COLUMNS: Mapping[str, str] = {name: f"m.{name}" for name in ATTRIBUTES}


class SqliteDialect(Dialect):
    """How SQLite asks.

    Columns hold texts as TEXT, times as INTEGER microseconds, `pinned` as 0 or 1, and metadata as
    JSON text (NULL for none).
    """

    name = "SQLite"
    max_params = 3000

    def __init__(
        self, columns: Mapping[str, str] = DEFAULT_COLUMNS, metadata: str = "m.metadata"
    ) -> None:
        self._columns = columns
        self._metadata = metadata

    def _value(self, bind: Bindings, key: str, test: str) -> str:
        rows = f"json_each({self._metadata}) AS j"
        return f"EXISTS (SELECT 1 FROM {rows} WHERE j.key = {bind(key)} AND {test})"  # noqa: S608

    def metadata_exists(self, bind: Bindings, key: str) -> str:
        return self._value(bind, key, "TRUE")

    def metadata_among(self, bind: Bindings, key: str, values: Values) -> str:
        cases: list[str] = []
        if values.null:
            cases.append("WHEN 'null' THEN TRUE")
        cases += [f"WHEN '{str(item).lower()}' THEN TRUE" for item in values.booleans]
        if values.numbers:
            cases.append(f"WHEN 'integer' THEN {self._number_among(bind, 'j.value', values)}")
            real = self._real(bind, key)
            cases.append(f"WHEN 'real' THEN {self._number_among(bind, real, values)}")
        if values.texts or values.instants:
            cases.append(f"WHEN 'text' THEN {self._text_among(bind, values)}")
        if values.compounds:
            asked = bind(_dumps(values.compounds))
            cases += [
                f"WHEN '{kind}' THEN perdure_among(j.value, {asked})"
                for kind in ("array", "object")
            ]
        return self._value(bind, key, f"CASE j.type {' '.join(cases)} ELSE FALSE END")

    def _real(self, bind: Bindings, key: str) -> str:
        return f"perdure_real({self._metadata}, {bind(key)})"

    def _number_among(self, bind: Bindings, number: str, values: Values) -> str:
        # As JSON, floating-point numbers would be read back by SQLite, which may not be exact.
        floats = [item for item in values.numbers if isinstance(item, float)]
        integers = [item for item in values.numbers if isinstance(item, int)]
        found = [_among(bind, number, integers)] if integers else []
        found += [f"{number} = {bind(item)}" for item in floats]
        return f"({' OR '.join(found)})"

    def _text_among(self, bind: Bindings, values: Values) -> str:
        found = [_among(bind, "j.value", values.texts)] if values.texts else []
        if values.instants:
            moments = [to_micros(item) for item in values.instants]
            found.append(_among(bind, "perdure_instant(j.value)", moments))
        return f"({' OR '.join(found)})"

    def metadata_contains(self, bind: Bindings, key: str, value: Json | datetime) -> str:
        if isinstance(value, datetime):
            element = f"perdure_has_instant(j.value, {bind(to_micros(value))})"
        else:
            element = f"perdure_has(j.value, {bind(_dumps(value))})"
        cases = [f"WHEN 'array' THEN {element}"]
        if isinstance(value, str):
            cases.append(f"WHEN 'text' THEN {self.text_contains(bind, 'j.value', value)}")
        return self._value(bind, key, f"CASE j.type {' '.join(cases)} ELSE FALSE END")

    def metadata_ordered(
        self, bind: Bindings, key: str, symbol: str, value: float | str | datetime
    ) -> str:
        if isinstance(value, datetime):
            moment = bind(to_micros(value))
            cases = f"WHEN 'text' THEN perdure_instant(j.value) {symbol} {moment}"
        elif isinstance(value, str):
            cases = f"WHEN 'text' THEN j.value {symbol} {bind(value)}"
        else:
            number = bind(value)
            cases = (
                f"WHEN 'integer' THEN j.value {symbol} {number} "
                f"WHEN 'real' THEN {self._real(bind, key)} {symbol} {number}"
            )
        return self._value(bind, key, f"CASE j.type {cases} ELSE FALSE END")

    def column(self, attribute: str) -> str:
        return self._columns[attribute]

    def texts_among(self, bind: Bindings, column: str, texts: Sequence[str]) -> str:
        return f"({_among(bind, column, texts)})"

    def numbers_among(self, bind: Bindings, attribute: str, numbers: Sequence[int | float]) -> str:
        values = Values(numbers=tuple(numbers))
        return self._number_among(bind, self.column(attribute), values)

    def number_ordered(
        self, bind: Bindings, attribute: str, symbol: str, number: int | float
    ) -> str:
        return f"({self.column(attribute)} {symbol} {bind(number)})"

    def truth(self, column: str) -> str:
        return f"({column} = 1)"

    def text_contains(self, bind: Bindings, column: str, text: str) -> str:
        return f"(instr({column}, {bind(text)}) > 0)"

    def instant(self, bind: Bindings, moment: datetime) -> str:
        return bind(to_micros(moment))

    def time(self, bind: Bindings, moment: datetime) -> str:
        return bind(to_micros(moment))

    def text_instant(self, attribute: str) -> str:
        return f"perdure_instant({self.column(attribute)})"


def _among(bind: Bindings, expression: str, values: Sequence[int] | Sequence[str]) -> str:
    if len(values) == 1:
        return f"{expression} = {bind(values[0])}"
    asked = bind(_dumps(values))
    return f"{expression} IN (SELECT value FROM json_each({asked}))"  # noqa: S608


def _dumps(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=64)
def _asked(text: str) -> Any:
    """A filter value, parsed once for all rows. Callers must not change it."""
    return json.loads(text)


def _instant(text: Any) -> int | None:
    moment = stored_instant(text)
    return None if moment is None else to_micros(moment)


def _real(metadata: str, key: str) -> float:
    """The number under the key as Python reads it.

    SQLite's own reading of floating-point text is not exact in every version on every machine.
    """
    number: float = json.loads(metadata)[key]
    return number


def _member(stored: str, values: str) -> bool:
    found = json.loads(stored)
    return any(same(found, item) for item in _asked(values))


def _has(stored: str, value: str) -> bool:
    asked = _asked(value)
    return any(same(item, asked) for item in json.loads(stored))


def _has_instant(stored: str, micros: int) -> bool:
    moment = from_micros(micros)
    return any(same(item, moment) for item in json.loads(stored))


_FUNCTIONS: tuple[tuple[str, int, Callable[..., int | float | None]], ...] = (
    ("perdure_instant", 1, _instant),
    ("perdure_real", 2, _real),
    ("perdure_among", 2, _member),
    ("perdure_has", 2, _has),
    ("perdure_has_instant", 2, _has_instant),
)


def register_functions(connection: sqlite3.Connection) -> None:
    """Lend the connection the functions that compiled filters call."""
    for name, arguments, function in _FUNCTIONS:
        connection.create_function(name, arguments, function, deterministic=True)
