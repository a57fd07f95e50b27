"""Statements about different things of one series: locker 118 and locker 119, two sons, two vans.

They are built alike, so they look like an old value and a new one of the same thing. What tells
them apart stands before what is said, in the subject; a new value stands behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from perdure.domain.text import fold

_OWNED_HAN = re.compile(
    "^(?:我|咱)(?:们家的?|们的|家的?|的|(?=爸|妈|哥|姐|弟|妹|儿子|女儿|爷|奶|老[大二三四小公婆]))"
)
_TOKEN = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+(?:['’][^\W_㐀-鿿]+)*")

_SAYING = frozenset(
    "i we you is are was were be am has have had it's that's there's i'm i've we've we're "
    "lives works runs costs belongs called named 我 咱 是 在 有 叫 用 住 姓 为 归".split()
)
"""Words from which on a statement says something of its subject, or whose subject is the speaker."""

_NEWER = frozenset(
    "new old newest latest last next current present former previous other first original same "
    "now 新 旧 老 现 前 上 下 原".split()
)
"""Words before a noun that tell which of two in time is meant, not which of two at a time."""

_LIGHT = frozenset("now again too also just the a an 了 的 也 呢 啊 吧 现 在".split())


def are_told_apart(one: str, other: str) -> bool:
    """Whether two statements of one build speak of two things of a series.

    They begin alike, differ in what names the subject, go on alike, and say something different of
    it. "Dr Abara is my dentist" and "Dr Lind is my dentist now" say the same of two: one may well
    have taken the other's place, so they are not told apart.
    """
    first, second = _words(one), _words(other)
    start = _alike(first, second)
    if not start < min(len(first), len(second)) or not _SAYING.isdisjoint(first[:start]):
        return False
    names = (first[start], second[start])
    if not _NEWER.isdisjoint(names) or not _SAYING.isdisjoint(names):
        return False
    if names[0] in second or names[1] in first:
        return False  # one of them speaks of both
    rest, other_rest = first[start + 1 :], second[start + 1 :]
    shared = _alike(rest, other_rest)
    if not shared:
        return False
    said, otherwise = Counter(rest[shared:]), Counter(other_rest[shared:])
    return _tells(said - otherwise) and _tells(otherwise - said)


def _words(text: str) -> list[str]:
    """The words, in Chinese the characters, without whose they are."""
    return _TOKEN.findall(_OWNED_HAN.sub("", fold(text)))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _tells(words: Counter[str]) -> bool:
    return any(word not in _LIGHT for word in words)
