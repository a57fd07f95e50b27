"""How long a text is for the model that will read it."""

from __future__ import annotations

from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens: exact where the model's tokenizer is at hand, an estimate elsewhere."""

    def __call__(self, text: str, /) -> int:
        """At least 0; 0 for an empty text."""
        ...
