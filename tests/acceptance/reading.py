"""Short ways to say what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def texts(found: Iterable[Any]) -> list[str]:
    """The words of hits or of memories, in their order."""
    return [getattr(item, "memory", item).content for item in found]


def ids(found: Iterable[Any]) -> list[str]:
    """The ids of hits or of memories, in their order."""
    return [getattr(item, "memory", item).id for item in found]


def everything_in(memory: Any, **options: Any) -> list[Any]:
    """All pages of a listing as one."""
    cursor, items = None, []
    while True:
        page = memory.list(cursor=cursor, **options)
        items.extend(page)
        cursor = page.next_cursor
        if cursor is None:
            return items
