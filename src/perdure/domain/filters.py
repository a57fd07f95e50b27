"""The closed filter language and its reference evaluator.

A filter is a mapping: `{"field": value}` (equality), `{"field": {"gte": 10, "lt": 20}}` (every
operator must hold), combined by `{"and": [...]}`, `{"or": [...]}` and `{"not": {...}}`; several
keys in one mapping must all hold. A field is a metadata key by its name, or an attribute of the
record as `memory.kind`, `memory.importance`, … (the table ATTRIBUTES).

Meaning, for every store alike:

- Values compare by type. Numbers compare with numbers (1 equals 1.0), texts with texts by code
  point, booleans with booleans; a number never equals a text and `true` never equals 1.
- A filter value that is a datetime or date compares as an instant with stored ISO 8601 text, which
  is how metadata keeps times; text that is no time does not match.
- A missing field equals nothing: `eq`, `gt`, `in`, `contains`, … are false for it, `ne` and `nin`
  are true, `exists` tells. A stored null exists, and equals only null.
- `contains` asks whether a stored text has the value as a substring, or a stored list has it as
  an element. Lists and mappings are equal when all their parts are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from perdure.domain.records import Json, Memory
from perdure.domain.text import sanitise
from perdure.domain.times import as_utc
from perdure.errors import InvalidInput, UnsupportedFilter

MAX_DEPTH = 32
"""Levels of `and`, `or` and `not` in a filter."""
MAX_NESTING = 64
"""Levels of lists and mappings in a JSON value; databases bound them too."""
MAX_INTEGER = 2**63 - 1


class Operator(StrEnum):
    """What a comparison asks."""

    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    NIN = "nin"
    EXISTS = "exists"
    CONTAINS = "contains"


ORDERED = frozenset((Operator.GT, Operator.GTE, Operator.LT, Operator.LTE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One field against one value. `attribute` tells a record attribute from a metadata key."""

    field: str
    operator: Operator
    value: Json | datetime | tuple[Json | datetime, ...]
    attribute: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; true when there are none."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds; false when there are none."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Filter


Filter = Comparison | And | Or | Not

_TEXT, _NUMBER, _BOOLEAN, _TIME = "text", "number", "boolean", "time"

ATTRIBUTES: Mapping[str, tuple[str, Callable[[Memory], Any]]] = {
    "id": (_TEXT, lambda m: m.id),
    "content": (_TEXT, lambda m: m.content),
    "kind": (_TEXT, lambda m: m.kind.value),
    "state": (_TEXT, lambda m: m.state.value),
    "tenant": (_TEXT, lambda m: m.scope.tenant),
    "agent": (_TEXT, lambda m: m.scope.agent),
    "user": (_TEXT, lambda m: m.scope.user),
    "session": (_TEXT, lambda m: m.scope.session),
    "key": (_TEXT, lambda m: m.key),
    "role": (_TEXT, lambda m: m.source.role),
    "speaker": (_TEXT, lambda m: m.source.speaker),
    "subject": (_TEXT, lambda m: m.subject),
    "predicate": (_TEXT, lambda m: m.predicate),
    "object": (_TEXT, lambda m: m.object),
    "polarity": (_TEXT, lambda m: m.polarity),
    "superseded_by": (_TEXT, lambda m: m.superseded_by),
    "importance": (_NUMBER, lambda m: m.importance),
    "confidence": (_NUMBER, lambda m: m.confidence),
    "version": (_NUMBER, lambda m: m.version),
    "accessed_count": (_NUMBER, lambda m: m.accessed_count),
    "used_count": (_NUMBER, lambda m: m.used_count),
    "pinned": (_BOOLEAN, lambda m: m.pinned),
    "held": (_BOOLEAN, lambda m: m.held),
    "occurred_at": (_TIME, lambda m: m.occurred_at),
    "occurred_until": (_TIME, lambda m: m.occurred_until),
    "recorded_at": (_TIME, lambda m: m.recorded_at),
    "retired_at": (_TIME, lambda m: m.retired_at),
    "valid_from": (_TIME, lambda m: m.valid_from),
    "valid_to": (_TIME, lambda m: m.valid_to),
    "expires_at": (_TIME, lambda m: m.expires_at),
    "last_accessed_at": (_TIME, lambda m: m.last_accessed_at),
}
"""Record attributes a filter may name (behind `memory.`): their type and how to read them. One that
is None counts as missing."""


def parse_filter(raw: object) -> Filter | None:
    """Read a filter as callers write it; None and an empty mapping mean no filter.

    Raises `UnsupportedFilter` for an unknown operator or attribute and `InvalidInput` for a value
    that cannot be compared. Nothing is ever dropped.
    """
    if raw is None:
        return None
    parsed = _parse(raw, depth=0)
    return None if parsed == And(()) else parsed


def _parse(raw: object, depth: int) -> Filter:
    if depth > MAX_DEPTH:
        raise InvalidInput(f"the filter is nested deeper than {MAX_DEPTH} levels")
    if not isinstance(raw, Mapping):
        raise InvalidInput(
            f"a filter is a mapping such as {{'topic': 'chess'}}, not {type(raw).__name__}"
        )
    parts: list[Filter] = []
    for key, value in raw.items():
        if not isinstance(key, str):
            raise InvalidInput(f"a filter field is text, not {type(key).__name__}")
        parts.extend(_parse_entry(key, value, depth))
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _parse_entry(key: str, value: object, depth: int) -> list[Filter]:
    if key in ("and", "or"):
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
            raise InvalidInput(f"{key!r} takes a list of filters")
        parts = tuple(_parse(part, depth + 1) for part in value)
        return [And(parts) if key == "and" else Or(parts)]
    if key == "not":
        return [Not(_parse(value, depth + 1))]
    if isinstance(value, Mapping):
        if not value:
            raise InvalidInput(f"{key!r}: {{}} asks nothing; name an operator")
        return [_comparison(key, operator, operand) for operator, operand in value.items()]
    return [_comparison(key, Operator.EQ, value)]


def _comparison(field: str, operator: object, value: object) -> Comparison:
    try:
        known = Operator(operator)  # type: ignore[arg-type]
    except ValueError:
        raise UnsupportedFilter(
            f"unknown operator {operator!r} on {field!r}; the operators are "
            + ", ".join(item.value for item in Operator)
        ) from None
    attribute = field.startswith("memory.")
    name = field.removeprefix("memory.")
    if attribute and name not in ATTRIBUTES:
        raise UnsupportedFilter(
            f"unknown attribute {field!r}; a memory has "
            + ", ".join(f"memory.{item}" for item in ATTRIBUTES)
        )
    kind = ATTRIBUTES[name][0] if attribute else None
    return Comparison(
        field=sanitise(name), operator=known, value=_operand(known, value, field, kind),
        attribute=attribute,
    )  # fmt: skip


def _operand(operator: Operator, value: object, field: str, kind: str | None) -> Any:
    if operator is Operator.EXISTS:
        if not isinstance(value, bool):
            raise InvalidInput(f"'exists' on {field!r} takes true or false")
        return value
    if operator in (Operator.IN, Operator.NIN):
        if isinstance(value, str | bytes) or not isinstance(value, Sequence | set | frozenset):
            raise InvalidInput(f"{operator.value!r} on {field!r} takes a list of values")
        return tuple(_value(item, field, kind) for item in value)
    if (
        operator in ORDERED
        and (value is None or isinstance(value, bool | Sequence | Mapping))
        and (not isinstance(value, str))
    ):
        raise InvalidInput(
            f"{operator.value!r} on {field!r} compares numbers, texts or times, "
            f"not {type(value).__name__}"
        )
    if operator is Operator.CONTAINS and kind in (_NUMBER, _BOOLEAN, _TIME):
        raise UnsupportedFilter(f"'contains' does not apply to {field!r}")
    return _value(value, field, kind)


def _value(value: object, field: str, kind: str | None) -> Any:
    if kind == _TIME and isinstance(value, str):
        return as_utc(value, name=field)
    if isinstance(value, datetime | date):
        return as_utc(value, name=field)
    if isinstance(value, StrEnum):
        return value.value
    return json_value(value, name=field)


def json_value(value: object, *, name: str, depth: int = 0) -> Json:
    """A JSON value as stores can keep it exactly, or `InvalidInput`.

    Datetimes and dates become ISO 8601 text; tuples become lists. Integers must fit 64 bits;
    NaN and infinities are refused; text is made storable. `depth` is how deep it stands already.
    """
    if depth > MAX_NESTING:
        raise InvalidInput(f"{name}: nested deeper than {MAX_NESTING} levels")
    if value is None or isinstance(value, bool):
        return value
    if type(value) is str:
        return sanitise(value)
    if isinstance(value, str):
        return sanitise(str.__str__(value))  # of an enumeration member, what it stands for
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise InvalidInput(f"{name}: integers must fit 64 bits; keep larger ones as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{name}: {value} is not a JSON number")
        return float(value)
    if isinstance(value, datetime):
        return as_utc(value, name=name).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [json_value(item, name=name, depth=depth + 1) for item in value]
    if isinstance(value, dict | Mapping):  # the plain dictionary first: it answers at once
        return {
            _json_key(key, name): json_value(item, name=name, depth=depth + 1)
            for key, item in value.items()
        }
    raise InvalidInput(f"{name}: {type(value).__name__} is not a JSON value")


def _json_key(key: object, name: str) -> str:
    if type(key) is str:
        return sanitise(key)
    if not isinstance(key, str):
        raise InvalidInput(f"{name}: keys must be text, not {type(key).__name__}")
    return sanitise(str.__str__(key))


def evaluate(part: Filter | None, memory: Memory) -> bool:
    """The reference: whether the memory passes. Every store must agree with it."""
    match part:
        case None:
            return True
        case And(parts):
            return all(evaluate(item, memory) for item in parts)
        case Or(parts):
            return any(evaluate(item, memory) for item in parts)
        case Not(inner):
            return not evaluate(inner, memory)
        case Comparison():
            return _compare(part, memory)


def _compare(comparison: Comparison, memory: Memory) -> bool:
    present, stored = _read(comparison, memory)
    value = comparison.value
    match comparison.operator:
        case Operator.EXISTS:
            return present is value
        case Operator.EQ:
            return present and same(stored, value)
        case Operator.NE:
            return not (present and same(stored, value))
        case Operator.IN:
            return present and any(same(stored, item) for item in value)  # type: ignore[union-attr]
        case Operator.NIN:
            return not (present and any(same(stored, item) for item in value))  # type: ignore[union-attr]
        case Operator.CONTAINS:
            return present and _contains(stored, value)
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return present and _ordered(comparison.operator, stored, value)


def _read(comparison: Comparison, memory: Memory) -> tuple[bool, Any]:
    if comparison.attribute:
        value = ATTRIBUTES[comparison.field][1](memory)
        return value is not None, value
    if comparison.field in memory.metadata:
        return True, memory.metadata[comparison.field]
    return False, None


def stored_instant(stored: object) -> datetime | None:
    """The instant that stored text names, or None when it names none."""
    if isinstance(stored, datetime):
        return stored
    if not isinstance(stored, str):
        return None
    try:
        return as_utc(stored)
    except InvalidInput:
        return None


def same(stored: object, value: object) -> bool:
    """Typed equality, as the module says."""
    if isinstance(value, datetime):
        return stored_instant(stored) == value
    if isinstance(stored, bool) or isinstance(value, bool):
        return stored is value
    if isinstance(stored, int | float) and isinstance(value, int | float):
        return stored == value
    if isinstance(stored, list) and isinstance(value, list):
        return len(stored) == len(value) and all(map(same, stored, value))
    if isinstance(stored, Mapping) and isinstance(value, Mapping):
        return stored.keys() == value.keys() and all(same(stored[k], value[k]) for k in stored)
    return type(stored) is type(value) and stored == value


def _contains(stored: object, value: object) -> bool:
    if isinstance(stored, str):
        return isinstance(value, str) and value in stored
    return isinstance(stored, list) and any(same(item, value) for item in stored)


def _ordered(operator: Operator, stored: Any, value: Any) -> bool:
    if isinstance(value, datetime):
        stored = stored_instant(stored)
        if stored is None:
            return False
    elif isinstance(value, str):
        if not isinstance(stored, str):
            return False
    elif isinstance(stored, bool) or not isinstance(stored, int | float):
        return False
    match operator:
        case Operator.GT:
            return bool(stored > value)
        case Operator.GTE:
            return bool(stored >= value)
        case Operator.LT:
            return bool(stored < value)
        case _:
            return bool(stored <= value)
