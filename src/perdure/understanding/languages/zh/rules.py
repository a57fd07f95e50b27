"""How the Chinese rules are written down: a pattern, a reader, and the characters it begins with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from perdure.understanding.times.language import Reading, Rule

Headed = tuple[frozenset[str], Rule]
DIGITS = "0123456789"
NUMERALS = DIGITS + "一二三四五六七八九十两零〇○百半"


def rule(
    heads: Iterable[str], pattern: str, read: Callable[[re.Match[str]], Reading | None]
) -> Headed:
    """A rule for where one of the characters in `heads` stands. White space in it is ignored."""
    return frozenset(heads), Rule(pattern, read, re.X)


def of(words: Iterable[str]) -> str:
    """Any one of the words, the longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


def stands_before(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """True when the pattern, which ends in `$`, is met by what stands just before the match."""
    return bool(pattern.search(match.string, max(0, match.start() - 8), match.start()))
