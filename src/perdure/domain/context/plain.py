"""A window as one text, for models and people that take no messages."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.domain.budget import CountTokens
from perdure.domain.context.formats import Shown, TurnTokens, Written
from perdure.domain.context.turns import ContextTurn

_BREAK = "\n  "


class PlainFormat:
    """A line begins with who speaks; further lines of the same turn are set in, so that no words
    in a turn can look like another turn."""

    name = "plain"
    _LABEL, _CALL = 4, 8

    def base_cost(self, count: CountTokens) -> int:
        """As the protocol says."""
        return 0

    def cost(self, turn: ContextTurn, tokens: TurnTokens) -> int:
        """As the protocol says. A break that is set in counts as one token more."""
        total = self._LABEL + tokens.content + tokens.lines + tokens.name + tokens.answers
        for call in tokens.calls:
            total += self._CALL + call.id + call.name + call.arguments
        return total

    def aside_cost(self, tokens: int) -> int:
        """As the protocol says."""
        return 2 + tokens

    def is_joined(self, turn: ContextTurn) -> bool:
        """As the protocol says."""
        return True

    def write(self, instructions: str, summary: str, pieces: Sequence[Shown]) -> Written:
        """As the protocol says."""
        lines = [line for piece in pieces for turn in piece for line in _lines(turn)]
        parts = (instructions, summary, "\n".join(lines))
        return Written(text="\n\n".join(filter(None, parts)))


def _lines(turn: ContextTurn) -> list[str]:
    who = turn.role.capitalize()
    if turn.name:
        who = f"{who} ({_on_one_line(turn.name)})"
    if turn.answers is not None:
        who = f"{who} [{_on_one_line(turn.answers)}]"
    said = [f"{who}: {_set_in(turn.content)}"] if turn.content or not turn.calls else []
    calls = [
        f"{who} calls {_on_one_line(call.name)} [{_on_one_line(call.id)}]: "
        f"{_set_in(call.arguments)}"
        for call in turn.calls
    ]
    return said + calls


def _set_in(text: str) -> str:
    return _BREAK.join(text.splitlines())


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
