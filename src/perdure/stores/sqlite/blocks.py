"""Rows of the index statements as blocks of arrays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from perdure.ports.embedder import FloatArray
from perdure.stores._index.partition import Block, Embedded, Standings
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.vectors import ENCODINGS, FLOAT32, packed_bytes, unpack

log = logging.getLogger(__name__)

Part = tuple[int, int, bytes]
"""Encoding, number of pieces, and data of a row of `vectors`."""

ReadMore = Callable[[list[int]], Mapping[int, Sequence[Part]]]
"""Reads the rows of memories' vectors behind the first, by the memory's number."""

_WIDTH = len(Standings._fields)
_TERM_BYTES = 4
_TYPES: tuple[tuple[type, ...], ...] = (
    (int,), (str,), (int,), (str,), (str,), (str,), (int,), (int,), (int,), (int,), (int,),
    (int, float), (int,), (bytes,),
)  # fmt: skip
"""What each column of a sound row holds."""


def standings_of(rows: Sequence[Row]) -> Standings:
    """The columns of rows of `index_standing`; damaged rows are logged and left out."""
    try:
        return _standings(rows)
    except (TypeError, ValueError, OverflowError):
        return _standings(list(_sound(rows)))


def _standings(rows: Sequence[Row]) -> Standings:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * _WIDTH
    for column, types in zip(columns, _TYPES, strict=False):
        if not set(map(type, column)) <= set(types):
            raise TypeError("a column holds something else")
    return Standings(*columns[:_WIDTH])


def block_of(rows: Sequence[Row], dimension: int | None, more: ReadMore) -> Block:
    """The block of rows of `index_partition`; damaged rows are logged and left out.

    `more` reads the further rows of the vectors of memories that have some.
    """
    try:
        return _block(rows, dimension, more)
    except (TypeError, ValueError, OverflowError):
        return _block(list(_sound(rows)), dimension, more)


def _block(rows: Sequence[Row], dimension: int | None, more: ReadMore) -> Block:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * (_WIDTH + 5)
    terms = columns[_WIDTH]
    if any(len(item) % _TERM_BYTES for item in terms):
        raise ValueError("a list of terms is cut off")
    standings = _standings(rows)
    if dimension is None:
        return Block(standings, terms, None)
    return Block(standings, terms, _embedded(rows, columns[_WIDTH + 1 :], dimension, more))


def _sound(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        is_typed = all(type(value) in types for value, types in zip(row, _TYPES, strict=False))
        if is_typed and (len(row) <= _WIDTH or len(row[_WIDTH]) % _TERM_BYTES == 0):
            yield row
        else:
            log.warning("store.unreadable_row", extra={"memory": row[1], "row": row[0]})


def _embedded(
    rows: Sequence[Row], columns: Sequence[Sequence[Any]], dimension: int, more: ReadMore
) -> Embedded | None:
    """The rows' vectors. A damaged blob counts as none; `check` reports it."""
    encodings, pieces, further, data = columns
    whole = packed_bytes(FLOAT32, 1, dimension)
    is_plain = set(encodings) == {FLOAT32} and set(pieces) == {1} and set(further) == {0}
    if is_plain and set(map(type, data)) == {bytes} and set(map(len, data)) == {whole}:
        count = len(rows)
        matrix = np.frombuffer(b"".join(data), dtype="<f4").reshape(-1, dimension)
        return Embedded(np.arange(count), np.ones(count, dtype=np.int64), matrix)
    with_more = [row[0] for row in rows if row[_WIDTH + 3]]
    rest = more(with_more) if with_more else {}
    positions: list[int] = []
    sizes: list[int] = []
    parts: list[Part] = []
    for position, row in enumerate(rows):
        if row[_WIDTH + 4] is None:
            continue
        own = [(row[_WIDTH + 1], row[_WIDTH + 2], row[_WIDTH + 4]), *rest.get(row[0], ())]
        if len(own) == row[_WIDTH + 3] + 1 and all(_is_whole(part, dimension) for part in own):
            positions.append(position)
            sizes.append(sum(part[1] for part in own))
            parts += own
        else:
            log.warning("store.unreadable_vector", extra={"memory": row[1], "row": row[0]})
    if not parts:
        return None
    return Embedded(
        np.array(positions, dtype=np.int64), np.array(sizes, dtype=np.int64),
        _matrix(parts, dimension),
    )  # fmt: skip


def _is_whole(part: Part, dimension: int) -> bool:
    encoding, pieces, data = part
    is_typed = type(data) is bytes and type(pieces) is int and encoding in ENCODINGS.values()
    return is_typed and pieces > 0 and len(data) == packed_bytes(encoding, pieces, dimension)


def _matrix(parts: Sequence[Part], dimension: int) -> FloatArray:
    if all(part[0] == FLOAT32 for part in parts):
        joined = b"".join([part[2] for part in parts])
        return np.frombuffer(joined, dtype="<f4").reshape(-1, dimension)
    return np.concatenate([unpack(*part, dimension) for part in parts])
