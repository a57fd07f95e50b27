"""Cutting text into the pieces of words that a BERT encoder knows.

Source: Devlin et al., BERT, 2018 (the uncased vocabulary: lower case, accents dropped, every
punctuation mark and every Chinese character a word of its own, the longest known piece first).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from perdure.domain.text import HAN

_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_LONGEST_WORD = 100
_KEPT_WORDS = 1 << 15
_INNER = "##"


class Pieces(NamedTuple):
    """The pieces of one text: their numbers in the vocabulary, and the word each belongs to."""

    numbers: tuple[int, ...]
    words: tuple[str, ...]


class WordPieces:
    """The uncased word pieces of one vocabulary. Threads may use it at once."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers: Mapping[str, int] = {piece: i for i, piece in enumerate(vocabulary)}
        self._unknown = self._numbers["[UNK]"]
        self._known: dict[str, tuple[int, ...]] = {}

    def number(self, piece: str) -> int:
        """The number of a piece that must be in the vocabulary."""
        return self._numbers[piece]

    def of(self, text: str, *, most: int) -> Pieces:
        """The first `most` pieces of a text."""
        numbers: list[int] = []
        words: list[str] = []
        for word in words_of(text):
            pieces = self._pieces(word)
            numbers.extend(pieces)
            words.extend([word] * len(pieces))
            if len(numbers) >= most:
                break
        return Pieces(tuple(numbers[:most]), tuple(words[:most]))

    def clear(self) -> None:
        """Forget which words were cut."""
        self._known.clear()

    def _pieces(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            known = self._cut(word)
            if len(self._known) >= _KEPT_WORDS:
                self._known.clear()  # rare words come and go; the frequent ones are soon back
            self._known[word] = known
        return known

    def _cut(self, word: str) -> tuple[int, ...]:
        whole = self._numbers.get(word)
        if whole is not None:
            return (whole,)
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            prefix = _INNER if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start = end
        return tuple(found)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case and without accents, marks apart."""
    lowered = text.lower()
    if lowered.isascii():
        return _ASCII_WORD.findall(lowered)
    plain = unicodedata.normalize("NFD", lowered)
    return "".join(map(_spaced, plain)).split()


def _spaced(char: str) -> str:
    """The character as it goes into words: itself, set apart, a space, or nothing."""
    if char.isascii() and char.isalnum():
        return char
    category = unicodedata.category(char)
    if category == "Mn":
        return ""
    if category.startswith("Z") or char.isspace():
        return " "
    if category.startswith("C"):
        return ""
    if category.startswith("P") or HAN.match(char) or (char.isascii() and not char.isalnum()):
        return f" {char} "
    return char
