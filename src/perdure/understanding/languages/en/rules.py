"""How the English rules are written down: a pattern, the words it can begin with, a reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from perdure.understanding.times.language import Reading, Rule

Headed = tuple[frozenset[str], Rule]
PREPOSITIONS = "on in at by of during".split()


def rule(
    heads: Iterable[str], pattern: str, read: Callable[[re.Match[str]], Reading | None]
) -> Headed:
    """A rule for the words in `heads`; the head "0" stands for any number in digits.

    The pattern ignores case and white space in itself; a word ends where ASCII letters do, so that
    Chinese may follow without a space.
    """
    return frozenset(heads), Rule(pattern, read, re.I | re.X | re.A)


def of(words: Iterable[str]) -> str:
    """Any one of the words or phrases, the longest first, with white space as it comes."""
    longest_first = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in longest_first) + ")"


def spaced(text: str) -> str:
    return " ".join(text.lower().split())
