"""A whole search: both arms over one or several partitions, and the union of their best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.domain.lexical import Beside, added
from perdure.domain.query import Found, Search
from perdure.domain.ranking import Candidate
from perdure.ports.embedder import FloatArray
from perdure.stores._index.arms import (
    Counted,
    Said,
    best_positions,
    cosines,
    count_terms,
    lexical_scores,
    near_pairs,
    rarities,
    rarities_among_sessions,
    said_in_sessions,
    with_neighbours,
    with_sessions,
)
from perdure.stores._index.columns import Mask
from perdure.stores._index.partition import HAN, OCCURRED, Snapshot


class _Gathered(NamedTuple):
    """One partition's part of a search, before statistics of all partitions are known."""

    snapshot: Snapshot
    mask: Mask
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
    rarity = rarities([part.counted for part in gathered], len(search.terms))
    scores = _scores(gathered, rarity, considered)
    chosen = [
        one | other
        for one, other in zip(
            _best_by_cosine(gathered, search.limit),
            _best_by_score(gathered, scores, search.limit),
            strict=True,
        )
    ]
    with_vector = sum(len(part.rows) for part in gathered)
    return Found(
        candidates=tuple(_candidates(gathered, scores, chosen)),
        considered=considered,
        without_vector=0 if search.vector is None else considered - with_vector,
        rarities=tuple(rarity),
        beside=frozenset(_beside(gathered, chosen)),
    )


def _beside(gathered: list[_Gathered], chosen: Chosen) -> Iterator[Beside]:
    """The chosen turns that stand near one another."""
    for part, wanted in zip(gathered, chosen, strict=True):
        ids = part.snapshot.ids
        for earlier, later, distance in near_pairs(part.snapshot, part.mask, wanted):
            yield Beside(ids[earlier], ids[later], distance)


def _gathered(
    snapshot: Snapshot, mask: Mask, query: FloatArray | None, terms: Sequence[int]
) -> _Gathered:
    documents = int(np.count_nonzero(mask))
    if query is None:
        rows, found = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    else:
        rows, found = cosines(snapshot.vectors, mask, query)
    counted = count_terms(snapshot, mask, documents, terms)
    return _Gathered(snapshot, mask, documents, rows, found, counted)


Scores = list[NDArray[np.float64] | None]
"""Each partition's lexical scores by row; None where there are none."""


def _scores(gathered: list[_Gathered], rarity: Sequence[float], considered: int) -> Scores:
    counted = [part.counted for part in gathered]
    length = sum(item.length for item in counted)
    if not length or not any(len(item.rows) for item in counted):
        return [None] * len(gathered)
    mean, total = length / considered, added(rarity)
    said = [said_in_sessions(part.snapshot, part.counted, len(rarity)) for part in gathered]
    among_sessions = rarities_among_sessions(said, rarity)

    def scored(part: _Gathered, said: Said) -> NDArray[np.float64]:
        own = lexical_scores(part.snapshot, part.counted, rarity, total, mean)
        lent = with_neighbours(part.snapshot, part.mask, own)
        return with_sessions(part.snapshot, lent, said, among_sessions, total)

    return [scored(part, of) for part, of in zip(gathered, said, strict=True)]


Chosen = list[set[int]]
"""The rows chosen in each partition."""


class _Ranked(NamedTuple):
    """One partition's rows with the highest values, and those values."""

    rows: NDArray[np.int64] | NDArray[np.int32]
    values: NDArray[np.float64] | FloatArray


def _best_by_cosine(gathered: list[_Gathered], limit: int) -> Chosen:
    best = (best_positions(part.cosines, limit) for part in gathered)
    ranked = [
        _Ranked(part.rows[positions], part.cosines[positions])
        for part, positions in zip(gathered, best, strict=True)
    ]
    return _first(gathered, ranked, limit)


def _best_by_score(gathered: list[_Gathered], scores: Scores, limit: int) -> Chosen:
    ranked: list[_Ranked] = []
    for values in scores:
        if values is None:
            ranked.append(_Ranked(_NO_ROWS, np.empty(0)))
            continue
        rows = np.flatnonzero(values)
        found = values[rows]
        positions = best_positions(found, limit)
        ranked.append(_Ranked(rows[positions], found[positions]))
    return _first(gathered, ranked, limit)


_NO_ROWS = np.empty(0, dtype=np.int64)


def _first(gathered: list[_Gathered], ranked: list[_Ranked], limit: int) -> Chosen:
    """The `limit` rows of all partitions with the highest values, ties by id."""
    if sum(len(part.rows) for part in ranked) <= limit:
        return [set(part.rows.tolist()) for part in ranked]
    found: list[tuple[float, str, int, int]] = []
    for number, (part, of) in enumerate(zip(ranked, gathered, strict=True)):
        ids = of.snapshot.ids
        both = zip(part.rows.tolist(), part.values.tolist(), strict=True)
        found.extend((-value, ids[row], number, row) for row, value in both)
    found.sort()
    chosen: Chosen = [set() for _ in ranked]
    for _, _, number, row in found[:limit]:
        chosen[number].add(row)
    return chosen


def _candidates(gathered: list[_Gathered], scores: Scores, chosen: Chosen) -> Iterator[Candidate]:
    for part, values, wanted in zip(gathered, scores, chosen, strict=True):
        if not wanted:
            continue
        rows = np.array(sorted(wanted), dtype=np.int64)
        snapshot = part.snapshot
        yield from map(
            Candidate,
            map(snapshot.ids.__getitem__, rows.tolist()),
            _cosines_of(part, rows),
            [0.0] * len(rows) if values is None else values[rows].tolist(),
            snapshot.importance[rows].tolist(),
            snapshot.times[OCCURRED][rows].tolist(),
            snapshot.accessed[rows].tolist(),
            ((snapshot.flags[rows] & HAN) != 0).tolist(),
        )


def _cosines_of(part: _Gathered, rows: NDArray[np.int64]) -> list[float | None]:
    """The rows' cosines; None for those without vectors."""
    if not len(part.rows):
        return [None] * len(rows)
    places = np.minimum(part.rows.searchsorted(rows), len(part.rows) - 1)
    is_there = part.rows[places] == rows
    cosines: list[float | None] = part.cosines[places].tolist()
    if is_there.all():
        return cosines
    return [
        cosine if there else None for cosine, there in zip(cosines, is_there.tolist(), strict=True)
    ]
