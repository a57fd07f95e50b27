"""Making one text fit, so that everybody sees that something is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence

from perdure.domain.budget import CountTokens
from perdure.domain.text import ending, holds_han, truncate

HEAD_SHARE = 0.7
"""Of what is kept: the beginning says what it is about, the end often holds the result."""
MOST_CHARS_PER_TOKEN = 8
"""No more characters than this are tried for each token, so that a huge text costs little."""


def fair_shares(sizes: Sequence[int], total: int) -> list[int]:
    """How much of `total` each gets: small ones all they need, large ones the same as each other.

    Each share is at most its size, and together they are at most `total`.
    """
    shares = [0] * len(sizes)
    left, waiting = max(total, 0), len(sizes)
    for at in sorted(range(len(sizes)), key=lambda at: sizes[at]):
        shares[at] = min(sizes[at], left // waiting)
        left -= shares[at]
        waiting -= 1
    return shares


def shortened(text: str, *, max_tokens: int, count: CountTokens) -> str | None:
    """The beginning and the end of a text with a mark between that says how much is missing.

    At most `max_tokens` by `count`; the text itself when it fits and has no more than eight
    characters a token. None when not even the mark
    fits. No emoji, flag or accented letter is cut in two.
    """
    if len(text) <= max_tokens * MOST_CHARS_PER_TOKEN and count(text) <= max_tokens:
        return text
    chinese = holds_han(text[:1_000])
    low, high = 0, min(len(text) - 1, max(max_tokens, 0) * MOST_CHARS_PER_TOKEN)
    best: str | None = None
    while low <= high:
        middle = (low + high) // 2
        tried = _with_mark(text, middle, chinese=chinese)
        if count(tried) <= max_tokens:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    return best


def _with_mark(text: str, chars: int, *, chinese: bool) -> str:
    head = truncate(text, int(chars * HEAD_SHARE))
    tail = ending(text, chars - len(head)) if len(head) < chars else ""
    missing = len(text) - len(head) - len(tail)
    mark = f"[……此处略去 {missing} 个字符……]" if chinese else f"[… {missing} characters left out …]"
    return "\n".join(filter(None, (head, mark, tail)))


def shortened_arguments(arguments: str, *, max_tokens: int, count: CountTokens) -> str | None:
    """The arguments of a call, shortened and still a JSON object: `{"shortened": "…"}`.

    At most `max_tokens`; None when that cannot be done.
    """
    if len(arguments) <= max_tokens * MOST_CHARS_PER_TOKEN and count(arguments) <= max_tokens:
        return arguments
    allowed = max_tokens
    while allowed > 0:
        inside = shortened(arguments, max_tokens=allowed, count=count)
        if inside is None:
            return None
        wrapped = json.dumps({"shortened": inside}, ensure_ascii=False)
        excess = count(wrapped) - max_tokens
        if excess <= 0:
            return wrapped
        # Quoting makes it longer; what it costs depends on the text.
        allowed = min(allowed - excess, int(allowed * 0.9))
    return None
