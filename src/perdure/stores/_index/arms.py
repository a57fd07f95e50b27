"""The two arms of a search over the admitted rows of partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.domain.lexical import (
    K1,
    LENT,
    LENT_WITHIN_US,
    SAID_IN_SESSION,
    B,
    inverse_document_frequency,
    rarity_among_sessions,
)
from perdure.ports.embedder import FloatArray
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import OCCURRED, Snapshot, VectorRows

_LARGEST_COSINE = 1.05
"""With the rounding of vectors kept in eight bits."""

_GATHERED_BELOW = 0.3
"""Share of admitted rows under which their vectors are gathered rather than all compared."""


class Counted(NamedTuple):
    """What the lexical arm needs of one partition before scores can be computed.

    `rows` and `counts` are the admitted occurrences, term after term; `terms` says of which term
    each is, and `containing` how many rows hold each term.
    """

    documents: int
    length: int
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    terms: NDArray[np.int64]
    containing: list[int]


def count_terms(snapshot: Snapshot, mask: Mask, documents: int, terms: Sequence[int]) -> Counted:
    """The admitted rows' statistics, and where among them each term occurs."""
    is_everything = documents == snapshot.size
    lengths = snapshot.lengths
    length = int(lengths.sum() if is_everything else lengths.sum(where=mask))
    found = snapshot.postings.of(terms)
    sizes = [sum(len(rows) for rows, _ in pieces) for pieces in found]
    if not any(sizes):
        return Counted(documents, length, _NO_ROWS, _NO_ROWS, _NO_TERMS, sizes)
    rows = np.concatenate([rows for pieces in found for rows, _ in pieces])
    counts = np.concatenate([counts for pieces in found for _, counts in pieces])
    numbers = np.repeat(np.arange(len(terms)), sizes)
    if is_everything:
        return Counted(documents, length, rows, counts, numbers, sizes)
    shown = mask[rows]
    rows, counts, numbers = rows[shown], counts[shown], numbers[shown]
    containing = np.bincount(numbers, minlength=len(terms)).tolist()
    return Counted(documents, length, rows, counts, numbers, containing)


_NO_ROWS = np.empty(0, dtype=np.int32)
_NO_TERMS = np.empty(0, dtype=np.int64)


def rarities(counted: Sequence[Counted], count: int) -> list[float]:
    """Each of `count` terms' inverse document frequency over all partitions."""
    documents = sum(item.documents for item in counted)
    return [
        inverse_document_frequency(documents, sum(item.containing[term] for item in counted))
        for term in range(count)
    ]


def lexical_scores(
    snapshot: Snapshot,
    counted: Counted,
    rarity: Sequence[float],
    total: float,
    mean_length: float,
) -> NDArray[np.float64]:
    """Each row's score as `domain.lexical.lexical_score` computes it; 0 where no term occurs.

    `total` is the question's weight: all of `rarity` added up.

    What the terms add to a row is added in their order, as the reference does, so the sums are the
    same to the last bit.
    """
    counts = counted.counts
    norms = 1.0 - B + B * snapshot.lengths[counted.rows] / mean_length
    saturated = counts * (K1 + 1.0) / (counts + K1 * norms)
    weighted = np.array(rarity)[counted.terms] * saturated
    gained = np.bincount(counted.rows, weights=weighted, minlength=snapshot.size)
    scores: NDArray[np.float64] = gained / total
    return scores


def with_neighbours(
    snapshot: Snapshot, mask: Mask, scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The scores with what neighbouring turns lend: `domain.lexical.with_neighbours` by rows."""
    turns = snapshot.turns
    if not len(turns):
        return scores
    rows = turns[mask[turns]]
    values = scores[rows]
    if np.count_nonzero(values) < 2:
        return scores
    conversations, times = snapshot.conversations[rows], snapshot.times[OCCURRED][rows]
    gained = np.zeros(len(rows))
    for distance, share in enumerate(LENT, start=1):
        earlier, later = slice(None, -distance), slice(distance, None)
        is_near = (conversations[earlier] == conversations[later]) & (
            times[later] - times[earlier] <= LENT_WITHIN_US
        )
        shares = np.where(is_near, share, 0.0)
        gained[later] += shares * values[earlier]
        gained[earlier] += shares * values[later]
    has_words = values > 0.0
    raised = scores.copy()
    raised[rows[has_words]] += gained[has_words]
    return raised


class Said(NamedTuple):
    """Which terms the sessions of a partition say: a row for each term, a column for each of the
    partition's conversations; `rows` and `terms` are the occurrences behind it, term after term."""

    table: NDArray[np.bool_]
    rows: NDArray[np.int32]
    terms: NDArray[np.int64]


def said_in_sessions(snapshot: Snapshot, counted: Counted, count: int) -> Said:
    """What the sessions say of `count` terms; memories of no session are left out."""
    if not snapshot.sessions.any():
        return Said(np.zeros((count, 0), dtype=np.bool_), _NO_ROWS, _NO_TERMS)
    rows, terms = counted.rows, counted.terms
    told = snapshot.sessions[rows] > 0
    if not told.all():
        rows, terms = rows[told], terms[told]
    conversations = snapshot.conversations[rows]
    width = int(conversations.max(initial=-1)) + 1
    table = np.zeros(count * width, dtype=np.bool_)
    table[terms * width + conversations] = True
    return Said(table.reshape(count, width), rows, terms)


def rarities_among_sessions(said: Sequence[Said], rarity: Sequence[float]) -> list[float]:
    """Each term's rarity among the sessions that say any of them; `rarity` is that among memories."""
    sessions = sum(int(np.count_nonzero(one.table.any(axis=0))) for one in said)
    saying = [np.count_nonzero(one.table, axis=1).tolist() for one in said]
    return [
        rarity_among_sessions(sessions, sum(one[term] for one in saying), own)
        for term, own in enumerate(rarity)
    ]


def with_sessions(
    snapshot: Snapshot,
    scores: NDArray[np.float64],
    said: Said,
    rarity: Sequence[float],
    total: float,
) -> NDArray[np.float64]:
    """The scores with what sessions say: `domain.lexical.with_sessions` by rows.

    Added up term after term, as there. `total` is the question's weight.
    """
    if not any(rarity):
        return scores
    whole = np.zeros(said.table.shape[1])
    for says, weight in zip(said.table, rarity, strict=True):
        whole[says] += weight
    own = np.bincount(said.rows, weights=np.array(rarity)[said.terms], minlength=snapshot.size)
    rows = np.flatnonzero((scores > 0.0) & (snapshot.sessions > 0))
    beyond = whole[snapshot.conversations[rows]] - own[rows]
    raised = scores.copy()
    raised[rows] += SAID_IN_SESSION * beyond / total
    return raised


def near_pairs(
    snapshot: Snapshot, mask: Mask, wanted: Collection[int]
) -> Iterator[tuple[int, int, int]]:
    """(earlier row, later row, distance) of the wanted rows: `domain.lexical.beside` by rows."""
    turns = snapshot.turns
    if not len(turns) or len(wanted) < 2:
        return
    rows = turns[mask[turns]]
    is_wanted = np.zeros(snapshot.size, dtype=np.bool_)
    is_wanted[list(wanted)] = True
    chosen = is_wanted[rows]
    conversations, times = snapshot.conversations, snapshot.times[OCCURRED]
    for distance in range(1, len(LENT) + 1):
        places = np.flatnonzero(chosen[distance:] & chosen[:-distance])
        earlier, later = rows[places], rows[places + distance]
        is_near = (conversations[earlier] == conversations[later]) & (
            times[later] - times[earlier] <= LENT_WITHIN_US
        )
        pairs = zip(earlier[is_near].tolist(), later[is_near].tolist(), strict=True)
        yield from ((one, other, distance) for one, other in pairs)


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
