"""Counting without a tokenizer."""

from __future__ import annotations

from perdure.domain.budget import estimate_tokens

ESTIMATE = "estimate"


class Estimate:
    """The estimate by script; `identity` says for what it stands in, if for anything."""

    def __init__(self, instead_of: str = "") -> None:
        self.identity = f"{ESTIMATE} ({instead_of})" if instead_of else ESTIMATE

    def __call__(self, text: str, /) -> int:
        return estimate_tokens(text)
