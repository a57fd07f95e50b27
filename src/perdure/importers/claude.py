"""The data export of Claude: conversations.json, each conversation with its `chat_messages`.

Of a message the blocks of type `text` count; thinking and tool traffic are passed over. A message
that is nothing but a pasted text has its words in an attachment's `extracted_content`. Newer
exports link messages to their parents; then only the path to the newest message is imported, so
that questions that were edited away stay away.

The format is not published. This follows exports seen up to 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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

NAME = "claude"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an entry looks like a conversation of this export."""
    return "chat_messages" in value


def reader(stem: str) -> Reader:
    """Reads entries of a file with this name."""

    def read(entry: Entry) -> Iterator[Finding]:
        value = entry.value
        if not is_record(value) or not isinstance(value.get("chat_messages"), list):
            yield LeftOut(entry.place, "it is not a conversation with chat_messages")
            return
        conversation = name_of(value.get("uuid")) or f"{stem}/{entry.place}"
        for number in _path(value["chat_messages"], value.get("current_leaf_message_uuid")):
            place = f"{entry.place}, message {number + 1}"
            try:
                yield _turn(place, conversation, value["chat_messages"][number])
            except Malformed as error:
                yield LeftOut(place, str(error))

    return read


def _path(messages: list[Any], leaf: object) -> list[int]:
    """Positions of the messages on the path to the leaf; all where nothing links them."""
    position = {
        message["uuid"]: number
        for number, message in enumerate(messages)
        if is_record(message) and isinstance(message.get("uuid"), str)
    }
    parents = {
        number: position[message["parent_message_uuid"]]
        for number, message in enumerate(messages)
        if is_record(message) and message.get("parent_message_uuid") in position
    }
    if not parents:
        return list(range(len(messages)))
    with_answer = set(parents.values())
    leaves = [number for number in position.values() if number not in with_answer]
    current = position.get(leaf) if isinstance(leaf, str) else None
    if current is None:
        current = max(leaves, key=lambda number: (_created(messages[number]), number), default=None)
    path: set[int] = set()
    while current is not None and current not in path:
        path.add(current)
        current = parents.get(current)
    # What cannot be placed in the tree is not lost silently: reading it reports it.
    unplaced = set(range(len(messages))) - set(position.values())
    return sorted(path | unplaced)


def _created(message: Mapping[str, Any]) -> str:
    created = message.get("created_at")
    return created if isinstance(created, str) else ""


def _turn(place: str, conversation: str, message: object) -> Finding:
    if not is_record(message):
        raise Malformed("it is not a message")
    sender = message.get("sender")
    if not isinstance(sender, str):
        raise Malformed("it has no sender")
    role = _ROLES.get(sender)
    words = _words(message)
    if role is None or is_blank(words):
        return PassedOver(place)
    return Turn(
        place=place,
        conversation=conversation,
        message_id=name_of(message.get("uuid")),
        role=role,
        words=words,
        at=moment_of(message.get("created_at")),
    )


def _words(message: Mapping[str, Any]) -> str:
    blocks = message.get("content")
    if blocks:
        texts = [
            block.get("text")
            for block in records(blocks, "its content")
            if is_record(block) and block.get("type") == "text"
        ]
        words = "\n".join(text for text in texts if isinstance(text, str))
    else:
        # Older exports have the text only here. Beside blocks it may hold placeholders for tools.
        text = message.get("text")
        words = text if isinstance(text, str) else ""
    return words if not is_blank(words) else _pasted(message.get("attachments"))


def _pasted(attachments: object) -> str:
    if not isinstance(attachments, list):
        return ""
    texts = [item.get("extracted_content") for item in attachments if is_record(item)]
    return "\n".join(text for text in texts if isinstance(text, str))
