"""Reading JSON as language models write it: forgiving in form, strict about what is missing.

Forgiven are quotes of other kinds, keys without quotes, commas too many or too few, comments, bad
escapes, quotes and line breaks inside texts, Python's None, True and False, and full-width
punctuation. Never forgiven is an end that is missing: a value that was cut off may be half a name
or half a number, and nothing tells.
"""

from __future__ import annotations

import re
from typing import Any

from perdure.domain.text import sanitise

MOST_NESTED = 24
"""Levels of lists and objects. Answers need five; more is an accident or an attack."""

_CLOSING = {'"': '"', "'": "'", "“": '”"', "”": '”"', "‘": "’'", "`": "`", "「": "」"}
_COMMA, _COLON = ",，;；、", ":："
_SPACE = re.compile(r"(?:[\s\ufeff\u200b]|//[^\n]*|#[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d][\w-]*")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class Malformed(ValueError):
    """The text at this place is no JSON, however kindly it is read."""


class CutOff(ValueError):
    """The text ends inside a value."""


def read_value(text: str, start: int) -> tuple[Any, int]:
    """The list or object that begins at `start`, and where it ends.

    Raises `CutOff` when the text ends first and `Malformed` when it is something else.
    """
    return _Reader(text).value(start, depth=0)


class _Reader:
    """One text; every method takes a place and gives back a value and the place after it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, place: int, *, depth: int) -> tuple[Any, int]:
        place = self._skip(place)
        char = self._char(place)
        if char == "{":
            return self._object(place + 1, depth + 1)
        if char == "[":
            return self._list(place + 1, depth + 1)
        if char in _CLOSING:
            return self._quoted(place)
        number = _NUMBER.match(self._text, place)
        if number:
            return self._number(number.group()), number.end()
        return self._word(place)

    def _char(self, place: int) -> str:
        if place >= len(self._text):
            raise CutOff
        return self._text[place]

    def _skip(self, place: int) -> int:
        space = _SPACE.match(self._text, place)
        return space.end() if space else place

    def _object(self, place: int, depth: int) -> tuple[dict[str, Any], int]:
        _require_shallow(depth)
        made: dict[str, Any] = {}
        while True:
            place = self._between(place)
            if self._char(place) == "}":
                return made, place + 1
            key, place = self._key(place)
            place = self._skip(place)
            if self._char(place) not in _COLON:
                raise Malformed
            made[key], place = self.value(place + 1, depth=depth)

    def _list(self, place: int, depth: int) -> tuple[list[Any], int]:
        _require_shallow(depth)
        made: list[Any] = []
        while True:
            place = self._between(place)
            if self._char(place) == "]":
                return made, place + 1
            item, place = self.value(place, depth=depth)
            made.append(item)

    def _between(self, place: int) -> int:
        """The place after white space and any number of commas."""
        place = self._skip(place)
        while self._char(place) in _COMMA:
            place = self._skip(place + 1)
        return place

    def _key(self, place: int) -> tuple[str, int]:
        if self._char(place) in _CLOSING:
            return self._quoted(place)
        word = _WORD.match(self._text, place)
        if word is None:
            raise Malformed
        if word.end() == len(self._text):
            raise CutOff
        return word.group(), word.end()

    def _number(self, written: str) -> int | float:
        if written.lstrip("+-").isdigit() and len(written) < 20:
            return int(written)
        number = float(written)
        if number in (float("inf"), float("-inf")):
            raise Malformed
        return number

    def _word(self, place: int) -> tuple[bool | None, int]:
        word = _WORD.match(self._text, place)
        if word is None:
            raise Malformed
        if word.end() == len(self._text):
            raise CutOff
        name = word.group().lower()
        if name not in _WORDS:
            raise Malformed
        return _WORDS[name], word.end()

    def _quoted(self, place: int) -> tuple[str, int]:
        closing = _CLOSING[self._text[place]]
        place += 1
        pieces: list[str] = []
        while True:
            char = self._char(place)
            if char == "\\":
                piece, place = self._escaped(place + 1)
                pieces.append(piece)
            elif char in closing and self._ends_text(place + 1):
                return sanitise("".join(pieces)), place + 1
            else:
                pieces.append(char)
                place += 1

    def _ends_text(self, place: int) -> bool:
        """Whether a quote before this place closes its text rather than standing in it."""
        place = self._skip(place)
        if place >= len(self._text):
            return True
        char = self._text[place]
        return char in "}]" or char in _COMMA or char in _COLON or char in _CLOSING

    def _escaped(self, place: int) -> tuple[str, int]:
        char = self._char(place)
        if char in _ESCAPES:
            return _ESCAPES[char], place + 1
        if char == "u":
            code = _HEX.match(self._text, place + 1)
            if code:
                return chr(int(code.group(), 16)), code.end()
            if place + 5 > len(self._text):
                raise CutOff
        if char.isalnum():
            return f"\\{char}", place + 1  # a path of Windows, or a pattern
        return char, place + 1


def _require_shallow(depth: int) -> None:
    if depth > MOST_NESTED:
        raise Malformed
