"""A window as a system text and messages for Anthropic's messages service."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from perdure.domain.budget import CountTokens
from perdure.domain.context.formats import Message, Shown, TurnTokens, Written
from perdure.domain.context.turns import ASSISTANT, INSTRUCTING, TOOL, USER, ContextTurn

BEGINNING = "[earlier turns are left out]"
"""What a user seems to say where a window begins with an assistant's turn: the service wants the
first message to be a user's."""


class AnthropicFormat:
    """System turns and the summary outside the messages, which alternate between user and assistant.

    Calls are `tool_use` blocks, results `tool_result` blocks at the beginning of the user's next
    message. What stands around texts is not published: five tokens a message and ten for a
    tool's block are allowances.
    """

    name = "anthropic"
    _BASE, _MESSAGE, _BLOCK, _NAME, _JOINT = 3, 5, 10, 2, 2

    def base_cost(self, count: CountTokens) -> int:
        """As the protocol says. The message `BEGINNING` may be needed."""
        return self._BASE + self._MESSAGE + count(BEGINNING)

    def cost(self, turn: ContextTurn, tokens: TurnTokens) -> int:
        """As the protocol says."""
        total = self._MESSAGE + tokens.content
        if turn.name:
            total += self._NAME + tokens.name
        if turn.answers is not None:
            total += self._BLOCK + tokens.answers
        for call in tokens.calls:
            total += self._BLOCK + call.id + call.name + call.arguments
        return total

    def aside_cost(self, tokens: int) -> int:
        """As the protocol says."""
        return self._JOINT + tokens

    def is_joined(self, turn: ContextTurn) -> bool:
        """As the protocol says."""
        return turn.role in INSTRUCTING

    def write(self, instructions: str, summary: str, pieces: Sequence[Shown]) -> Written:
        """As the protocol says."""
        turns = [turn for piece in pieces for turn in piece]
        instructing = [turn.content for turn in turns if turn.role in INSTRUCTING]
        system = "\n\n".join(filter(None, (instructions, *instructing, summary)))
        return Written(system=system, messages=_alternating(turns))


def _alternating(turns: Sequence[ContextTurn]) -> list[Message]:
    messages: list[Message] = []
    for turn in turns:
        blocks = [] if turn.role in INSTRUCTING else _blocks(turn)
        if not blocks:
            continue
        role = ASSISTANT if turn.role == ASSISTANT else USER
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": blocks})
    if messages and messages[0]["role"] == ASSISTANT:
        messages.insert(0, {"role": USER, "content": [_text(BEGINNING)]})
    if messages and messages[-1]["role"] == ASSISTANT:
        # The service refuses white space at the end of an answer that is to be continued.
        last = messages[-1]["content"][-1]
        if last["type"] == "text":
            last["text"] = last["text"].rstrip()
    return messages


def _blocks(turn: ContextTurn) -> list[dict[str, Any]]:
    if turn.role == TOOL:
        return [{"type": "tool_result", "tool_use_id": turn.answers, "content": turn.content}]
    words = f"{turn.name}: {turn.content}" if turn.name else turn.content
    # The service refuses a text of white space alone.
    blocks = [_text(words)] if turn.content.strip() else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call.arguments)}
        for call in turn.calls
    ]
    return blocks + calls


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _object(arguments: str) -> dict[str, Any]:
    """The arguments as the object the service wants; whatever else they are, as text inside one."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}
