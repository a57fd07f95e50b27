"""The form of a text that cues and features read: one character for each, so places stay the same."""

from __future__ import annotations

from functools import lru_cache

_STRAIGHT = {
    "’": "'",
    "‘": "'",
    "「": "“",
    "」": "”",
    "『": "“",
    "』": "”",
    "\u00a0": " ",
    "\u202f": " ",
    "\u3000": " ",
    "‑": "-",
    "–": "-",
    "—": "-",
}


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    # Built when first used, so that importing the package stays light.
    from perdure.domain.han_fold import SIMPLIFIED, TRADITIONAL

    table = {ord(old): new for old, new in zip(TRADITIONAL, SIMPLIFIED, strict=True)}
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    table |= {ord(old): new for old, new in _STRAIGHT.items()}
    return table


def form_of(text: str) -> str:
    """The text in lower case, simplified characters, half width and straight apostrophes.

    Always of the same length as the text.
    """
    if text.isascii():
        return text.lower()
    plain = text.translate(_table())
    lowered = plain.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)
