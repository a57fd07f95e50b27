"""Turns in the shapes that models' services take, and what they cost there.

A format is asked first what a turn costs and then to write the turns down; what it writes never
costs more than it said. Costs are in tokens: those of the texts, counted by the caller, and an
allowance for what stands around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from perdure.domain.budget import CountTokens
from perdure.domain.context.turns import ContextTurn, ToolCall

Message = dict[str, Any]
Shown = Sequence[ContextTurn]
"""One piece of a window: a turn, or a call of tools followed by its results."""


@dataclass(frozen=True, slots=True)
class CallTokens:
    """The tokens of one call's id, name and arguments."""

    id: int
    name: int
    arguments: int


@dataclass(frozen=True, slots=True)
class TurnTokens:
    """The tokens of a turn's texts; `lines` is how many breaks its content has."""

    content: int
    lines: int = 0
    name: int = 0
    answers: int = 0
    calls: tuple[CallTokens, ...] = ()


def tokens_of(turn: ContextTurn, count: CountTokens) -> TurnTokens:
    """A turn's texts, counted once."""
    content = count(turn.content) if turn.content else 0
    if not (turn.name or turn.calls or turn.answers):
        return TurnTokens(content, turn.content.count("\n"))
    return TurnTokens(
        content,
        turn.content.count("\n"),
        count(turn.name) if turn.name else 0,
        count(turn.answers) if turn.answers else 0,
        tuple(_call_tokens(call, count) for call in turn.calls),
    )


def _call_tokens(call: ToolCall, count: CountTokens) -> CallTokens:
    return CallTokens(count(call.id), count(call.name), count(call.arguments))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A window written down: messages, the system text beside them, or one plain text."""

    messages: list[Message] = field(default_factory=list)
    system: str = ""
    text: str = ""

    @property
    def joined(self) -> str:
        """The text that is made of several: a tokenizer may count it for more than its parts."""
        return self.text or self.system


class Format(Protocol):
    """One service's way to write a conversation."""

    name: str

    def base_cost(self, count: CountTokens) -> int:
        """What a request costs at most whatever is in it."""
        ...

    def cost(self, turn: ContextTurn, tokens: TurnTokens) -> int:
        """What showing the turn costs at most."""
        ...

    def aside_cost(self, tokens: int) -> int:
        """What an instruction or a summary of so many tokens costs, standing before the turns."""
        ...

    def is_joined(self, turn: ContextTurn) -> bool:
        """Whether the turn becomes a part of `Written.joined`."""
        ...

    def write(self, instructions: str, summary: str, pieces: Sequence[Shown]) -> Written:
        """The instructions and the summary, either of which may be empty, and the turns."""
        ...
