"""Counting with tiktoken, as OpenAI's models do."""

from __future__ import annotations

from hashlib import sha1
from pathlib import Path
from typing import Any

_PUBLIC = "https://openaipublic.blob.core.windows.net/encodings/"
_FILES = {
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
    "cl100k_base": "cl100k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "r50k_base": "r50k_base",
}
"""The vocabularies that tiktoken would download, and the file each is in."""


class TiktokenCounter:
    """Counts with one vocabulary. What looks like a control token counts as the text it is."""

    def __init__(self, encoding: Any) -> None:
        self._encoding = encoding
        self.identity = f"tiktoken {encoding.name}"

    def __call__(self, text: str, /) -> int:
        return len(self._encoding.encode_ordinary(text)) if text else 0


def tiktoken_counter(model: str, vocabularies: Path) -> TiktokenCounter | str:
    """The counter for a model or a vocabulary, or why there is none. Downloads nothing."""
    try:
        import tiktoken
    except ImportError:
        return "tiktoken is not installed"
    try:
        name = tiktoken.encoding_name_for_model(model)
    except KeyError:
        name = model
    file = _FILES.get(name)
    if file is not None and not (vocabularies / _cached_name(file)).exists():
        return f"the vocabulary {name} is not in tiktoken's folder"
    try:
        return TiktokenCounter(tiktoken.get_encoding(name))
    except ValueError:
        return "tiktoken knows no such model"


def _cached_name(file: str) -> str:
    """Under which name tiktoken keeps a file it downloaded."""
    return sha1(f"{_PUBLIC}{file}.tiktoken".encode(), usedforsecurity=False).hexdigest()
