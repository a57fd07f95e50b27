"""Fitting text into a token budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import ceil

_WIDE = re.compile(
    "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4ff\uac00-\ud7ff\uf900-\ufaff"
    "\uff00-\uffef\U0001f000-\U0003134f]"
)
_LATIN_CHARS_PER_TOKEN = 4.0
_OTHER_CHARS_PER_TOKEN = 2.0

CountTokens = Callable[[str], int]


def estimate_tokens(text: str) -> int:
    """Roughly how many tokens a language model sees; never 0 for a text that is not empty.

    Per script: a Han, kana, Hangul or Thai character or an emoji counts as one, other
    characters outside ASCII as a half, ASCII as a quarter. A careful estimate for byte-pair
    vocabularies; exact only by chance.
    """
    if text.isascii():
        return ceil(len(text) / _LATIN_CHARS_PER_TOKEN)
    wide = len(_WIDE.findall(text))
    plain = sum(map(str.isascii, text))
    other = len(text) - wide - plain
    return ceil(wide + plain / _LATIN_CHARS_PER_TOKEN + other / _OTHER_CHARS_PER_TOKEN)


def pack(
    pieces: Iterable[str], *, max_tokens: int, count: CountTokens, separator: str = "\n"
) -> list[int]:
    """Positions of the pieces that fit together, taken greedily in the order given.

    A piece that does not fit is passed over and a later, shorter one may still be taken. The
    joined text of the chosen pieces counts at most `max_tokens`.
    """
    chosen: list[int] = []
    text = ""
    for position, piece in enumerate(pieces):
        longer = f"{text}{separator}{piece}" if chosen else piece
        if count(longer) <= max_tokens:
            chosen.append(position)
            text = longer
    return chosen


_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")


def sentences_of(text: str) -> list[str]:
    """A text cut where sentences end, blank pieces left out; English and Chinese marks alike."""
    return [part for part in _SENTENCE_END.split(text) if part and not part.isspace()]


def _halved(text: str, max_tokens: int) -> list[str]:
    """A text without sentence ends, cut at spaces where there are any."""
    if estimate_tokens(text) <= max_tokens or len(text) < 2:
        return [text]
    middle = len(text) // 2
    space = text.rfind(" ", len(text) // 4, middle + 1)
    cut = space if space > 0 else middle
    return _halved(text[:cut], max_tokens) + _halved(text[cut:], max_tokens)


def pieces_of(text: str, *, whole_tokens: int, piece_tokens: int) -> Sequence[str]:
    """What to embed of a text so that a fact inside it can be found.

    A text of up to `piece_tokens` is embedded whole only. A longer one is cut into runs of
    sentences of at most `piece_tokens` each, and embedded whole as well while it has at most
    `whole_tokens`.
    """
    tokens = estimate_tokens(text)
    if tokens <= piece_tokens:
        return [text]
    runs: list[str] = []
    for sentence in sentences_of(text):
        for part in _halved(sentence, piece_tokens):
            longer = f"{runs[-1]} {part}" if runs else part
            if runs and estimate_tokens(longer) <= piece_tokens:
                runs[-1] = longer
            else:
                runs.append(part)
    return [text, *runs] if tokens <= whole_tokens else runs
