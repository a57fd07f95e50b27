"""The filter language on PostgreSQL: `jsonb` for values, and what Python worked out beforehand.

`jsonb` keeps numbers as exact decimals and compares by type, as the language does. Two things it
cannot do as the reference does, so both are decided in Python when a memory is written:

- A float is compared through its shortest decimal form, which keeps the order of any two floats
  and of a float and an integer, except that large whole ones must be written digit by digit:
  `numeric_json` does that, for stored values and asked ones alike.
- Which instant a text names is what Python's ISO 8601 parser says. The column `instants` holds it
  for every text that names one: see `instants_of`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from math import copysign
from typing import Any

from perdure.domain.filters import ATTRIBUTES, stored_instant
from perdure.domain.records import Json, Memory
from perdure.domain.times import to_micros
from perdure.stores._sql.filters import FALSE, Bindings, Dialect, Values

_NAMES = {"user": "user_id"}
COLUMNS: Mapping[str, str] = {name: f"m.{_NAMES.get(name, name)}" for name in ATTRIBUTES}
_FRACTIONS = frozenset(("importance", "confidence"))
"""The number attributes kept as double precision; the others are whole."""


class PostgresDialect(Dialect):
    """How PostgreSQL asks."""

    name = "PostgreSQL"
    max_params = 20_000

    def _value(self, bind: Bindings, key: str) -> str:
        return f"m.metadata -> {_text(bind, key)}"

    def metadata_exists(self, bind: Bindings, key: str) -> str:
        return f"(m.metadata ? {_text(bind, key)})"

    def metadata_among(self, bind: Bindings, key: str, values: Values) -> str:
        found: list[str] = []
        scalars = values.scalars
        if len(scalars) == 1:
            asked = bind(numeric_json(scalars[0]))
            found.append(f"{self._value(bind, key)} = CAST({asked} AS jsonb)")
        elif scalars:
            asked = f"jsonb_array_elements(CAST({bind(numeric_json(scalars))} AS jsonb))"
            found.append(f"{self._value(bind, key)} IN (SELECT {asked})")
        if values.instants:
            moments = ", ".join(self.instant(bind, item) for item in values.instants)
            found.append(f"{self._instant_of(bind, key)} IN ({moments})")
        parts = [f"coalesce({item}, FALSE)" for item in found]
        return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"

    def _instant_of(self, bind: Bindings, key: str) -> str:
        return f"CAST(m.instants ->> {_text(bind, of_text(key))} AS bigint)"

    def metadata_contains(self, bind: Bindings, key: str, value: Json | datetime) -> str:
        if isinstance(value, datetime):
            elements = f"m.instants -> {_text(bind, of_elements(key))}"
            return f"coalesce({elements} @> CAST({bind(str(to_micros(value)))} AS jsonb), FALSE)"
        stored = self._value(bind, key)
        asked = f"CAST({bind(numeric_json(value))} AS jsonb)"
        elements = f"jsonb_array_elements({stored}) AS e(value)"
        found = f"EXISTS (SELECT 1 FROM {elements} WHERE e.value = {asked})"  # noqa: S608
        cases = [f"WHEN 'array' THEN {found}"]
        if isinstance(value, str):
            text = f"m.metadata ->> {_text(bind, key)}"
            cases.append(f"WHEN 'string' THEN {self.text_contains(bind, text, value)}")
        return f"(CASE jsonb_typeof({stored}) {' '.join(cases)} ELSE FALSE END)"

    def metadata_ordered(
        self, bind: Bindings, key: str, symbol: str, value: float | str | datetime
    ) -> str:
        if isinstance(value, datetime):
            moment = self.instant(bind, value)
            return f"coalesce({self._instant_of(bind, key)} {symbol} {moment}, FALSE)"
        stored = self._value(bind, key)
        if isinstance(value, str):
            text = f'(m.metadata ->> {_text(bind, key)}) COLLATE "C"'
            case = f"WHEN 'string' THEN {text} {symbol} {_text(bind, value)}"
        else:
            number = _numeric(bind, value)
            case = f"WHEN 'number' THEN CAST({stored} AS numeric) {symbol} {number}"
        return f"(CASE jsonb_typeof({stored}) {case} ELSE FALSE END)"

    def column(self, attribute: str) -> str:
        return COLUMNS[attribute]

    def texts_among(self, bind: Bindings, column: str, texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return f"({column} = {_text(bind, texts[0])})"
        return f"({column} = ANY (CAST({bind(tuple(texts))} AS text[])))"

    def numbers_among(self, bind: Bindings, attribute: str, numbers: Sequence[int | float]) -> str:
        column = self.column(attribute)
        if attribute in _FRACTIONS:
            exact = [float(item) for item in numbers if float(item) == item]
            asked = [f"CAST({bind(item)} AS float8)" for item in exact]
            return f"({column} IN ({', '.join(asked)}))" if asked else FALSE
        asked = [_numeric(bind, item) for item in numbers]
        return f"(CAST({column} AS numeric) IN ({', '.join(asked)}))"

    def number_ordered(
        self, bind: Bindings, attribute: str, symbol: str, number: int | float
    ) -> str:
        column = self.column(attribute)
        if attribute not in _FRACTIONS:
            return f"(CAST({column} AS numeric) {symbol} {_numeric(bind, number)})"
        nearest = float(number)
        # An integer between two floats: whatever lies beyond it lies beyond its neighbour.
        if nearest > number:
            symbol = {"<=": "<", ">": ">="}.get(symbol, symbol)
        elif nearest < number:
            symbol = {"<": "<=", ">=": ">"}.get(symbol, symbol)
        return f"({column} {symbol} CAST({bind(nearest)} AS float8))"

    def truth(self, column: str) -> str:
        return f"({column})"

    def text_contains(self, bind: Bindings, column: str, text: str) -> str:
        return f'(strpos(({column}) COLLATE "C", {_text(bind, text)}) > 0)'

    def instant(self, bind: Bindings, moment: datetime) -> str:
        return f"CAST({bind(to_micros(moment))} AS bigint)"

    def time(self, bind: Bindings, moment: datetime) -> str:
        return f"CAST({bind(moment)} AS timestamptz)"

    def text_instant(self, attribute: str) -> str:
        return f"CAST(m.instants ->> '{of_attribute(attribute)}' AS bigint)"


def _text(bind: Bindings, text: str) -> str:
    return f"CAST({bind(text)} AS text)"


def _decimal(number: int | float) -> Decimal:
    if isinstance(number, float) and not number.is_integer():
        return Decimal(repr(number))
    return Decimal(int(number))


def _numeric(bind: Bindings, number: int | float) -> str:
    return f"CAST({bind(_decimal(number))} AS numeric)"


_EXACT_FLOATS = 2.0**53
"""Below this the shortest decimal form of a whole float has all its digits."""


def numeric_json(value: Json) -> str:
    """The value as JSON whose decimals compare as the numbers do: large floats digit by digit."""
    return json.dumps(_spelled_out(value), ensure_ascii=False, allow_nan=False)


def _spelled_out(value: Json) -> Json:
    if isinstance(value, float):
        return int(value) if abs(value) >= _EXACT_FLOATS else value
    if isinstance(value, list):
        return [_spelled_out(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _spelled_out(item) for key, item in value.items()}
    return value


def survives_jsonb(value: Json) -> bool:
    """Whether the value comes back from `jsonb` as it was, if written by `numeric_json`.

    A large float comes back as an integer, and minus zero without its sign.
    """
    if isinstance(value, float):
        return abs(value) < _EXACT_FLOATS and (value != 0 or copysign(1.0, value) > 0)
    if isinstance(value, list):
        return all(survives_jsonb(item) for item in value)
    if isinstance(value, Mapping):
        return all(survives_jsonb(item) for item in value.values())
    return True


def of_text(key: str) -> str:
    """Where `instants` keeps the instant of a metadata text."""
    return f"metadata.{key}"


def of_elements(key: str) -> str:
    """Where `instants` keeps the instants of the texts in a metadata list."""
    return f"elements.{key}"


def of_attribute(attribute: str) -> str:
    """Where `instants` keeps the instant of a record attribute."""
    return f"memory.{attribute}"


def instants_of(memory: Memory) -> dict[str, Any]:
    """The instants, in microseconds, that texts of the memory name; most memories have none."""
    found: dict[str, Any] = {}
    for name, (kind, read) in ATTRIBUTES.items():
        if kind == "text" and (micros := _instant(read(memory))) is not None:
            found[of_attribute(name)] = micros
    for key, value in memory.metadata.items():
        if isinstance(value, list):
            instants = [micros for item in value if (micros := _instant(item)) is not None]
            if instants:
                found[of_elements(key)] = instants
        elif (micros := _instant(value)) is not None:
            found[of_text(key)] = micros
    return found


def _instant(value: Json) -> int | None:
    # Every form that Python reads begins with a digit of the year.
    if not isinstance(value, str) or not value.lstrip()[:1].isdecimal():
        return None
    moment = stored_instant(value)
    return None if moment is None else to_micros(moment)
