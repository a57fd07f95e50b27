"""LoCoMo-style JSON: a long acquaintance of two people in numbered, dated sessions.

    {"sample_id": "…", "conversation": {"speaker_a": "…", "speaker_b": "…",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "…", "dia_id": "D1:1", "text": "…"}, …], …}}

Each session becomes a session of its own, at its date. The caption of a picture is kept as that of
an attachment, so the picture is found through it.

Source: https://github.com/snap-research/locomo
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from perdure.domain.records import Attachment
from perdure.domain.text import is_blank
from perdure.importers.turns import (
    Entry,
    Finding,
    LeftOut,
    Malformed,
    PassedOver,
    Reader,
    Turn,
    is_record,
    moment_of,
    name_of,
    records,
)

NAME = "locomo"
_SESSION = re.compile(r"session_(\d+)")
_MOMENT = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})", re.IGNORECASE
)
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
"""English whatever the language of the machine, unlike `strptime`."""


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an entry looks like a sample."""
    conversation = value.get("conversation")
    return is_record(conversation) and any(map(_SESSION.fullmatch, conversation))


def reader(stem: str) -> Reader:
    """Reads entries of a file with this name."""

    def read(entry: Entry) -> Iterator[Finding]:
        value = entry.value
        if not is_record(value) or not is_record(value.get("conversation")):
            yield LeftOut(entry.place, "it is not a sample with a conversation")
            return
        sample = name_of(value.get("sample_id")) or f"{stem}/{entry.place}"
        for number in _session_numbers(value["conversation"]):
            yield from _session(entry.place, sample, number, value["conversation"])

    return read


def _session_numbers(conversation: Mapping[str, Any]) -> list[int]:
    return sorted(int(match.group(1)) for key in conversation if (match := _SESSION.fullmatch(key)))


def _session(
    place: str, sample: str, number: int, conversation: Mapping[str, Any]
) -> Iterator[Finding]:
    name = f"session_{number}"
    place = f"{place}, {name}"
    try:
        turns = records(conversation[name], "it")
        at = session_time(conversation.get(f"{name}_date_time"))
    except Malformed as error:
        yield LeftOut(place, str(error))
        return
    for position, turn in enumerate(turns, start=1):
        yield _turn(f"{place}, turn {position}", f"{sample}/{name}", turn, at)


def session_time(value: object) -> datetime | None:
    """The time of a session, such as "1:56 pm on 8 May, 2023", taken as UTC; ISO 8601 too."""
    match = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return moment_of(value)
    hour, minute, half, day, month, year = match.groups()
    if month.lower() not in _MONTHS or not 1 <= int(hour) <= 12:
        raise Malformed("its date_time names no month or hour")
    try:
        return datetime(
            int(year),
            _MONTHS.index(month.lower()) + 1,
            int(day),
            int(hour) % 12 + (12 if half.lower() == "p" else 0),
            int(minute),
            tzinfo=UTC,
        )
    except ValueError as error:
        raise Malformed("its date_time is no date of the calendar") from error


def _turn(place: str, conversation: str, turn: object, at: datetime | None) -> Finding:
    if not is_record(turn):
        return LeftOut(place, "it is not a turn")
    speaker = name_of(turn.get("speaker"))
    if speaker is None:
        return LeftOut(place, "it has no speaker")
    text = turn.get("text")
    if text is not None and not isinstance(text, str):
        return LeftOut(place, "its text is not text")
    caption = name_of(turn.get("blip_caption"))
    words = text if text and not is_blank(text) else caption
    if words is None:
        return PassedOver(place)
    return Turn(
        place=place,
        conversation=conversation,
        message_id=name_of(turn.get("dia_id")),
        speaker=speaker,
        words=words,
        at=at,
        attachments=() if caption is None else (_picture(turn, caption),),
    )


def _picture(turn: Mapping[str, Any], caption: str) -> Attachment:
    address = turn.get("img_url")
    if isinstance(address, list):
        address = address[0] if address else None
    location = address if isinstance(address, str) else ""
    return Attachment(media_type="image/*", digest="", location=location, caption=caption)
