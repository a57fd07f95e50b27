"""What a transcript holds, whatever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeGuard

from perdure.domain.records import Attachment
from perdure.domain.times import as_utc
from perdure.errors import InvalidInput

SPOKEN = frozenset(("user", "assistant"))
"""Roles whose words are part of the conversation; the others set it up or carry tool traffic."""

_MILLISECONDS_FROM = 1e11
"""Seconds since 1970 reach this in the year 5138; a larger number counts milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. `message_id` None: the transcript gives none. `at` None: it gives no time."""

    place: str
    conversation: str
    words: str
    message_id: str | None = None
    role: str | None = None
    speaker: str | None = None
    at: datetime | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that could not be imported: where it stands and why. Never its words."""

    place: str
    problem: str


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A message that is no part of the conversation: hidden, a tool's, a system's, without words."""

    place: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of the file, and how to name its place to a person."""

    place: str
    value: Any


Finding = Turn | LeftOut | PassedOver
Reader = Callable[[Entry], Iterator[Finding]]


class Malformed(Exception):
    """A part of the transcript is not as its format has it; the message says how."""


def is_record(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a JSON object."""
    return isinstance(value, Mapping)


def records(value: object, what: str) -> list[Any]:
    """A list from the transcript, or `Malformed`."""
    if not isinstance(value, list):
        raise Malformed(f"{what} is not a list")
    return value


def name_of(value: object) -> str | None:
    """An identifier or a name: text, or a number as text; None when absent or blank."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def moment_of(value: object) -> datetime | None:
    """ISO 8601 text or seconds since 1970 as a time; `Malformed` when it is neither.

    An unreadable time is never taken for no time: the message would land in the wrong year.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            return as_utc(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
    except (InvalidInput, ValueError, OverflowError, OSError):
        pass
    raise Malformed("its time is neither ISO 8601 nor seconds since 1970")
