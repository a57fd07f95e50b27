"""Packing texts into requests that a service accepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perdure.domain.budget import estimate_tokens
from perdure.domain.text import truncate


def batches(texts: Sequence[str], *, most_texts: int, most_tokens: int) -> Iterator[Sequence[str]]:
    """Consecutive slices of at most `most_texts` texts and about `most_tokens` tokens each.

    Tokens are estimated (`domain.budget`). A text that is too long by itself is a slice by itself.
    """
    first = tokens = 0
    for index, text in enumerate(texts):
        count = estimate_tokens(text)
        if index > first and (index - first == most_texts or tokens + count > most_tokens):
            yield texts[first:index]
            first, tokens = index, 0
        tokens += count
    if first < len(texts):
        yield texts[first:]


def shortened(text: str, most_tokens: int) -> str:
    """The text, or its beginning with about `most_tokens` tokens at most (estimated)."""
    # No text has more tokens than characters, and counting costs more than looking.
    while len(text) > most_tokens and (tokens := estimate_tokens(text)) > most_tokens:
        # The share may be off where scripts are mixed, so look again; each round shortens.
        text = truncate(text, min(len(text) * most_tokens // tokens, len(text) - 1))
    return text
