"""Overwriting what is left of deleted rows in the pages of a file.

With `secure_delete`, SQLite overwrites rows it deletes and pages it frees. What it does not
overwrite is the gap of a page it splits or fills anew: the bytes between the list of cells and the
first of them, where rows lay that are elsewhere now. No row or index entry ever lies there, so it
may be overwritten in place, in any order, and no crash on the way harms the file.

Format: https://www.sqlite.org/fileformat2.html, "B-tree Pages".
"""

from __future__ import annotations

import os
import struct

_MAGIC = b"SQLite format 3\0"
_FILE_HEADER = 100
_LARGEST_ROOT = struct.Struct(">52xI")
_PAGE_HEADER = struct.Struct(">B2xHH")
_HEADER_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}
"""Of the pages of tables and indexes, by their first byte."""
_AMBIGUOUS_FROM = 1 << 25
"""Any other page begins with a page number of four bytes or is empty. From this number on the first
of these could be taken for the kind of a page."""
_CHUNK_BYTES = 1 << 20


class NotScrubbable(Exception):
    """The file is of a kind whose pages cannot be told apart for certain; nothing was written."""


def scrub(descriptor: int, page_size: int) -> int:
    """Overwrite the gap of every page with zeros; how many pages had anything there.

    The log must be empty and nobody may write meanwhile. Raises `NotScrubbable`, and `OSError` when
    reading or writing fails. What was written is not flushed.
    """
    size = os.fstat(descriptor).st_size
    _check_kind(descriptor, size, page_size)
    scrubbed = 0
    for start in range(0, size, max(_CHUNK_BYTES, page_size)):
        data = os.pread(descriptor, max(_CHUNK_BYTES, page_size), start)
        for first, amount in _gaps(data, start, page_size):
            if data[first : first + amount] != bytes(amount):
                os.pwrite(descriptor, bytes(amount), start + first)
                scrubbed += 1
    return scrubbed


def _check_kind(descriptor: int, size: int, page_size: int) -> None:
    head = os.pread(descriptor, _FILE_HEADER, 0)
    if not head.startswith(_MAGIC) or size // page_size >= _AMBIGUOUS_FROM:
        raise NotScrubbable
    if _LARGEST_ROOT.unpack_from(head)[0]:
        # Vacuumed automatically: it has pages of another kind, with the same first bytes.
        raise NotScrubbable


def _gaps(data: bytes, start: int, page_size: int) -> list[tuple[int, int]]:
    """Where in the data each page's gap begins, and how long it is."""
    found = []
    for page in range(0, len(data) - page_size + 1, page_size):
        header = page if start + page else _FILE_HEADER
        kind, cells, content = _PAGE_HEADER.unpack_from(data, header)
        if kind in _HEADER_BYTES:
            first = header + _HEADER_BYTES[kind] + 2 * cells
            # Of a page of 65,536 bytes that holds nothing, the number does not fit and is 0.
            amount = page + (content or 1 << 16) - first
            if 0 < amount <= page_size:
                found.append((first, amount))
    return found
