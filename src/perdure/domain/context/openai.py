"""A window as messages for OpenAI's chat completions and the many services that speak the same."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.domain.budget import CountTokens
from perdure.domain.context.formats import Message, Shown, TurnTokens, Written
from perdure.domain.context.turns import INSTRUCTING, TOOL, ContextTurn


class OpenAIFormat:
    """System turns at their place; each call of tools is followed at once by all its results.

    Three tokens a message and one a name, and three that begin the answer, are what OpenAI
    publishes (OpenAI Cookbook, "How to count tokens with tiktoken"); what stands around a call is
    not published, and eight is an allowance.
    """

    name = "openai"
    _BASE, _MESSAGE, _NAME, _CALL = 3, 3, 1, 8

    def base_cost(self, count: CountTokens) -> int:
        """As the protocol says."""
        return self._BASE

    def cost(self, turn: ContextTurn, tokens: TurnTokens) -> int:
        """As the protocol says."""
        total = self._MESSAGE + tokens.content + tokens.answers
        if turn.name:
            total += self._NAME + tokens.name
        for call in tokens.calls:
            total += self._CALL + call.id + call.name + call.arguments
        return total

    def aside_cost(self, tokens: int) -> int:
        """As the protocol says."""
        return self._MESSAGE + tokens

    def is_joined(self, turn: ContextTurn) -> bool:
        """As the protocol says."""
        return False

    def write(self, instructions: str, summary: str, pieces: Sequence[Shown]) -> Written:
        """As the protocol says. The summary stands behind the instructions it begins with."""
        turns = [turn for piece in pieces for turn in piece]
        first = next((at for at, turn in enumerate(turns) if turn.role not in INSTRUCTING), None)
        before = len(turns) if first is None else first
        messages = [_message(turn) for turn in turns]
        return Written(
            messages=[
                *_system(instructions), *messages[:before], *_system(summary), *messages[before:],
            ]
        )  # fmt: skip


def _system(text: str) -> list[Message]:
    return [{"role": "system", "content": text}] if text else []


def _message(turn: ContextTurn) -> Message:
    message: Message = {"role": turn.role, "content": turn.content}
    if turn.role == TOOL:
        # A tool's message names the call and not the tool.
        return {**message, "tool_call_id": turn.answers}
    if turn.name:
        message["name"] = turn.name
    if turn.calls:
        message["content"] = turn.content or None
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in turn.calls
        ]
    return message
