"""A turn of a conversation, and the tools it calls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

USER, ASSISTANT, SYSTEM, DEVELOPER, TOOL = "user", "assistant", "system", "developer", "tool"
ROLES = (USER, ASSISTANT, SYSTEM, DEVELOPER, TOOL)
INSTRUCTING = frozenset((SYSTEM, DEVELOPER))
ORDINARY = 0.5
"""The importance of a turn nobody said anything about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool that an assistant asks for. `arguments` is JSON text."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTurn:
    """One turn. `calls` are an assistant's; `answers` is the id of the call a tool's turn answers.

    `importance` lies in [0, 1]. A `pinned` turn stays in every window it fits into.
    """

    id: str
    role: str
    content: str
    at: datetime
    name: str | None = None
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None
    importance: float = ORDINARY
    pinned: bool = False


def words_of(turn: ContextTurn) -> str:
    """All a turn says in one text, its calls of tools included: what is kept of it for good."""
    calls = [f"[calls {call.name} {call.arguments}]" for call in turn.calls]
    return "\n".join(filter(None, (turn.content, *calls)))
