"""Counting with a tokenizer of the Hugging Face library, from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class TokenizersCounter:
    """Counts with one tokenizer, without the marks it would put around a text."""

    def __init__(self, tokenizer: Any, path: Path) -> None:
        self._tokenizer = tokenizer
        self.identity = f"tokenizers {path.name}"

    def __call__(self, text: str, /) -> int:
        if not text:
            return 0
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def tokenizers_counter(path: Path) -> TokenizersCounter | str:
    """The counter in a file, or why there is none."""
    if not path.is_file():
        return "there is no such file"
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return "tokenizers is not installed"
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # the library raises nothing narrower for a file it cannot read
        return "the file holds no tokenizer"
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenizersCounter(tokenizer, path)
