"""Vectors as blobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from perdure.errors import InvalidInput
from perdure.ports.embedder import FloatArray

FLOAT32, INT8 = 0, 1
ENCODINGS = {"float32": FLOAT32, "int8": INT8}

_LEVELS = 511
"""Eight bits a value find 97 to 99 % of the true nearest ten again; two bits more find over 99 %
(docs/decisions/0003-sqlite.md). They stand apart, so that the first eight can be read alone."""


_ROW_BYTES = 1600
"""Rows of at most this size, or of one piece, waste little of a page of 8192 bytes."""
_MOST_ROWS = 1 << 16


class Packed(NamedTuple):
    """What a row of `vectors` holds.

    INT8: a float32 scale for each piece, then the upper eight bits of each value as int8, then the
    lower two, four values to a byte. A value is (4 × upper + lower) × scale.
    """

    encoding: int
    pieces: int
    data: bytes


def pack(rows: FloatArray, encoding: int) -> tuple[Packed, ...]:
    """The vectors (pieces, dimension) as rows of the table: as many in each as fit well."""
    rows = np.ascontiguousarray(rows, dtype="<f4")
    step = max(1, _ROW_BYTES // packed_bytes(encoding, 1, rows.shape[1]))
    if len(rows) <= step:
        return (_packed(rows, encoding),) if len(rows) else ()
    parts = (rows[start : start + step] for start in range(0, len(rows), step))
    return tuple(_packed(part, encoding) for part in parts)


def table_rows(memory: int, model: int, packed: Sequence[Packed]) -> list[tuple[Any, ...]]:
    """The values of the `vectors` columns for one memory."""
    if len(packed) > _MOST_ROWS:
        raise InvalidInput(f"a memory may have vectors in {_MOST_ROWS} rows, not {len(packed)}")
    more = len(packed) - 1
    return [
        (memory * _MOST_ROWS + number, model, part.encoding, part.pieces, 0 if number else more,
         part.data)
        for number, part in enumerate(packed)
    ]  # fmt: skip


def _packed(rows: FloatArray, encoding: int) -> Packed:
    if encoding == FLOAT32:
        return Packed(FLOAT32, len(rows), rows.tobytes())
    peaks = np.abs(rows).max(axis=1, initial=0.0)
    scales = np.where(peaks > 0, peaks / _LEVELS, 1.0).astype("<f4")
    levels = np.rint(rows / scales[:, None]).astype(np.int16)
    upper = (levels >> 2).astype(np.int8)
    lower = np.zeros((len(rows), 4 * _quarter(rows.shape[1])), dtype=np.uint8)
    lower[:, : rows.shape[1]] = levels & 3
    four = lower.reshape(len(rows), -1, 4)
    together = four[:, :, 0] | four[:, :, 1] << 2 | four[:, :, 2] << 4 | four[:, :, 3] << 6
    data = scales.tobytes() + upper.tobytes() + together.astype(np.uint8).tobytes()
    return Packed(INT8, len(rows), data)


def _quarter(dimension: int) -> int:
    return (dimension + 3) // 4


def packed_bytes(encoding: int, pieces: int, dimension: int) -> int:
    """How long the blob must be."""
    if encoding == FLOAT32:
        return pieces * 4 * dimension
    return pieces * (4 + dimension + _quarter(dimension))


def unpack(encoding: int, pieces: int, data: bytes, dimension: int) -> FloatArray:
    """The rows (pieces, dimension) of a blob of the right length."""
    if encoding == FLOAT32:
        return np.frombuffer(data, dtype="<f4").reshape(pieces, dimension)
    scales = np.frombuffer(data, dtype="<f4", count=pieces)
    upper = np.frombuffer(data, dtype=np.int8, offset=4 * pieces, count=pieces * dimension)
    together = np.frombuffer(data, dtype=np.uint8, offset=pieces * (4 + dimension))
    lower = np.stack([together >> shift & 3 for shift in (0, 2, 4, 6)], axis=1)
    lower = lower.reshape(pieces, -1)[:, :dimension]
    levels = upper.reshape(pieces, dimension).astype(np.int16) * 4 + lower
    rows: FloatArray = levels.astype(np.float32) * scales[:, None]
    return rows
