"""The two arms of a search over the admitted rows of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.domain.lexical import K1, B, inverse_document_frequency
from perdure.ports.embedder import FloatArray
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import Snapshot, VectorRows

_LARGEST_COSINE = 1.05
"""With the rounding of vectors kept in eight bits."""

_GATHERED_BELOW = 0.3
"""Share of admitted rows under which their vectors are gathered rather than all compared."""


class Occurrences(NamedTuple):
    """Where one term occurs among the admitted rows of one partition."""

    rows: NDArray[np.int32]
    counts: NDArray[np.int32]


class Counted(NamedTuple):
    """What the lexical arm needs of one partition before scores can be computed."""

    documents: int
    length: int
    occurrences: tuple[Occurrences, ...]


def count_terms(snapshot: Snapshot, mask: Mask, documents: int, terms: Sequence[int]) -> Counted:
    """The admitted rows' statistics and occurrences of each term."""
    found = tuple(
        _admitted(pieces, mask, is_everything=documents == snapshot.size)
        for pieces in snapshot.postings.of(terms)
    )
    length = int(snapshot.lengths.sum() if documents == snapshot.size
                 else snapshot.lengths.sum(where=mask))  # fmt: skip
    return Counted(documents, length, found)


_NOWHERE = Occurrences(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


def _admitted(
    pieces: list[tuple[NDArray[np.int32], NDArray[np.int32]]], mask: Mask, *, is_everything: bool
) -> Occurrences:
    """The postings of one term that the mask lets through. Rows newer than the mask are not."""
    kept: list[Occurrences] = []
    for rows, counts in pieces:
        if is_everything:
            kept.append(Occurrences(rows, counts))
            continue
        shown = mask[rows]
        kept.append(Occurrences(rows[shown], counts[shown]))
    if len(kept) == 1:
        return kept[0]
    if not kept:
        return _NOWHERE
    return Occurrences(
        np.concatenate([item.rows for item in kept]), np.concatenate([item.counts for item in kept])
    )


def rarities(counted: Sequence[Counted], terms: Sequence[int]) -> list[float]:
    """Each term's inverse document frequency over all partitions."""
    documents = sum(item.documents for item in counted)
    return [
        inverse_document_frequency(
            documents, sum(len(item.occurrences[position].rows) for item in counted)
        )
        for position in range(len(terms))
    ]


def lexical_scores(
    snapshot: Snapshot, counted: Counted, rarity: Sequence[float], mean_length: float
) -> NDArray[np.float64]:
    """Each row's score as `domain.lexical.lexical_score` computes it; 0 where no term occurs."""
    gained = np.zeros(snapshot.size)
    total = 0.0
    for weight, (rows, counts) in zip(rarity, counted.occurrences, strict=True):
        total += weight
        if len(rows):
            norms = 1.0 - B + B * snapshot.lengths[rows] / mean_length
            gained[rows] += weight * (counts * (K1 + 1.0) / (counts + K1 * norms))
    if total > 0:
        gained /= total
    return gained


def cosines(
    vectors: VectorRows, mask: Mask, query: FloatArray
) -> tuple[NDArray[np.int32], FloatArray]:
    """(admitted rows that have vectors, their best cosine)."""
    rows = vectors.rows
    if not len(rows):
        return rows, np.empty(0, dtype=np.float32)
    shown = mask[rows]
    count = int(np.count_nonzero(shown))
    if count == len(rows):
        return rows, _best(vectors, _dots(vectors.matrix, query))
    if vectors.is_single and count < _GATHERED_BELOW * len(rows):
        kept = np.flatnonzero(shown)
        return rows[kept], _dots(vectors.matrix[kept], query)
    return rows[shown], _best(vectors, _dots(vectors.matrix, query))[shown]


def _best(vectors: VectorRows, dots: FloatArray) -> FloatArray:
    if vectors.is_single:
        return dots
    best: FloatArray = np.maximum.reduceat(dots, vectors.starts)
    return best


def _dots(matrix: FloatArray, query: FloatArray) -> FloatArray:
    """Each row's dot product with the query.

    One small product per row rather than one large one: as fast where memory is the limit, never
    spread over threads, and a row's value does not depend on the rows around it, so that equal
    vectors have equal cosines and ties are ties. A damaged row, whose product is no cosine at all,
    counts as opposite to the query.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        products: FloatArray = np.matmul(matrix[:, None, :], query)[:, 0]
    is_cosine = np.abs(products) <= _LARGEST_COSINE
    if not is_cosine.all():
        products[~is_cosine] = -1.0
    return products


def best_positions(values: NDArray[np.floating], limit: int) -> NDArray[np.int64]:
    """Positions of the `limit` highest values and of all that equal the lowest of them."""
    if len(values) <= limit:
        return np.arange(len(values))
    cut = np.partition(values, len(values) - limit)[len(values) - limit]
    return np.flatnonzero(values >= cut)
