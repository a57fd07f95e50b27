"""Checking a JSON value against a schema, trimming what does not fit and saying what that was.

Of JSON Schema only what our own schemas use: `type` (a name, or a list with "null"), `properties`,
`required`, `items`, `enum`, `minimum`, `maximum`, `maxLength`, `maxItems`. Small slips of form are
mended: numbers as text, text as numbers, one value where a list belongs, other case in an `enum`,
null for what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from perdure.domain.text import sanitise

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformed:
    """A value that fits its schema, and what was left out of it: "facts[2].object: missing"."""

    value: Any
    refused: tuple[str, ...] = ()


class Unfit(ValueError):
    """The value does not fit and cannot be mended; the message says where and why."""


def conform(value: Any, schema: Schema) -> Conformed:
    """The value as the schema wants it. Items of lists that do not fit are left out and listed.

    Raises `Unfit` when the value itself does not fit.
    """
    refused: list[str] = []
    return Conformed(value=_fit(value, schema, "", refused), refused=tuple(refused))


def _fit(value: Any, schema: Schema, place: str, refused: list[str]) -> Any:
    kinds = _kinds(schema)
    if value is None:
        if "null" in kinds:
            return None
        raise Unfit(f"{place or 'the answer'}: missing")
    for kind in kinds:
        match kind:
            case "object" if isinstance(value, Mapping):
                return _object(value, schema, place, refused)
            case "array":
                items = value if isinstance(value, list | tuple) else [value]
                return list(_items(items, schema, place, refused))
            case "string" if isinstance(value, str | int | float):
                return _text(value, schema, place)
            case "number" | "integer":
                return _number(value, schema, place, whole=kind == "integer")
            case "boolean":
                return _boolean(value, place)
            case _:
                continue
    raise Unfit(f"{place or 'the answer'}: {type(value).__name__} where {kinds[0]} belongs")


def _kinds(schema: Schema) -> list[str]:
    kind = schema.get("type", "object")
    return [kind] if isinstance(kind, str) else list(kind)


def _object(
    value: Mapping[str, Any], schema: Schema, place: str, refused: list[str]
) -> dict[str, Any]:
    made = {}
    for name, part in schema.get("properties", {}).items():
        inside = f"{place}.{name}" if place else name
        given = value.get(name)
        if given is None and "array" in _kinds(part):
            given = []
        try:
            made[name] = _fit(given, part, inside, refused)
        except Unfit as reason:
            if "null" not in _kinds(part):
                raise
            # What may be missing may as well be wrong: it is left to the rules.
            refused.append(str(reason))
            made[name] = None
    return made


def _items(items: Any, schema: Schema, place: str, refused: list[str]) -> Iterator[Any]:
    most = schema.get("maxItems", len(items))
    if len(items) > most:
        refused.append(f"{place}: {len(items)} items where {most} are allowed")
    for position, item in enumerate(items[:most]):
        inside: list[str] = []
        try:
            yield _fit(item, schema["items"], f"{place}[{position}]", inside)
        except Unfit as reason:
            refused.append(str(reason))
        else:
            refused.extend(inside)


def _text(value: str | int | float, schema: Schema, place: str) -> str:
    text = sanitise(value if isinstance(value, str) else str(value)).strip()
    allowed = schema.get("enum")
    if allowed is not None:
        named = text.lower()
        if named not in allowed:
            raise Unfit(f"{place}: not one of {', '.join(map(str, allowed))}")
        return named
    if len(text) < schema.get("minLength", 0):
        raise Unfit(f"{place}: empty")
    if len(text) > schema.get("maxLength", len(text)):
        raise Unfit(f"{place}: {len(text)} characters where {schema['maxLength']} are allowed")
    return text


def _number(value: Any, schema: Schema, place: str, *, whole: bool) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unfit(f"{place}: {type(value).__name__} where a number belongs")
    try:
        number = float(value.strip().rstrip("%")) if isinstance(value, str) else float(value)
    except ValueError:
        raise Unfit(f"{place}: text where a number belongs") from None
    if isinstance(value, str) and value.strip().endswith("%"):
        number /= 100
    if not isfinite(number) or not schema.get("minimum", number) <= number <= schema.get(
        "maximum", number
    ):
        raise Unfit(f"{place}: out of bounds")
    if whole and number != int(number):
        raise Unfit(f"{place}: not a whole number")
    return int(number) if whole else number


def _boolean(value: Any, place: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false", "yes", "no"):
        return value.strip().lower() in ("true", "yes")
    raise Unfit(f"{place}: {type(value).__name__} where true or false belongs")
