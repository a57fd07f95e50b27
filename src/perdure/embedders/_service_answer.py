"""Reading what an embeddings endpoint sent."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

import numpy as np

from perdure.embedders._service_failure import malformed
from perdure.errors import EmbedderRejected
from perdure.ports.embedder import FloatArray
from perdure.remote.failures import ServiceFailure


def rows_of(answer: object, *, count: int, dimension: int) -> FloatArray | ServiceFailure:
    """The vectors in the order of the texts, unit length; or why there are none.

    Vectors come as lists of numbers or as base64 of little-endian float32, each with the index of
    its text (missing: its position). Raises `EmbedderRejected` when they are of another width or
    number than asked for or have no direction: another try would bring the same.
    """
    data = getattr(answer, "data", None)
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        return malformed("the answer has no list `data`")
    if len(data) != count:
        raise EmbedderRejected(f"the embedding service sent {len(data)} vectors for {count} texts")
    order = [getattr(item, "index", None) for item in data]
    if all(index is None for index in order):
        order = list(range(count))
    if sorted(i for i in order if isinstance(i, int)) != list(range(count)):
        return malformed("the indices do not match the texts")
    rows = np.empty((count, dimension), dtype=np.float32)
    for index, item in zip(order, data, strict=True):
        vector = _vector(getattr(item, "embedding", None))
        if vector is None:
            return malformed("a vector is unreadable")
        if vector.shape != (dimension,):
            raise EmbedderRejected(
                f"the embedding service sends {vector.size} dimensions where {dimension} were "
                f"expected; make the embedder with dimensions={vector.size}"
            )
        rows[index] = vector
    return _unit_length(rows)


def _vector(sent: object) -> FloatArray | None:
    try:
        if isinstance(sent, str):
            return np.frombuffer(base64.b64decode(sent, validate=True), dtype="<f4")
        vector = np.asarray(sent, dtype=np.float32)
    except (ValueError, TypeError, OverflowError, binascii.Error):
        return None
    return vector if vector.ndim == 1 else None


def _unit_length(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderRejected("the embedding service sent a vector of zeros or of no numbers")
    unit: FloatArray = (rows / lengths).astype(np.float32)
    return unit
