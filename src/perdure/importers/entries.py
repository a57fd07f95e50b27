"""The values of a JSON or JSON Lines file, one after the other, without reading it whole."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO, Literal

from perdure.errors import InvalidInput
from perdure.importers.turns import Entry, LeftOut

Layout = Literal["lines", "array", "object"]

CHUNK_BYTES = 1 << 16
_BOM = "\ufeff"
_BETWEEN = re.compile(r"[\s,]*")
_CANNOT_GO_ON = re.compile(r"[^0-9.eE+-]")
_NEAR_THE_END = 64
"""A parser that stumbles this close to the end of what was read has probably only run out."""
_RAN_OUT = "Unterminated string"


def layout_of(file: BinaryIO, name: str) -> Layout:
    """Whether a file holds one value per line, an array of values, or a single object."""
    line = b""
    while not line.strip(b"\xef\xbb\xbf \t\r\n"):
        line = file.readline()
        if not line:
            raise InvalidInput(f"{name} is empty")
    start = line.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"[":
        return "array"
    if start != b"{":
        raise InvalidInput(f"{name} is neither JSON nor JSON Lines")
    # A pretty-printed object opens on a line that is no JSON by itself.
    return "lines" if _is_json(line) or _is_json(file.readline()) else "object"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def entries_of(file: BinaryIO, layout: Layout) -> Iterator[Entry | LeftOut]:
    """Every value, or what is wrong with it, each with its place."""
    match layout:
        case "lines":
            return _lines(file)
        case "array":
            return _array(file)
        case "object":
            return _object(file)


def _lines(file: BinaryIO) -> Iterator[Entry | LeftOut]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        yield from _whole(line, f"line {number}")


def _object(file: BinaryIO) -> Iterator[Entry | LeftOut]:
    yield from _whole(file.read(), "the file")


def _whole(data: bytes, place: str) -> Iterator[Entry | LeftOut]:
    """The value in the data; those inside when it is nothing but a wrapper around several."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield LeftOut(place, "it is not UTF-8 text")
        return
    except (ValueError, RecursionError) as error:
        yield LeftOut(place, f"it is not JSON: {_reason(error)}")
        return
    inside = value.get("conversations") if isinstance(value, dict) else None
    if not isinstance(inside, list):
        yield Entry(place, value)
        return
    for number, item in enumerate(inside, start=1):
        yield Entry(f"{place}, entry {number}", item)


def _array(file: BinaryIO) -> Iterator[Entry | LeftOut]:
    """After a place that is no JSON nothing can be told apart, so that entry is the last."""
    window = _Window(file)
    number = 0
    try:
        window.skip("[")
        while not window.at_end("]"):
            number += 1
            yield Entry(f"entry {number}", window.value())
    except UnicodeDecodeError:
        yield LeftOut(f"entry {number or 1}", "it is not UTF-8 text; nothing after it was read")
    except (ValueError, RecursionError) as error:
        reason = f"it is not JSON: {_reason(error)}; nothing after it was read"
        yield LeftOut(f"entry {number or 1}", reason)


def _reason(error: Exception) -> str:
    """What is wrong, without the words around it."""
    return error.msg.lower() if isinstance(error, json.JSONDecodeError) else "nested too deeply"


class _Window:
    """The part of a JSON text that is being read. It grows until a whole value fits."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8")()
        self._parser = json.JSONDecoder()
        self._text = ""
        self._position = 0
        self._ended = False

    def _grow(self) -> None:
        unread = len(self._text) - self._position
        data = self._file.read(max(CHUNK_BYTES, unread))
        self._ended = not data
        more = self._decode.decode(data, final=self._ended)
        self._text = self._text[self._position :] + more
        self._position = 0

    def _to_next(self) -> None:
        while True:
            match = _BETWEEN.match(self._text, self._position)
            assert match is not None
            self._position = match.end()
            if self._position < len(self._text) or self._ended:
                return
            self._grow()

    def skip(self, opening: str) -> None:
        self._grow()
        self._text = self._text.removeprefix(_BOM)
        self._to_next()
        assert self._text[self._position] == opening
        self._position += 1

    def at_end(self, closing: str) -> bool:
        self._to_next()
        if self._position >= len(self._text):
            raise json.JSONDecodeError("the file ends before its array", "", 0)
        return self._text[self._position] == closing

    def value(self) -> object:
        while True:
            try:
                value, end = self._parser.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                near_end = error.pos >= len(self._text) - _NEAR_THE_END
                if self._ended or not (near_end or error.msg.startswith(_RAN_OUT)):
                    raise
            else:
                # A number may go on in what was not read yet: 1 in 1.5, 1. or 1e3.
                if self._ended or _CANNOT_GO_ON.match(self._text, end):
                    self._position = end
                    return value
            self._grow()
