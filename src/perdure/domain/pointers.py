"""JSON Pointers: which part of a JSON value is meant.

Source: RFC 6901. `/steps/0/title` is a member of a member; `~1` stands for a slash and `~0` for a
tilde inside a name; the empty pointer is the whole value.
"""

from __future__ import annotations

import re

from perdure.domain.records import Json
from perdure.domain.text import sanitise, shown
from perdure.errors import InvalidInput, NotFound

Parts = tuple[str, ...]

_BAD_ESCAPE = re.compile("~(?![01])")
_INDEX = re.compile("0|[1-9][0-9]{0,17}")
END = "-"
"""The place behind the last item of an array."""


def parts_of(pointer: object) -> Parts:
    """The names and indices a pointer consists of, or `InvalidInput`."""
    if not isinstance(pointer, str):
        raise InvalidInput(f"a path must be text such as /results/city, not {shown(pointer)}")
    text = sanitise(pointer)
    if not text:
        return ()
    if not text.startswith("/"):
        raise InvalidInput(
            f"{shown(text)} is no JSON Pointer: it begins with a slash, as in /results/city, "
            "or is empty for the whole tree"
        )
    if _BAD_ESCAPE.search(text):
        raise InvalidInput(f"{shown(text)}: a tilde in a path is written ~0, and a slash ~1")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


def pointer_to(*parts: str) -> str:
    """The pointer that consists of these names and indices."""
    return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in parts)


def resolve(value: Json, pointer: object) -> Json:
    """The part of a value that a pointer means. `NotFound` when there is none."""
    for part in parts_of(pointer):
        value = child(value, part, pointer)
    return value


def child(value: Json, part: str, pointer: object) -> Json:
    """A member or an item; `pointer` is the whole way, for the message of `NotFound`."""
    if isinstance(value, dict) and part in value:
        return value[part]
    if isinstance(value, list):
        return value[index_in(value, part, pointer)]
    raise nothing_at(pointer)


def index_in(items: list[Json], part: str, pointer: object) -> int:
    """The position of an item that exists, or `NotFound`."""
    if not _INDEX.fullmatch(part) or int(part) >= len(items):
        raise nothing_at(pointer)
    return int(part)


def nothing_at(pointer: object) -> NotFound:
    """The error for a pointer that leads nowhere."""
    return NotFound(f"there is nothing at {shown(pointer)} in this task")
