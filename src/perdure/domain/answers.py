"""Finding the answer of a language model in what it wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from perdure.domain.lenient_json import CutOff, Malformed, read_value
from perdure.errors import UnreadableAnswer

MOST_CHARS = 200_000
_REASONING = re.compile(
    r"<(think|thinking|reasoning|analysis|scratchpad)\b[^>]*>(?:.*?</\1\s*>|.*\Z)",
    re.DOTALL | re.IGNORECASE,
)
_OPENING = re.compile(r"[{\[]")


class AnswerFault(StrEnum):
    """Why an answer cannot be used. Each may be another one when asked again."""

    EMPTY = "empty"
    NO_JSON = "no_json"
    CUT_OFF = "cut_off"
    MALFORMED = "malformed"
    WRONG_SHAPE = "wrong_shape"
    TOO_LONG = "too_long"
    REFUSED = "refused"


_WHAT = {
    AnswerFault.EMPTY: "is empty",
    AnswerFault.NO_JSON: "holds no JSON",
    AnswerFault.CUT_OFF: "ends in the middle",
    AnswerFault.MALFORMED: "is not readable as JSON",
    AnswerFault.WRONG_SHAPE: "is JSON of another shape than was asked for",
    AnswerFault.TOO_LONG: f"is longer than {MOST_CHARS:,} characters",
    AnswerFault.REFUSED: "is a refusal",
}


def unreadable(fault: AnswerFault) -> UnreadableAnswer:
    """The error that says so, without a word of the answer."""
    return UnreadableAnswer(f"the language model's answer {_WHAT[fault]}", fault=fault.value)


def read_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The object in a model's words that answers `schema`, an object schema.

    Words around it, fences and reasoning are passed over; of several objects the last that has a
    property of the schema counts, for drafts come first. A bare list stands for the schema's first
    list, and an object inside another for itself. Only the outermost shape is checked here
    (`domain.schemas.conform` checks the rest). Raises `UnreadableAnswer`.
    """
    if len(text) > MOST_CHARS:
        raise unreadable(AnswerFault.TOO_LONG)
    if not text.strip():
        raise unreadable(AnswerFault.EMPTY)
    spoken = _REASONING.sub("\n", text)
    if not spoken.strip():
        raise unreadable(AnswerFault.CUT_OFF)
    return _chosen(list(_found(spoken)), schema)


def _chosen(found: list[Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    for value in reversed(found):
        shaped = shaped_as(value, schema)
        if shaped is not None:
            return shaped
    if not found:
        raise unreadable(AnswerFault.NO_JSON)
    if CutOff in found:
        raise unreadable(AnswerFault.CUT_OFF)
    if all(value is Malformed for value in found):
        raise unreadable(AnswerFault.MALFORMED)
    raise unreadable(AnswerFault.WRONG_SHAPE)


def _found(text: str) -> Iterator[Any]:
    """Every outermost value in order; `Malformed` or `CutOff` where one cannot be read."""
    place = 0
    while opening := _OPENING.search(text, place):
        try:
            value, place = read_value(text, opening.start())
        except CutOff:
            # What follows lies inside what was cut off, and must not pass for an answer.
            yield CutOff
            return
        except Malformed:
            yield Malformed
            place = opening.end()
        else:
            yield value


def shaped_as(value: Any, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The value as an object with a property of the schema; None when it is none."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    if isinstance(value, list):
        return _listed(value, properties)
    if not isinstance(value, dict):
        return None
    if any(name in properties for name in value):
        return value
    inner = [item for item in value.values() if isinstance(item, dict)]
    return shaped_as(inner[0], schema) if len(inner) == 1 else None


def _listed(value: list[Any], properties: Mapping[str, Any]) -> dict[str, Any] | None:
    if (
        len(value) == 1
        and isinstance(value[0], dict)
        and any(key in properties for key in value[0])
    ):
        return value[0]
    lists = [name for name, part in properties.items() if part.get("type") == "array"]
    if not lists or not all(isinstance(item, dict | str) for item in value):
        return None
    return {lists[0]: value}
