"""What a text consists of, as hashed features with weights.

In spaced scripts: words, pairs of neighbouring words and the letter trigrams of each word, so
that a misspelt or inflected word still shares most of its features. In scripts without spaces,
and for emoji: characters and pairs of neighbours. English function words count little; negations
are among them, because no bag of words can know what they negate.

A feature is one 64-bit key: a hash in the upper bits and its kind in the lowest three.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from perdure.domain.analysis import ENGLISH_STOP_WORDS, UNSPACED
from perdure.domain.text import fold

KeyArray = NDArray[np.uint64]


class Kind(IntEnum):
    WORD = 0
    FUNCTION_WORD = 1
    WORD_PAIR = 2
    TRIGRAM = 3
    CHARACTER = 4
    CHARACTER_PAIR = 5


_WEIGHTS = np.array([1.0, 0.2, 0.3, 0.35, 0.4, 1.0])
"""What one occurrence counts, by kind; see docs/decisions/0002-embedders.md."""

_KIND_BITS = np.uint64(3)
_KIND_MASK = np.uint64(7)
_SPREAD = 0x9E3779B97F4A7C15
"""An odd multiplier (the digits of the golden ratio): the high half of a product depends on every
bit of the factor, which CRC-32 and code points by themselves do not offer."""

_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_TOKEN = re.compile(rf"(?P<run>[{UNSPACED}{_PICTURES}]+)|[^\W_{UNSPACED}]+")
_SPACE = 32


class Features(NamedTuple):
    """The distinct features of a text: evenly spread 32-bit hashes, and their weights."""

    hashes: NDArray[np.uint32]
    weights: NDArray[np.float64]


def features_of(text: str) -> Features:
    """The features of a text, the same on every machine.

    One that occurs n times counts 1 + ln(n) times its kind's weight. A text without a letter,
    digit or symbol has none.
    """
    words, runs = _tokens(text)
    keys = _word_keys(words)
    if runs:
        keys = np.concatenate([keys, _run_keys(runs)])
    return _counted(keys)


def _counted(keys: KeyArray) -> Features:
    keys = np.sort(keys)
    # Positions where another feature begins, and the end.
    edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
    firsts = keys[edges[:-1]] if len(keys) else keys
    counts = edges[1:] - edges[:-1] if len(keys) else np.empty(0)
    weights = _WEIGHTS[firsts & _KIND_MASK] * (1.0 + np.log(counts))
    return Features((firsts >> np.uint64(32)).astype(np.uint32), weights)


def _tokens(text: str) -> tuple[list[str], list[str]]:
    """The words of spaced scripts, in order, and the runs of unspaced ones."""
    folded = fold(text)
    if folded.isascii():
        return _ASCII_WORD.findall(folded), []
    words: list[str] = []
    runs: list[str] = []
    for match in _TOKEN.finditer(folded):
        (runs if match.lastgroup else words).append(match.group())
    return words, runs


def _key(feature: str, kind: Kind) -> int:
    spread = crc32(feature.encode("utf-8", "surrogatepass")) * _SPREAD
    return (spread & 0xFFFF_FFFF_FFFF_FFF8) | kind


@lru_cache(maxsize=1 << 14)
def _keys_of_word(word: str) -> bytes:
    """A word's own key and its trigrams', packed: joining bytes costs nothing per feature."""
    if word in ENGLISH_STOP_WORDS:
        keys = [_key(word, Kind.FUNCTION_WORD)]
    else:
        framed = f" {word} "
        keys = [_key(framed[i : i + 3], Kind.TRIGRAM) for i in range(len(word))]
        keys.append(_key(word, Kind.WORD))
    return np.array(keys, dtype=np.uint64).tobytes()


def _word_keys(words: list[str]) -> KeyArray:
    packed = b"".join(map(_keys_of_word, words))
    content = [word for word in words if word not in ENGLISH_STOP_WORDS]
    pairs = [_key(f"{a} {b}", Kind.WORD_PAIR) for a, b in pairwise(content)]
    return np.concatenate(
        [np.frombuffer(packed, dtype=np.uint64), np.array(pairs, dtype=np.uint64)]
    )


def _run_keys(runs: list[str]) -> KeyArray:
    joined = " ".join(runs).encode("utf-32-le", "surrogatepass")
    points = np.frombuffer(joined, dtype="<u4").astype(np.uint64)
    is_character = points != _SPACE
    is_pair = is_character[:-1] & is_character[1:]
    pairs = (points[:-1] << np.uint64(32) | points[1:])[is_pair]
    # A pair's two halves meet in the upper bits only after two rounds of spreading.
    pairs *= np.uint64(_SPREAD)
    pairs ^= pairs >> np.uint64(32)
    keys = np.concatenate([points[is_character], pairs]) * np.uint64(_SPREAD)
    keys &= ~_KIND_MASK
    singles = len(keys) - len(pairs)
    keys[:singles] |= np.uint64(Kind.CHARACTER)
    keys[singles:] |= np.uint64(Kind.CHARACTER_PAIR)
    return keys
