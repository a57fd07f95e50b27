"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from perdure.domain.late_interaction import WEIGHT

Number = TypeVar("Number", float, NDArray[np.float64])

RRF_K = 60
LEXICAL_HALF = 0.5
SAID_HALF = 1.5


def reciprocal_rank(rankings: Sequence[Sequence[str]], *, k: int = RRF_K) -> dict[str, float]:
    """Merge rankings by reciprocal rank.

    Each ranking is best-first and free of repeats. A result's weight is the sum of
    1 / (k + rank) over the rankings that contain it, rank counted from 1, so it lies in
    (0, len(rankings) / (k + 1)]. Kept as a baseline: with equal weights it loses to its better
    arm when the other is weak.

    Source: Cormack, Clarke and Buettcher, SIGIR 2009; k = 60 is their setting.
    """
    merged: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            merged[item] = merged.get(item, 0.0) + 1.0 / (k + rank)
    return merged


def lexical_relevance(score: Number) -> Number:
    """Relevance in [0, 1) of a normalised BM25 score (`domain.lexical.lexical_score`), 0 and up.

    score / (score + 0.5): half of the question's weight answered reads as 0.5, all of it as 0.67,
    the most that its own words can give a memory (1.5) as 0.75. Strictly rising, so it keeps the order.
    """
    return score / (score + LEXICAL_HALF)


def said_relevance(lexical: Number, tokens: Number) -> Number:
    """Relevance in [0, 1) of words in common (`lexical`) and words alike (`tokens`, the evidence of
    `domain.late_interaction`) together; strictly rising in both.

    With e = lexical + 5 × tokens it is e / (e + 1.5).
    """
    both = lexical + WEIGHT * tokens
    return both / (both + SAID_HALF)


def relevance(vector: Number, lexical: Number) -> Number:
    """Both arms together, in [0, 1]: 1 − (1 − vector)(1 − lexical). Also for columns.

    Each argument is an arm's relevance. One arm alone keeps its own value, and neither can lower
    what the other found, so a weak arm never hides a strong one's hit.
    """
    return 1.0 - (1.0 - vector) * (1.0 - lexical)
