"""What the network is shown of each token: hashed spellings, its look, the vectors of its word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from perdure.understanding.learned.tokens import Tokens, is_han
from perdure.understanding.roles import ROLES, roles_in

WORD_BUCKETS = 1 << 13
PART_BUCKETS = 1 << 12
LOOKS = 24
WORD_DIMENSION = 40
_LONGEST_HAN_WORD = 4

MESSAGE, EARLIER_USER, EARLIER_ASSISTANT = 0, 1, 2
"""The sides: the text that is read, and what was said before it."""

_PLAIN_EXTRA = 8
EXTRA = _PLAIN_EXTRA + len(ROLES)
"""Dense features beside the vectors: three sides, in quotes, vector known, exact match with the
other side, highest similarity with it, in a question; then whether a word names each role."""

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int32]


class WordVectors(Protocol):
    """Where the vectors of words come from."""

    def row(self, word: str) -> int:
        """The word's row in `table`, or -1."""

    @property
    def table(self) -> FloatArray: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """One row per token: `hashes` (n, 3), `looks` (n,), `dense` (n, 2 × dimension + extra)."""

    hashes: IntArray
    looks: IntArray
    dense: FloatArray
    sides: IntArray


@lru_cache(maxsize=1 << 15)
def _hashed(kind: str, piece: str, buckets: int) -> int:
    return crc32(f"{kind}\x00{piece}".encode("utf-8", "surrogatepass")) % buckets


_MARKS = {mark: look for look, mark in enumerate([".", ",", "?", "!", ":", '"', "-", "(", ")"], 12)}


_BEGINS, _INNER, _ENDS, _ALONE = range(8, 12)
WORD_GOES_ON = (_INNER, _ENDS)
"""Looks of a Han character, by its place in its word; and those that continue one."""


@lru_cache(maxsize=1 << 13)
def _look(word: str, spelling: str, is_first: bool, part: int) -> int:
    """A small class of how a token looks; for a Han character, its place in its word."""
    if is_han(word):
        return _BEGINS + part
    first = word[0]
    if first.isdigit():
        return 5
    if first.isalpha():
        if spelling.islower() or spelling == "I":
            return 0 if word.isalpha() else 4
        if spelling.istitle() or spelling[0].isupper():
            return 2 if is_first else 1
        return 3
    if "@" in word:
        return 6
    return _MARKS.get(first, 23 if first.isascii() else 22)


def _han_words(words: list[str], vectors: WordVectors) -> tuple[list[int], list[int]]:
    """For each token the row of its word's vector and its part of it: begin, inner, end, single.

    Han characters are joined to the longest known word, left to right.
    """
    rows = [-1] * len(words)
    parts = [3] * len(words)
    place, count = 0, len(words)
    while place < count:
        if not is_han(words[place]):
            rows[place] = _row_of(words[place], vectors)
            place += 1
            continue
        end = place + 1
        while end < count and is_han(words[end]):
            end += 1
        _join_han("".join(words[place:end]), place, vectors, rows, parts)
        place = end
    return rows, parts


def _join_han(
    run: str, offset: int, vectors: WordVectors, rows: list[int], parts: list[int]
) -> None:
    """The same for one run of Han characters that begins at the token `offset`."""
    place = 0
    while place < len(run):
        size = 1
        for longer in range(min(_LONGEST_HAN_WORD, len(run) - place), 0, -1):
            row = vectors.row(run[place : place + longer])
            if row >= 0:
                start = offset + place
                rows[start : start + longer] = [row] * longer
                if longer > 1:
                    parts[start : start + longer] = [0, *[1] * (longer - 2), 2]
                size = longer
                break
        place += size


_ENDINGS = ("'s", "s", "es", "ed", "d", "ing", "ly", "er", "ers")


def _row_of(word: str, vectors: WordVectors) -> int:
    row = vectors.row(word)
    if row >= 0 or len(word) < 5:
        return row
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 3:
            row = vectors.row(word[: -len(ending)])
            if row >= 0:
                return row
    return -1


def _quoted(words: list[str]) -> list[bool]:
    """Which tokens stand inside quotation marks."""
    if "“" not in words and '"' not in words:
        return [False] * len(words)
    quoted = []
    depth = 0
    straight = words.count('"') > 1
    is_open = False
    for word in words:
        if word == "“":
            depth += 1
        elif word == "”":
            depth = max(0, depth - 1)
        elif word == '"' and straight:
            is_open = not is_open
        quoted.append(depth > 0 or is_open)
    return quoted


def _asked(words: list[str]) -> list[bool]:
    """Which tokens stand in a sentence that ends with a question mark."""
    asked = [False] * len(words)
    if "?" not in words:
        return asked
    start = 0
    for place, word in enumerate(words):
        if word in ".!?。;":
            if word == "?":
                asked[start : place + 1] = [True] * (place + 1 - start)
            start = place + 1
    return asked


def _roles_in(tokens: Tokens) -> list[tuple[int, int]]:
    """(token, role) for every token of a word that names a role."""
    found = []
    token = 0
    count = len(tokens)
    for role in roles_in(tokens.form):
        while token < count and tokens.ends[token] <= role.start:
            token += 1
        inside = token
        while inside < count and tokens.starts[inside] < role.end:
            found.append((inside, ROLES.index(role.role)))
            inside += 1
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    hashes: list[tuple[int, int, int]]
    looks: list[int]
    rows: list[int]
    quoted: list[bool]
    asked: list[bool]


def _see(tokens: Tokens, vectors: WordVectors) -> _Seen:
    words = tokens.words
    rows, parts = _han_words(words, vectors)
    hashes: list[tuple[int, int, int]] = []
    looks: list[int] = []
    is_first = True
    count = len(words)
    for place, word in enumerate(words):
        if is_han(word):
            following = words[place + 1] if place + 1 < count else "$"
            before = words[place - 1] if place else "^"
            left, right = before + word, word + following
        else:
            left, right = word[:3], word[-3:]
        hashes.append(
            (
                _hashed("w", word, WORD_BUCKETS),
                _hashed("l", left, PART_BUCKETS),
                _hashed("r", right, PART_BUCKETS),
            )
        )
        spelling = tokens.text[tokens.starts[place] : tokens.ends[place]]
        looks.append(_look(word, spelling, is_first, parts[place]))
        is_first = word in ".!?。\n"
    return _Seen(hashes=hashes, looks=looks, rows=rows, quoted=_quoted(words), asked=_asked(words))


def features_of(
    message: Tokens, vectors: WordVectors, earlier: list[tuple[int, Tokens]] | None = None
) -> Features:
    """The features of a message's tokens, followed by those of what was said before.

    `earlier` gives (side, tokens), oldest first.
    """
    texts = [(MESSAGE, message), *(earlier or [])]
    seen = [_see(tokens, vectors) for _, tokens in texts]
    sides = np.concatenate(
        [np.full(len(tokens), side, np.int32) for side, tokens in texts] or [np.zeros(0, np.int32)]
    )
    rows = np.array([row for each in seen for row in each.rows], np.int64)
    hashes = np.array([h for each in seen for h in each.hashes], np.int32).reshape(-1, 3)
    dense = np.zeros((len(sides), 2 * WORD_DIMENSION + EXTRA), np.float32)
    known = rows >= 0
    dense[known, :WORD_DIMENSION] = vectors.table[rows[known]]
    extra = dense[:, 2 * WORD_DIMENSION :]
    extra[np.arange(len(sides)), sides] = 1.0
    extra[:, 3] = [flag for each in seen for flag in each.quoted]
    extra[:, 4] = known
    extra[:, 7] = [flag for each in seen for flag in each.asked]
    offset = 0
    for _, tokens in texts:
        for place, role in _roles_in(tokens):
            extra[offset + place, _PLAIN_EXTRA + role] = 1.0
        offset += len(tokens)
    if len(texts) > 1:
        _align(dense, hashes[:, 0], sides)
    return Features(
        hashes=hashes,
        looks=np.array([look for each in seen for look in each.looks], np.int32),
        dense=dense,
        sides=sides,
    )


_SHARPNESS = 8.0


def _align(dense: FloatArray, words: IntArray, sides: IntArray) -> None:
    """Show each token what stands on the other side: like words, and whether it is there itself."""
    is_message = sides == MESSAGE
    here, there = np.flatnonzero(is_message), np.flatnonzero(~is_message)
    if not len(here) or not len(there):
        return
    vectors = dense[:, :WORD_DIMENSION]
    norms = np.sqrt((vectors * vectors).sum(1)) + 1e-6
    unit = vectors / norms[:, None]
    similar = unit[here] @ unit[there].T
    same = (words[here][:, None] == words[there][None, :]).astype(np.float32)
    similar = np.maximum(similar, same)
    for own, other, matrix in ((here, there, similar), (there, here, similar.T)):
        highest = matrix.max(1)
        weights = np.exp(_SHARPNESS * (matrix - highest[:, None]))
        weights /= weights.sum(1, keepdims=True)
        dense[own, WORD_DIMENSION : 2 * WORD_DIMENSION] = weights @ vectors[other]
        dense[own, 2 * WORD_DIMENSION + 5] = (same if own is here else same.T).max(1)
        dense[own, 2 * WORD_DIMENSION + 6] = highest
