"""What a context gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

from perdure.domain.context.formats import Message
from perdure.domain.context.shrinking import Shortened
from perdure.domain.context.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What the next model call sees of a conversation: at most `max_tokens`.

    `messages` for `openai` and `anthropic`; `system` beside them for `anthropic`; `text` for
    `plain`. `tokens` is what it costs at most, counted by `counted_by` with the format's allowance
    for what stands around the texts. `shown` and `left_out` are ids of turns, oldest first;
    `shortened` tells which of the shown are not whole. `summary` stands for what is left out; None
    when nothing is, or when there is no room for one.
    """

    format: str
    max_tokens: int
    tokens: int
    messages: list[Message] = field(default_factory=list)
    system: str = ""
    text: str = ""
    shown: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    shortened: tuple[Shortened, ...] = ()
    summary: Summary | None = None
    counted_by: str = ""
