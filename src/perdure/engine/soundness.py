"""Whether what a file says is something this package could have written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from perdure.domain.codec import Document, decode
from perdure.domain.filters import MAX_NESTING, json_value
from perdure.domain.records import Memory, State
from perdure.domain.text import is_blank, sanitise

_LINKS = ("supersedes", "causes", "provenance", "supports", "contradicts")
_LISTS = (*_LINKS, "attachments")
_OBJECTS = ("scope", "source", "strength", "metadata")
_OPTIONAL_TEXTS = ("superseded_by", "key", "subject", "predicate", "object", "archive")
_SHARES = ("importance", "confidence")
_COUNTS = ("accessed_count", "used_count")


_LONG_NUMBER = re.compile("[0-9]{19}")
_SUSPICIOUS = ("\\u", "\x00", "NaN", "Infinity")


def is_plainly_storable(line: str) -> bool:
    """Whether JSON text shows at a glance that `require_storable` would have nothing to say."""
    if any(text in line for text in _SUSPICIOUS) or _LONG_NUMBER.search(line):
        return False
    return sanitise(line) == line and line.count("[") + line.count("{") <= MAX_NESTING


def require_storable(value: Any) -> None:
    """Raise `ValueError` for JSON that no store can keep exactly.

    That is half a surrogate pair or a NUL in a text, a number out of range, nesting without end.
    """
    if json_value(value, name="a value") != value:
        raise ValueError("it holds a NUL or half of a surrogate pair")


def sound_memory(document: Any) -> Memory:
    """The memory a document describes; `ValueError` or `TypeError` when a part is wrong."""
    _require(isinstance(document, Mapping), "a memory is not an object")
    _require_shapes(document)
    memory = decode(document)
    _require(_is_text(memory.id) and memory.id, "the id is not a text")
    _require(_is_text(memory.content), "the content is not a text")
    for name in _OPTIONAL_TEXTS:
        value = getattr(memory, name)
        _require(value is None or _is_text(value), f"{name} is not a text")
    for name in _SHARES:
        _require(_is_number(getattr(memory, name), 0.0, 1.0), f"{name} is not from 0 to 1")
    for name in _COUNTS:
        _require(_is_count(getattr(memory, name)), f"{name} is not a count")
    _require(_is_count(memory.version) and memory.version > 0, "the version is not a count")
    _require(isinstance(memory.pinned, bool), "pinned is not true or false")
    _require(isinstance(memory.held, bool), "held is not true or false")
    _require(memory.polarity in (None, "+", "-"), "the polarity is unknown")
    _require_parts(memory)
    _require_intervals(memory)
    return memory


def sound_history(
    steps: Any, memory: Memory, memory_document: Mapping[str, Any]
) -> list[tuple[Mapping[str, Any], Memory]]:
    """Each step with the memory as it stood after it; `ValueError` when they lead elsewhere.

    `memory_document` is what `memory` was read from: most histories are one step to it.
    """
    _require(_is_list(steps) and steps, "it has no history")
    made: list[tuple[Mapping[str, Any], Memory]] = []
    document: Document = {}
    version = None
    for step in steps:
        _require(isinstance(step["change"], Mapping), "a change is not an object")
        _require(_is_text(step["actor"]), "an actor is not a text")
        _require(step["reason"] is None or _is_text(step["reason"]), "a reason is not a text")
        document = {**document, **step["change"]}
        # Compared as text, because 1 equals 1.0 and True.
        is_last = repr(document) == repr(memory_document)
        after = memory if is_last else sound_memory(document)
        _require(after.id == memory.id, "its history is that of another memory")
        _require(after.scope == memory.scope, "its history is that of another scope")
        _require(version in (None, after.version - 1), "its versions do not follow one another")
        version = after.version
        made.append((step, after))
    return made


def require_words(memory: Memory) -> None:
    """Raise `ValueError` when a memory says nothing that is neither forgotten nor archived."""
    if memory.state is not State.ARCHIVED:
        _require(not is_blank(memory.content), "its content is empty")


def _require_shapes(document: Mapping[str, Any]) -> None:
    for name in _LISTS:
        _require(_is_list(document.get(name, ())), f"{name} is not a list")
    for name in _OBJECTS:
        _require(isinstance(document.get(name, {}), Mapping), f"{name} is not an object")


def _require_parts(memory: Memory) -> None:
    ids = [memory_id for name in _LINKS for memory_id in getattr(memory, name)]
    _require(all(map(_is_text, ids)), "an id in a list is not a text")
    source, strength = memory.source, memory.strength
    for value in (source.role, source.speaker):
        _require(value is None or _is_text(value), "the source is not a text")
    _require(all(map(_is_text, source.message_ids)), "a message id is not a text")
    for item in memory.attachments:
        parts = (item.media_type, item.digest, item.location, item.caption)
        _require(all(map(_is_text, parts)), "an attachment is not made of texts")
    _require(_is_number(strength.ease, 0.0) and _is_number(strength.interval_days, 0.0)
             and _is_count(strength.repetitions), "the strength is not made of numbers")  # fmt: skip


def _require_intervals(memory: Memory) -> None:
    _require(
        memory.valid_to is None or memory.valid_to > memory.valid_from,
        "its validity ends before it begins",
    )
    _require(
        memory.occurred_until is None or memory.occurred_until >= memory.occurred_at,
        "it ended before it happened",
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object, low: float, high: float = float("inf")) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isfinite(value) and low <= value <= high


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise ValueError(problem)
