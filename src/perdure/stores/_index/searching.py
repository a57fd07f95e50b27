"""A whole search: both arms over one or several partitions, and the union of their best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.domain.query import Found, Search
from perdure.domain.ranking import Candidate
from perdure.ports.embedder import FloatArray
from perdure.stores._index.arms import (
    Counted,
    best_positions,
    cosines,
    count_terms,
    lexical_scores,
    rarities,
)
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import OCCURRED, Snapshot


class _Gathered(NamedTuple):
    """One partition's part of a search, before statistics of all partitions are known."""

    snapshot: Snapshot
    documents: int
    rows: NDArray[np.int32]
    cosines: FloatArray
    counted: Counted


def search_partitions(
    parts: Iterable[tuple[Snapshot, Mask]], search: Search, *, has_vectors: bool
) -> Found:
    """The union of both arms' best. Each part is a partition and the rows admitted in it.

    The parts are gone through once, so they may be loaded one after the other. Without
    `has_vectors` the vectors in them are not those that the search asks for.
    """
    query = search.vector if has_vectors else None
    gathered = [_gathered(snapshot, mask, query, search.terms) for snapshot, mask in parts]
    considered = sum(part.documents for part in gathered)
    if not considered:
        return Found(candidates=(), considered=0, without_vector=0)
    scores = _scores(gathered, search, considered)
    chosen = _best_by_cosine(gathered, search.limit) | _best_by_score(gathered, scores, search)
    with_vector = sum(len(part.rows) for part in gathered)
    return Found(
        candidates=tuple(_candidates(gathered, scores, chosen)),
        considered=considered,
        without_vector=0 if search.vector is None else considered - with_vector,
    )


def _gathered(
    snapshot: Snapshot, mask: Mask, query: FloatArray | None, terms: Sequence[int]
) -> _Gathered:
    documents = int(np.count_nonzero(mask))
    if query is None:
        rows, found = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    else:
        rows, found = cosines(snapshot.vectors, mask, query)
    counted = count_terms(snapshot, mask, documents, terms)
    return _Gathered(snapshot, documents, rows, found, counted)


def _scores(
    gathered: list[_Gathered], search: Search, considered: int
) -> list[NDArray[np.float64] | None]:
    """Each partition's lexical scores by row; None without a lexical arm."""
    counted = [part.counted for part in gathered]
    length = sum(item.length for item in counted)
    if not search.terms or not length:
        return [None] * len(gathered)
    rarity = rarities(counted, search.terms)
    mean = length / considered
    return [lexical_scores(part.snapshot, part.counted, rarity, mean) for part in gathered]


_Chosen = set[tuple[int, int]]
"""(part, row) pairs."""


def _best_by_cosine(gathered: list[_Gathered], limit: int) -> _Chosen:
    found: list[tuple[float, str, int, int]] = []
    for number, part in enumerate(gathered):
        ids = part.snapshot.ids
        positions = best_positions(part.cosines, limit)
        best = zip(part.rows[positions].tolist(), part.cosines[positions].tolist(), strict=True)
        found.extend((-cosine, ids[row], number, row) for row, cosine in best)
    return _first(found, limit)


def _best_by_score(
    gathered: list[_Gathered], scores: list[NDArray[np.float64] | None], search: Search
) -> _Chosen:
    found: list[tuple[float, str, int, int]] = []
    for number, (part, values) in enumerate(zip(gathered, scores, strict=True)):
        if values is None:
            continue
        rows = np.flatnonzero(values)
        positions = best_positions(values[rows], search.limit)
        ids = part.snapshot.ids
        found.extend(
            (-float(values[row]), ids[row], number, row) for row in rows[positions].tolist()
        )
    return _first(found, search.limit)


def _first(found: list[tuple[float, str, int, int]], limit: int) -> _Chosen:
    found.sort()
    return {(number, row) for _, _, number, row in found[:limit]}


def _candidates(
    gathered: list[_Gathered], scores: list[NDArray[np.float64] | None], chosen: _Chosen
) -> Iterator[Candidate]:
    for number, part in enumerate(gathered):
        rows = np.array([row for where, row in chosen if where == number], dtype=np.int64)
        if not len(rows):
            continue
        snapshot, values = part.snapshot, scores[number]
        places = part.rows.searchsorted(rows)
        lexical = np.zeros(len(rows)) if values is None else values[rows]
        for row, place, score, importance, occurred, accessed in zip(
            rows.tolist(),
            places.tolist(),
            lexical.tolist(),
            snapshot.importance[rows].tolist(),
            snapshot.times[OCCURRED][rows].tolist(),
            snapshot.accessed[rows].tolist(),
            strict=True,
        ):
            has_vector = place < len(part.rows) and part.rows[place] == row
            cosine = float(part.cosines[place]) if has_vector else None
            yield Candidate(snapshot.ids[row], cosine, score, importance, occurred, accessed)
