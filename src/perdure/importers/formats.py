"""Which format a file has, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from perdure.domain.text import shown
from perdure.errors import InvalidInput
from perdure.importers import chatgpt, claude, locomo, messages
from perdure.importers.documents import Document, documents_of
from perdure.importers.entries import Layout, entries_of, layout_of
from perdure.importers.turns import Entry, LeftOut, Reader, is_record

OWN = "perdure"
AUTO = "auto"
_READERS: dict[str, Callable[[str], Reader]] = {
    chatgpt.NAME: chatgpt.reader,
    claude.NAME: claude.reader,
    locomo.NAME: locomo.reader,
    messages.NAME: messages.reader,
}
_RECOGNISERS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    chatgpt.NAME: chatgpt.recognises,
    claude.NAME: claude.recognises,
    locomo.NAME: locomo.recognises,
    messages.NAME: messages.recognises,
}
FORMATS = (OWN, *_READERS)
"""What `format_of` may say: Perdure's own export, and every transcript format."""

LOOKED_AT = 20
"""Entries looked at before giving up; a file may begin with damaged ones."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How a document is laid out and what it holds."""

    layout: Layout
    format: str


def format_of(path: str | Path) -> str:
    """The format of a file, a folder or an archive: one of `FORMATS`.

    Raises `InvalidInput` when it is none of them.
    """
    return shape_of(documents_of(path)[0]).format


def reader_of(format_name: str, stem: str) -> Reader:
    """The reader of a transcript format."""
    return _READERS[format_name](stem)


def require_format(name: str) -> str:
    """The name of a transcript format or `auto`, or `InvalidInput`."""
    if name != AUTO and name not in _READERS:
        raise InvalidInput(
            f"unknown transcript format {shown(name)}; the formats are {', '.join(_READERS)}"
        )
    return name


def shape_of(document: Document, wanted: str = AUTO) -> Shape:
    """The layout of a document and its format, told from its first entries unless given."""
    with document.opened() as file:
        layout = layout_of(file, document.name)
    if wanted != AUTO:
        return Shape(layout, wanted)
    with document.opened() as file:
        return Shape(layout, _recognised(_sample(file, layout), document.name))


def _sample(file: BinaryIO, layout: Layout) -> Iterator[Entry | LeftOut]:
    return islice(entries_of(file, layout), LOOKED_AT)


def _recognised(sample: Iterable[Entry | LeftOut], name: str) -> str:
    for entry in sample:
        if isinstance(entry, LeftOut) or not is_record(entry.value):
            continue
        if entry.value.get("perdure") == "export":
            return OWN
        for format_name, recognises in _RECOGNISERS.items():
            if recognises(entry.value):
                return format_name
    raise InvalidInput(
        f"{name} is in no known format ({', '.join(FORMATS)}); name it if it is one of them"
    )
