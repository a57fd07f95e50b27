"""The data export of ChatGPT: conversations.json, each conversation a tree of messages.

Editing a question or regenerating an answer leaves branches in the tree. What the person last saw
is the path from `current_node` to the root; only that is imported. System messages, tool traffic,
reasoning, and messages marked as hidden are passed over, and of the parts of a message only texts
and transcripts of speech count.

The format is not published. This follows exports seen up to 2026, among them those split into
conversations-000.json and so on.
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
)

NAME = "chatgpt"
_CONTENT_TYPES = frozenset(("text", "multimodal_text"))
_SPOKEN_PART = "audio_transcription"
_TO_EVERYBODY = (None, "", "all")


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an entry looks like a conversation of this export."""
    return is_record(value.get("mapping"))


def reader(stem: str) -> Reader:
    """Reads entries of a file with this name."""

    def read(entry: Entry) -> Iterator[Finding]:
        value = entry.value
        if not is_record(value) or not is_record(value.get("mapping")):
            yield LeftOut(entry.place, "it is not a conversation with a mapping of messages")
            return
        conversation = (
            name_of(value.get("conversation_id"))
            or name_of(value.get("id"))
            or f"{stem}/{entry.place}"
        )
        for node_id in _path(value["mapping"], value.get("current_node")):
            place = f"{entry.place}, message {node_id}"
            try:
                found = _turn(place, conversation, node_id, value["mapping"][node_id], value)
            except Malformed as error:
                found = LeftOut(place, str(error))
            if found is not None:
                yield found

    return read


def _path(mapping: Mapping[str, Any], current: object) -> list[str]:
    """Node ids from the root to the current node; without one, to the newest leaf."""
    node = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    path: list[str] = []
    seen: set[str] = set()
    while node is not None and node in mapping and node not in seen:
        seen.add(node)
        path.append(node)
        record = mapping[node]
        parent = record.get("parent") if is_record(record) else None
        node = parent if isinstance(parent, str) else None
    return path[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    parents = {node.get("parent") for node in mapping.values() if is_record(node)}
    leaves = [node_id for node_id in mapping if node_id not in parents]
    return max(leaves, key=lambda node_id: _created(mapping[node_id]), default=None)


def _created(node: object) -> float:
    message = node.get("message") if is_record(node) else None
    created = message.get("create_time") if is_record(message) else None
    return float(created) if isinstance(created, int | float) else 0.0


def _turn(
    place: str, conversation: str, node_id: str, node: object, whole: Mapping[str, Any]
) -> Finding | None:
    message = node.get("message") if is_record(node) else None
    if message is None:
        return None  # the root, and places of deleted messages
    if not is_record(message):
        raise Malformed("it is not a message")
    author = message.get("author")
    role = author.get("role") if is_record(author) else None
    if not isinstance(role, str):
        raise Malformed("it has no author")
    if role not in SPOKEN or _is_hidden(message):
        return PassedOver(place)
    words = _words(message.get("content"))
    if is_blank(words):
        return PassedOver(place)
    at = moment_of(message.get("create_time")) or moment_of(whole.get("create_time"))
    return Turn(
        place=place,
        conversation=conversation,
        message_id=name_of(message.get("id")) or node_id,
        role=role,
        speaker=name_of(author.get("name")) if is_record(author) else None,
        words=words,
        at=at,
    )


def _is_hidden(message: Mapping[str, Any]) -> bool:
    metadata = message.get("metadata")
    hidden = is_record(metadata) and bool(metadata.get("is_visually_hidden_from_conversation"))
    return hidden or message.get("recipient") not in _TO_EVERYBODY


def _words(content: object) -> str:
    if not is_record(content):
        raise Malformed("it has no content")
    if content.get("content_type") not in _CONTENT_TYPES:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        raise Malformed("its content has no parts")
    texts = [part if isinstance(part, str) else _spoken(part) for part in parts]
    return "\n".join(text for text in texts if text)


def _spoken(part: object) -> str:
    if is_record(part) and part.get("content_type") == _SPOKEN_PART:
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""
