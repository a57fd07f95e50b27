"""Whether a memory knows when it does not know.

Each question is an answer with a confidence (the score of its best hit, 0 without one), which is
right or wrong. Wrong are answers to what cannot be answered, and answers to others without a piece
of evidence among the first five.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`confidence` in [0, 1], 0 when nothing was given."""

    confidence: float
    is_right: bool
    is_answerable: bool


def risk_coverage_area(confidence: Column, is_right: NDArray[np.bool_]) -> float:
    """Mean share of wrong answers over all coverages, the surest answered first; lower is better.

    Among equal confidences the share of wrong ones is spread evenly, so the order of the questions
    does not matter. Of no questions: 0.

    Source: Geifman and El-Yaniv, NIPS 2017 (selective risk); Geifman et al., ICLR 2019 (the area).
    """
    if not len(confidence):
        return 0.0
    _, group = np.unique(-confidence, return_inverse=True)
    size = np.bincount(group)
    wrong_share = np.bincount(group, weights=~is_right) / size
    order = np.sort(group)
    answered = np.arange(1, len(order) + 1)
    risk: Any = np.cumsum(wrong_share[order]) / answered
    return float(risk.mean())


def told_apart(confidence: Column, is_answerable: NDArray[np.bool_]) -> float:
    """How often a question with an answer has the higher confidence of the two; ties count half.

    The area under the receiver operating characteristic; 0.5 is chance, and what is given when
    there are no questions of one kind.
    """
    yes, no = confidence[is_answerable], np.sort(confidence[~is_answerable])
    if not len(yes) or not len(no):
        return 0.5
    below = np.searchsorted(no, yes, side="left")
    level = np.searchsorted(no, yes, side="right") - below
    return float((below + level / 2).sum() / (len(yes) * len(no)))


def balanced_accuracy(
    confidence: Column, is_answerable: NDArray[np.bool_], threshold: float
) -> float:
    """Mean of the share of answerable questions answered and of the others left unanswered.

    A question is answered when its confidence is above 0 and at least `threshold`.
    """
    answered = (confidence >= threshold) & (confidence > 0.0)
    yes, no = answered[is_answerable], ~answered[~is_answerable]
    return float((yes.mean() + no.mean()) / 2) if len(yes) and len(no) else 0.5


def best_threshold(confidence: Column, is_answerable: NDArray[np.bool_]) -> float:
    """The threshold with the highest balanced accuracy on these very questions; the lowest such."""
    tried = np.unique(np.append(confidence, 0.0))
    values = [balanced_accuracy(confidence, is_answerable, float(one)) for one in tried]
    return float(tried[int(np.argmax(values))])


BANDS = 10


def reliability(
    confidence: Column, is_right: NDArray[np.bool_]
) -> tuple[list[tuple[float, int, int]], float]:
    """What a confidence is worth: for each tenth that holds answers its beginning, how many of them
    are right, and how many there are; and how far on average the confidence lies from that share.

    Questions without any answer (confidence 0) say nothing about scores and are left out. The
    distance is the expected calibration error: 0 for a probability. Of no answers: 0.

    Source: Naeini, Cooper and Hauskrecht, AAAI 2015.
    """
    given = confidence > 0.0
    sure, right = confidence[given], is_right[given]
    band = np.minimum((sure * BANDS).astype(np.intp), BANDS - 1)
    rows = []
    distance = 0.0
    for place in np.unique(band).tolist():
        mine = band == place
        hits, cases = int(right[mine].sum()), int(mine.sum())
        rows.append((place / BANDS, hits, cases))
        distance += abs(float(sure[mine].mean()) - hits / cases) * cases / len(sure)
    return rows, distance
