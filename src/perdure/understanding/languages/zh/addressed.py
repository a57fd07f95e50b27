"""What a Chinese speaker is told or asked about themselves, as they would say it."""

from __future__ import annotations

from perdure.understanding.languages.language import Pattern

TO_FIRST_PERSON = (
    (Pattern(r"(?:[,，]?\s*(?:对吗|对吧|对不对|是吗|是吧|是不是|没错吧|吧|吗|嗎))?\s*[?？]"), "。"),
    (Pattern(r"(?:如果)?我(?:没)?记(?:错|得)(?:的话)?[,，]?(?=[您你])"), ""),
    (Pattern(r"是不是(?!。)"), "是"),
    (Pattern(r"[您你]们?"), "我"),
)
"""Replaced one after another."""
