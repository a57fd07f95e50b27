"""How long a text is for the model that will read it."""

from __future__ import annotations

from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens: exact where the model's tokenizer is at hand, an estimate elsewhere.

    It may have an `identity`, a text that says how it counts; any thread may call it.
    """

    def __call__(self, text: str, /) -> int:
        """At least 0; 0 for an empty text."""
        ...


def identity_of(counter: TokenCounter) -> str:
    """How it counts, in words."""
    named = getattr(counter, "identity", None) or getattr(counter, "__name__", None)
    return named if isinstance(named, str) else type(counter).__name__
