"""How good a ranking is. Every measure takes ids best first, without repeats, and the ids wanted.

Four formulas of a line each, so that a rerun needs no further package; the tests work examples by
hand. Sources: Jarvelin and Kekalainen, TOIS 20(4), 2002 (NDCG, binary gain); Voorhees, TREC-8, 1999
(reciprocal rank).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2


def any_at(ranked: Sequence[str], wanted: Collection[str], depth: int) -> float:
    """1 when one of the first `depth` is wanted, else 0."""
    return float(any(item in wanted for item in ranked[:depth]))


def recall_at(ranked: Sequence[str], wanted: Collection[str], depth: int) -> float:
    """Share of the wanted among the first `depth`."""
    return sum(item in wanted for item in ranked[:depth]) / len(wanted)


def ndcg_at(ranked: Sequence[str], wanted: Collection[str], depth: int) -> float:
    """Gain 1 each, discounted by log2(rank + 1), by the most that could be had."""
    gained = sum(
        1.0 / log2(place + 1) for place, item in enumerate(ranked[:depth], 1) if item in wanted
    )
    best = sum(1.0 / log2(place + 1) for place in range(1, min(len(wanted), depth) + 1))
    return gained / best


def reciprocal_rank(ranked: Sequence[str], wanted: Collection[str], depth: int) -> float:
    """1 by the rank of the first wanted one within `depth`, or 0."""
    return next(
        (1.0 / place for place, item in enumerate(ranked[:depth], 1) if item in wanted), 0.0
    )
