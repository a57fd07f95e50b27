"""A memory as a JSON document and back, without loss.

The document leaves out what has its default, so it is small enough for the journal. Exports,
journal entries and the SQL stores' rare fields all use this one form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from perdure.domain.records import (
    EMPTY,
    NEW_STRENGTH,
    NO_SOURCE,
    Attachment,
    Kind,
    Memory,
    Metadata,
    Source,
    State,
    Strength,
)
from perdure.domain.scope import Scope
from perdure.domain.times import as_utc, iso

Document = dict[str, Any]


def _optional_time(value: str | None) -> datetime | None:
    return None if value is None else as_utc(value)


_FLAT: dict[type, tuple[tuple[str, Any], ...]] = {
    kind: tuple((field.name, field.default) for field in fields(kind))
    for kind in (Scope, Source, Strength, Attachment)
}
"""Names and defaults of the fields of the records inside a memory."""


def _plain(record: Any) -> Document:
    """A flat record as a document without its defaults."""
    document: Document = {}
    for name, default in _FLAT[type(record)]:
        value = getattr(record, name)
        if value != default:
            document[name] = _encode_value(value)
    return document


def _encode_value(value: Any) -> Any:
    encoder = _ENCODE.get(type(value))
    return value if encoder is None else encoder(value)


_ENCODE: dict[type, Callable[[Any], Any]] = {
    datetime: iso,
    tuple: lambda value: [_encode_value(item) for item in value],
    Metadata: dict,
    Scope: _plain,
    Source: _plain,
    Strength: _plain,
    Attachment: _plain,
}


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
    "supports": tuple,
    "contradicts": tuple,
    "metadata": lambda raw: Metadata(raw) if raw else EMPTY,
    "source": _source,
    "strength": _strength,
    "attachments": lambda raw: tuple(Attachment(**item) for item in raw),
}

_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(Memory) if field.name != "metadata"
}
_DEFAULTS |= {"metadata": EMPTY, "source": NO_SOURCE, "strength": NEW_STRENGTH}
FIELDS = tuple(field.name for field in fields(Memory))
_values_of = attrgetter(*FIELDS)
_DEFAULT_VALUES = tuple(_DEFAULTS[name] for name in FIELDS)


def encode(memory: Memory) -> Document:
    """The document of a memory: JSON values only, defaults left out."""
    document: Document = {}
    last, encoded, encoder_of = None, None, _ENCODE.get
    for name, value, default in zip(FIELDS, _values_of(memory), _DEFAULT_VALUES, strict=True):
        if value is not default and value != default:
            if value is not last:  # a new memory has one time for three fields
                encoder = encoder_of(type(value))
                last, encoded = value, value if encoder is None else encoder(value)
            document[name] = encoded
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
