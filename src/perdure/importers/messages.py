"""Messages as most programs log them: {"role", "content", "time"?, "name"?, "id"?}.

One per line, in an array, or several under `messages` (as in fine-tuning files). `content` is text
or a list of parts of which those of type `text` count. `conversation` names the conversation;
without it the file's name does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from perdure.domain.text import is_blank
from perdure.importers.turns import (
    SPOKEN,
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

NAME = "messages"
_TEXT_PARTS = frozenset(("text", "input_text", "output_text"))


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an entry looks like a message or a list of them."""
    return ("role" in value and "content" in value) or isinstance(value.get("messages"), list)


def reader(stem: str) -> Reader:
    """Reads entries of a file with this name."""

    def read(entry: Entry) -> Iterator[Finding]:
        value = entry.value
        if not is_record(value):
            yield LeftOut(entry.place, "it is not an object with role and content")
        elif "messages" in value:
            yield from _several(entry.place, value, f"{stem}/{entry.place}")
        else:
            yield _one(entry.place, value, name_of(value.get("conversation")) or stem)

    return read


def _several(place: str, value: Mapping[str, Any], fallback: str) -> Iterator[Finding]:
    conversation = name_of(value.get("conversation")) or name_of(value.get("id")) or fallback
    try:
        messages = records(value["messages"], "messages")
    except Malformed as error:
        yield LeftOut(place, str(error))
        return
    for number, message in enumerate(messages, start=1):
        yield _one(f"{place}, message {number}", message, conversation)


def _one(place: str, message: object, conversation: str) -> Finding:
    if not is_record(message):
        return LeftOut(place, "it is not an object with role and content")
    role = message.get("role")
    if not isinstance(role, str) or not role.strip():
        return LeftOut(place, "it has no role")
    if role not in SPOKEN:
        return PassedOver(place)
    try:
        words = _words(message)
        at = moment_of(message.get("time"))
    except Malformed as error:
        return LeftOut(place, str(error))
    if is_blank(words):
        return PassedOver(place)
    return Turn(
        place=place,
        conversation=conversation,
        message_id=name_of(message.get("id")),
        role=role,
        speaker=name_of(message.get("name")),
        words=words,
        at=at,
    )


def _words(message: Mapping[str, Any]) -> str:
    if "content" not in message:
        raise Malformed("it has no content")
    content = message["content"]
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(map(is_record, content)):
        raise Malformed("its content is neither text nor a list of parts")
    texts = [part.get("text") for part in content if part.get("type") in _TEXT_PARTS]
    return "\n".join(text for text in texts if isinstance(text, str))
