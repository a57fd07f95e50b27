"""Invented transcripts in the formats that are imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MORNING = 1_900_000_000.0  # 2030-03-17T17:46:40Z


def chatgpt_node(
    node_id: str,
    parent: str | None,
    words: str | None = None,
    *,
    role: str = "user",
    minute: float | None = 0,
    **message: Any,
) -> dict[str, Any]:
    """One node of the tree; without words one that holds no message."""
    node: dict[str, Any] = {"id": node_id, "parent": parent, "children": [], "message": None}
    if words is not None:
        node["message"] = {
            "id": node_id,
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": None if minute is None else MORNING + 60 * minute,
            "content": {"content_type": "text", "parts": [words]},
            "recipient": "all",
            "metadata": {},
            **message,
        }
    return node


def chatgpt_conversation(
    *nodes: dict[str, Any], current: str | None, conversation: str = "c-1"
) -> dict[str, Any]:
    """A conversation as ChatGPT exports it."""
    return {
        "title": "Pottery",
        "create_time": MORNING,
        "conversation_id": conversation,
        "id": conversation,
        "mapping": {node["id"]: node for node in nodes},
        "current_node": current,
    }


def claude_message(
    uuid: str,
    words: str,
    *,
    sender: str = "human",
    minute: int = 0,
    **fields: Any,
) -> dict[str, Any]:
    """A message as Claude exports it."""
    return {
        "uuid": uuid,
        "sender": sender,
        "text": words,
        "content": [{"type": "text", "text": words, "citations": []}] if words else [],
        "created_at": f"2030-03-17T17:{minute:02}:00.000000Z",
        "attachments": [],
        "files": [],
        **fields,
    }


def claude_conversation(*messages: dict[str, Any], uuid: str = "u-1") -> dict[str, Any]:
    """A conversation as Claude exports it."""
    return {"uuid": uuid, "name": "Pottery", "chat_messages": list(messages)}


def locomo_sample(**sessions: Any) -> dict[str, Any]:
    """A sample in the style of LoCoMo."""
    return {
        "sample_id": "conv-7",
        "qa": [],
        "conversation": {"speaker_a": "Ilka", "speaker_b": "Bren", **sessions},
    }


def written(folder: Path, name: str, value: Any) -> Path:
    """A JSON file with this value."""
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def lines(folder: Path, name: str, *values: Any) -> Path:
    """A JSON Lines file; text is written as it is."""
    path = folder / name
    rows = [value if isinstance(value, str) else json.dumps(value) for value in values]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def message(words: Any, **fields: Any) -> dict[str, Any]:
    """A plain message."""
    return {"role": "user", "content": words, **fields}
