"""From text to index terms, the same on both sides of a lexical comparison.

Spaced scripts give stemmed words; an identifier such as `ERR-7Q41-LX` gives itself and its
parts. Scripts without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) give
every character and every pair of neighbours, so a query of one character finds its memory and a
longer one ranks by pairs. Terms are kept as 32-bit codes: small, fast to compare, and the same on
every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from zlib import crc32

from perdure.domain.text import fold

VERSION = "2"
"""Raised whenever the same text would give other terms; stores then re-analyse what they hold."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003134f"
)
_MARKS = "\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
_PICTURES = "\u2600-\u27bf\U0001f1e6-\U0001faff"

_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:['_.@/:+#-]+[a-z0-9]+)*(?:\+\+|#)?")
_ANY_TOKEN = (
    rf"(?P<unspaced>[{UNSPACED}]+)"
    rf"|(?P<word>[^\W_{UNSPACED}][^\W_{UNSPACED}{_MARKS}]*[{_MARKS}]*"
    rf"(?:['’_.@/:+#-]+[^\W_{UNSPACED}][^\W_{UNSPACED}]*)*(?:\+\+|\#)?)"
    rf"|(?P<picture>[{_PICTURES}])"
)
_PARTS = re.compile(r"[_.@/:+#-]+")

ENGLISH_STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being "
    "below between both but by can could did do does doing down during each few for from further "
    "had has have having he her here hers herself him himself his how i if in into is it its "
    "itself just let me more most my myself no nor not now of off on once only or other our ours "
    "ourselves out over own same she should so some such than that the their theirs them "
    "themselves then there these they this those through to too under until up very was we were "
    "what when where which while who whom whose why will with would you your yours yourself "
    "yourselves it's i'm don't didn't doesn't what's who's where's when's".split()
)
CHINESE_STOP_TERMS = frozenset(
    "的 了 是 在 我 你 他 她 它 们 吗 呢 吧 啊 呀 么 之 与 和 就 都 也 还 很 着 过 把 被 有 "
    "什 哪 谁 几 这 那 个 请 问 为 怎 样 什么 哪里 哪个 怎么 怎样 我的 你的 我们 你们 他们 "
    "是什 么时 时候 哪儿 是不 不是 有没 没有".split()
)


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    # Compiled for the first text that is not ASCII: that takes longer than most imports.
    return re.compile(_ANY_TOKEN)


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import Stemmer

    # Its own cache is off: `_word_codes` below caches the finished codes.
    return Stemmer.Stemmer("english", 0)


def _code(term: str) -> int:
    return crc32(term.encode("utf-8"))


def _stem(word: str) -> str:
    stemmed: str = _stemmer().stemWord(word)  # type: ignore[attr-defined]
    return stemmed


@lru_cache(maxsize=1 << 16)
def _word_codes(word: str) -> tuple[int, ...]:
    """The word's own code and, for an identifier with joints, those of its parts."""
    own = _code(_stem(word))
    if word.isalnum():
        return (own,)
    parts = [part for part in _PARTS.split(word) if part]
    if len(parts) <= 1 and parts[:1] == [word]:
        return (own,)
    return (own, *(_code(_stem(part)) for part in parts))


@lru_cache(maxsize=1 << 14)
def _run_codes(run: str) -> tuple[int, ...]:
    singles = [_code(char) for char in run]
    pairs = [_code(run[i : i + 2]) for i in range(len(run) - 1)]
    return (*singles, *pairs)


def _words(folded: str) -> Iterator[tuple[str, bool]]:
    """Each token of a folded text with whether it is a run without spaces."""
    if folded.isascii():
        for word in _ASCII_TOKEN.findall(folded):
            yield word, False
        return
    for match in _token().finditer(folded):
        yield match.group().replace("’", "'"), match.lastgroup == "unspaced"


def words(text: str) -> Iterator[tuple[str, bool]]:
    """The tokens of a text, folded, each with whether it is a run of characters without spaces."""
    return _words(fold(text))


def stem(word: str) -> str:
    """What an English word has in common with its other forms; folded words only."""
    return _stem(word)


def lexemes(text: str) -> list[int]:
    """The codes (unsigned 32-bit) of every term of a text, with repeats."""
    folded = fold(text)
    if folded.isascii():
        return list(chain.from_iterable(map(_word_codes, _ASCII_TOKEN.findall(folded))))
    codes: list[int] = []
    for token, is_run in _words(folded):
        codes.extend(_run_codes(token) if is_run else _word_codes(token))
    return codes


def _query_terms(folded: str) -> tuple[list[int], list[int]]:
    """(codes that carry meaning, codes of stop words)."""
    meaning: list[int] = []
    stops: list[int] = []
    for token, is_run in _words(folded):
        if not is_run:
            (stops if token in ENGLISH_STOP_WORDS else meaning).extend(_word_codes(token))
            continue
        terms = [*token, *(token[i : i + 2] for i in range(len(token) - 1))]
        for term in terms:
            (stops if term in CHINESE_STOP_TERMS else meaning).append(_code(term))
    return meaning, stops


def query_lexemes(text: str) -> tuple[int, ...]:
    """The distinct codes to look for, in order of first appearance.

    Stop words are left out, unless the query has nothing else.
    """
    meaning, stops = _query_terms(fold(text))
    return tuple(dict.fromkeys(meaning or stops))
