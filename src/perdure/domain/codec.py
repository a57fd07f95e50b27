"""A memory as a JSON document and back, without loss.

The document leaves out what has its default, so it is small enough for the journal. Exports,
journal entries and the SQL stores' rare fields all use this one form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from types import MappingProxyType
from typing import Any

from perdure.domain.records import (
    EMPTY,
    NEW_STRENGTH,
    NO_SOURCE,
    Attachment,
    Kind,
    Memory,
    Source,
    State,
    Strength,
)
from perdure.domain.scope import Scope
from perdure.domain.times import as_utc, iso

Document = dict[str, Any]


def _optional_time(value: str | None) -> datetime | None:
    return None if value is None else as_utc(value)


def _plain(record: Any) -> Document:
    """A flat record as a document without its defaults."""
    document: Document = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if value != field.default:
            document[field.name] = _encode_value(value)
    return document


def _encode_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, tuple):
        return [_encode_value(item) for item in value]
    if isinstance(value, Scope | Source | Strength | Attachment):
        return _plain(value)
    if isinstance(value, MappingProxyType):
        return dict(value)
    return value


def _source(raw: Document) -> Source:
    return Source(**{**raw, "message_ids": tuple(raw.get("message_ids", ()))})


def _strength(raw: Document) -> Strength:
    return Strength(**{**raw, "due_at": _optional_time(raw.get("due_at"))})


_DECODE: dict[str, Callable[[Any], Any]] = {
    "scope": lambda raw: Scope(**raw),
    "kind": Kind,
    "state": State,
    "occurred_at": as_utc,
    "recorded_at": as_utc,
    "valid_from": as_utc,
    "occurred_until": _optional_time,
    "valid_to": _optional_time,
    "retired_at": _optional_time,
    "expires_at": _optional_time,
    "last_accessed_at": _optional_time,
    "supersedes": tuple,
    "causes": tuple,
    "provenance": tuple,
    "metadata": lambda raw: MappingProxyType(raw) if raw else EMPTY,
    "source": _source,
    "strength": _strength,
    "attachments": lambda raw: tuple(Attachment(**item) for item in raw),
}

_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(Memory) if field.name != "metadata"
}
_DEFAULTS |= {"metadata": EMPTY, "source": NO_SOURCE, "strength": NEW_STRENGTH}
FIELDS = tuple(field.name for field in fields(Memory))


def encode(memory: Memory) -> Document:
    """The document of a memory: JSON values only, defaults left out."""
    document: Document = {}
    for name in FIELDS:
        value = getattr(memory, name)
        if value is not _DEFAULTS[name] and value != _DEFAULTS[name]:
            document[name] = _encode_value(value)
    return document


def decode(document: Mapping[str, Any]) -> Memory:
    """The memory a document describes; the inverse of `encode`.

    Raises `TypeError`, `ValueError` or `InvalidInput` for a document that describes none.
    """
    values = {
        name: _DECODE[name](value) if name in _DECODE else value for name, value in document.items()
    }
    return Memory(**values)


def difference(before: Memory | None, after: Memory) -> Document:
    """What a change changed: the fields of `after` that differ from `before`.

    A field that returned to its default appears with the default's encoding, so `merge` restores
    it exactly. With no `before` this is the whole document.
    """
    if before is None:
        return encode(after)
    changed: Document = {}
    for name in FIELDS:
        value = getattr(after, name)
        if not _is_identical(value, getattr(before, name)):
            changed[name] = _encode_value(value)
    return changed


def _is_identical(one: Any, other: Any) -> bool:
    """Equality that tells 1 from 1.0 and from True, as the document does."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_identical(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_identical, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    return type(one) is type(other) and bool(one == other)


def merge(document: Mapping[str, Any], change: Mapping[str, Any]) -> Document:
    """The document after a change."""
    return {**document, **change}
