"""Labelled files: one JSON object per line, with errors that name the line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from perdure.errors import InvalidInput, NotFound

Item = TypeVar("Item")


class Fields:
    """The fields of one JSON object, each read as what it must be."""

    def __init__(self, raw: object) -> None:
        if not isinstance(raw, Mapping):
            raise TypeError("it is not a JSON object")
        self._raw: Mapping[str, Any] = raw

    def __contains__(self, name: str) -> bool:
        return self._raw.get(name) is not None

    def text(self, name: str, *, of: Iterable[str] = ()) -> str:
        """A text, one of `of` when that is given."""
        value = self._value(name, str)
        allowed = tuple(of)
        if allowed and value not in allowed:
            raise ValueError(f'"{name}" is none of {", ".join(allowed)}')
        return str(value)

    def optional_text(self, name: str) -> str | None:
        """A text, or None when the field is absent or null."""
        return self.text(name) if name in self else None

    def texts(
        self, name: str, *, of: Iterable[str] = (), may_lack: bool = False
    ) -> tuple[str, ...]:
        """A list of texts; empty when it `may_lack` and does."""
        if may_lack and name not in self:
            return ()
        value = self._value(name, list)
        allowed = tuple(of)
        for item in value:
            if not isinstance(item, str):
                raise TypeError(f'"{name}" holds something that is not text')
            if allowed and item not in allowed:
                raise ValueError(f'"{name}" holds something other than {", ".join(allowed)}')
        return tuple(value)

    def whole(self, name: str, *, least: int = 0) -> int:
        """A whole number from `least` up."""
        value = self._value(name, int)
        if isinstance(value, bool) or value < least:
            raise ValueError(f'"{name}" is not a whole number from {least} up')
        return int(value)

    def moment(self, name: str) -> datetime:
        """A time with an offset."""
        return aware(self.text(name))

    def moments(self, name: str) -> tuple[datetime, datetime]:
        """Two times with offsets, the first not after the second."""
        texts = self.texts(name)
        if len(texts) != 2:
            raise ValueError(f'"{name}" is not two times')
        first, last = map(aware, texts)
        if first > last:
            raise ValueError(f'"{name}" ends before it begins')
        return first, last

    def wholes(self, name: str) -> tuple[int, int]:
        """Two whole numbers from 0 up."""
        value = self._value(name, list)
        if len(value) != 2 or not all(type(item) is int and item >= 0 for item in value):
            raise ValueError(f'"{name}" is not two whole numbers')
        return value[0], value[1]

    def spans(self, name: str) -> list[tuple[str, str | None]]:
        """Pairs of texts, of which the second may be null."""
        made = []
        for pair in self._value(name, list):
            match pair:
                case [str() as first, (str() | None) as last]:
                    made.append((first, last))
                case _:
                    raise ValueError(f'"{name}" holds something other than a start and an end')
        if not made:
            raise ValueError(f'"{name}" is empty')
        return made

    def part(self, name: str) -> Fields:
        """An object."""
        return Fields(self._value(name, dict))

    def parts(self, name: str) -> tuple[Fields, ...]:
        """A list of objects."""
        return tuple(Fields(part) for part in self._value(name, list))

    def _value(self, name: str, kind: type) -> Any:
        if name not in self._raw:
            raise KeyError(name)
        value = self._raw[name]
        if not isinstance(value, kind):
            raise TypeError(f'"{name}" is not {_NAMES[kind]}')
        return value


_NAMES = {str: "text", list: "a list", dict: "an object", int: "a whole number"}


def aware(text: str) -> datetime:
    """ISO 8601 text as a time with an offset."""
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError("a time has no offset")
    return moment


def read_items(lines: Iterable[str], make: Callable[[Fields], Item]) -> list[Item]:
    """What `make` makes of each line; blank lines are passed over.

    Raises `InvalidInput`, which names the line, for one that `make` refuses with a `KeyError`,
    `TypeError` or `ValueError`, and for a repeated id.
    """
    items: list[Item] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            fields = Fields(json.loads(line))
            first = seen.setdefault(fields.text("id"), number)
            if first != number:
                raise ValueError(f"its id is that of line {first}")
            items.append(make(fields))
        except KeyError as error:
            raise InvalidInput(f'line {number}: it has no "{error.args[0]}"') from error
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"line {number}: {error}") from error
    if not items:
        raise InvalidInput("the file holds no items")
    return items


def lines_of(path: Path) -> list[str]:
    """The lines of a UTF-8 file. Raises `NotFound` and `InvalidInput`."""
    try:
        return bytes_of(path).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: {error.reason}") from error


def bytes_of(path: Path) -> bytes:
    """What a file holds. Raises `NotFound` and `InvalidInput`."""
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {path}") from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
