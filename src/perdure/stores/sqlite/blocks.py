"""Rows of the index statements as blocks of arrays."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from perdure.stores._index.partition import Block, Embedded, Standings
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.vectors import ENCODINGS, FLOAT32, packed_bytes, unpack

log = logging.getLogger(__name__)

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


def block_of(rows: Sequence[Row], dimension: int | None) -> Block:
    """The block of rows of `index_partition`; damaged rows are logged and left out."""
    try:
        return _block(rows, dimension)
    except (TypeError, ValueError, OverflowError):
        return _block(list(_sound(rows)), dimension)


def _block(rows: Sequence[Row], dimension: int | None) -> Block:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * (_WIDTH + 4)
    terms = columns[_WIDTH]
    if any(len(item) % _TERM_BYTES for item in terms):
        raise ValueError("a list of terms is cut off")
    return Block(_standings(rows), terms, _embedded(rows, columns[_WIDTH + 1 :], dimension))


def _sound(rows: Sequence[Row]) -> Iterator[Row]:
    for row in rows:
        is_typed = all(type(value) in types for value, types in zip(row, _TYPES, strict=False))
        if is_typed and (len(row) <= _WIDTH or len(row[_WIDTH]) % _TERM_BYTES == 0):
            yield row
        else:
            log.warning("store.unreadable_row", extra={"memory": row[1], "row": row[0]})


def _embedded(
    rows: Sequence[Row], columns: Sequence[Sequence[Any]], dimension: int | None
) -> Embedded | None:
    """The rows' vectors. A damaged blob counts as none; `check` reports it."""
    if dimension is None:
        return None
    encodings, pieces, data = columns
    whole = packed_bytes(FLOAT32, 1, dimension)
    is_plain = set(encodings) == {FLOAT32} and set(pieces) == {1}
    if is_plain and set(map(type, data)) == {bytes} and set(map(len, data)) == {whole}:
        matrix = np.frombuffer(b"".join(data), dtype="<f4").reshape(-1, dimension)
        count = len(rows)
        return Embedded(np.arange(count), np.ones(count, dtype=np.int64), matrix)
    present = [
        (position, unpack(encodings[position], pieces[position], data[position], dimension))
        for position, row in enumerate(rows)
        if data[position] is not None and _is_whole(row, dimension)
    ]
    if not present:
        return None
    return Embedded(
        np.array([position for position, _ in present], dtype=np.int64),
        np.array([len(vectors) for _, vectors in present], dtype=np.int64),
        np.concatenate([vectors for _, vectors in present]),
    )


def _is_whole(row: Row, dimension: int) -> bool:
    encoding, pieces, data = row[_WIDTH + 1 :]
    is_typed = type(data) is bytes and type(pieces) is int and encoding in ENCODINGS.values()
    if is_typed and pieces > 0 and len(data) == packed_bytes(encoding, pieces, dimension):
        return True
    log.warning("store.unreadable_vector", extra={"memory": row[1], "row": row[0]})
    return False
