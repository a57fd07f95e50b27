"""The tokens that the network reads: words, numbers, single Han characters, marks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perdure.understanding.forms import form_of

_TOKEN = re.compile(
    r"[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+"
    r"|https?://\S+"
    r"|'(?:s|re|ve|ll|d|m)\b"
    r"|[a-z]+n't\b"
    r"|\d+(?:[.,:/-]\d+)*"
    r"|[a-z]+(?:[-_.&][a-z0-9]+|\d+)*(?:'(?!(?:s|re|ve|ll|d|m)\b)[a-z]+)?"
    "|[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]"
    r"|[^\W\d_]+|\S"
)
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]")

LONGEST = 160
"""Tokens that are read of one text; the rest is passed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of a text: their words, where each starts and ends, and the text's own spelling."""

    text: str
    form: str
    words: list[str]
    starts: list[int]
    ends: list[int]

    def __len__(self) -> int:
        return len(self.words)


def tokenise(text: str, *, longest: int = LONGEST) -> Tokens:
    """The first `longest` tokens of the text, in order."""
    form = form_of(text)
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(form):
        words.append(match.group())
        starts.append(match.start())
        ends.append(match.end())
        if len(words) == longest:
            break
    return Tokens(text=text, form=form, words=words, starts=starts, ends=ends)


def is_han(word: str) -> bool:
    """Whether a token is a Han character."""
    return word > "\u33ff" and len(word) == 1 and _HAN.match(word) is not None
