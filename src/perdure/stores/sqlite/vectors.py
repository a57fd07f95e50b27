"""Vectors as blobs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perdure.ports.embedder import FloatArray

FLOAT32, INT8 = 0, 1
ENCODINGS = {"float32": FLOAT32, "int8": INT8}
_LEVELS = 127.0


class Packed(NamedTuple):
    """What a row of `vectors` holds."""

    encoding: int
    pieces: int
    data: bytes


def pack(rows: FloatArray, encoding: int) -> Packed:
    """The rows (pieces, dimension) as one blob."""
    rows = np.ascontiguousarray(rows, dtype="<f4")
    if encoding == FLOAT32:
        return Packed(FLOAT32, len(rows), rows.tobytes())
    peaks = np.abs(rows).max(axis=1, initial=0.0)
    scales = np.where(peaks > 0, peaks / _LEVELS, 1.0).astype("<f4")
    levels = np.rint(rows / scales[:, None]).astype(np.int8)
    return Packed(INT8, len(rows), scales.tobytes() + levels.tobytes())


def packed_bytes(encoding: int, pieces: int, dimension: int) -> int:
    """How long the blob must be."""
    return pieces * (4 * dimension if encoding == FLOAT32 else 4 + dimension)


def unpack(encoding: int, pieces: int, data: bytes) -> FloatArray:
    """The rows (pieces, dimension) of a blob of the right length."""
    if encoding == FLOAT32:
        return np.frombuffer(data, dtype="<f4").reshape(pieces, -1)
    scales = np.frombuffer(data, dtype="<f4", count=pieces)
    levels = np.frombuffer(data, dtype=np.int8, offset=4 * pieces).reshape(pieces, -1)
    rows: FloatArray = levels * scales[:, None]
    return rows
