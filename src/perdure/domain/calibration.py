"""How an encoder's cosine reads as relevance.

Encoders put unrelated texts at different cosines (0.0 for a scripted one, about 0.3 for a small
multilingual one), so a raw cosine means nothing across encoders. A calibration maps it to a
relevance in [0, 1] through a few anchor points.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import inf, log

from perdure.domain.certainty import Certainty

Anchors = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A rising, piecewise linear map from cosine to relevance.

    `anchors` are (cosine, relevance) pairs, both rising; below the first the relevance is the
    first's, above the last the last's. `noise` is the cosine up to which a pair says nothing: a
    hit found by its vector alone must exceed it. None means the encoder is not calibrated: every
    neighbour counts as a candidate.

    `beside_words` are the anchors in force when some memory says the question's words (None: the
    same ones). A small encoder is the weaker witness there: counted in full, it would push what
    only sounds alike above what says the very words. They are read as of `CROWD_FROM` memories
    in question; among more, `odds_in_crowd` takes off what is alike by chance.

    `noise_among_few` takes the place of `noise` among ten memories or fewer, with a gradual change
    up to a hundred (None: the same): the nearest of many is near by chance, one of a few is not.

    `noise_across` takes the place of `noise` where the memory is in another script than the
    question (None: the same): translations lie farther apart, and so do texts that have nothing in
    common.

    `certainty` reads what both arms say together as a probability, for embedders that the package
    has none of (`engine/certainties.json`); None: it is taken as it is.
    """

    anchors: Anchors = ((0.0, 0.0), (1.0, 1.0))
    noise: float | None = None
    beside_words: Anchors | None = None
    noise_across: float | None = None
    noise_among_few: float | None = None
    certainty: Certainty | None = None

    def noise_among(self, considered: int) -> float:
        """The cosine up to which a pair says nothing, among so many memories; -inf without one."""
        if self.noise is None:
            return -inf
        if self.noise_among_few is None:
            return self.noise
        return self.noise + share_of_few(considered) * (self.noise_among_few - self.noise)

    def relevance(self, cosine: float) -> float:
        """Relevance in [0, 1] of a pair with this cosine."""
        anchors = self.anchors
        right = bisect_right(anchors, (cosine, float("inf")))
        if right == 0:
            return anchors[0][1]
        if right == len(anchors):
            return anchors[-1][1]
        (x0, y0), (x1, y1) = anchors[right - 1], anchors[right]
        return y0 + (y1 - y0) * (cosine - x0) / (x1 - x0)


STRAY_WORDS, TELLING_WORDS = 0.1, 0.2
"""Best share of a question's weight (`domain.lexical.lexical_score`) up to which the words in common
are strays, as between two languages, and from which on they tell; in between the two blend."""


def weight_of_words(best_lexical_score: float) -> float:
    """How far `beside_words` is in force, in [0, 1], for a question's best lexical score."""
    share = (best_lexical_score - STRAY_WORDS) / (TELLING_WORDS - STRAY_WORDS)
    return min(1.0, max(0.0, share))


CROWD_FROM, CROWD_UP_TO = 100, 1_000


def odds_in_crowd(considered: int) -> float:
    """By what the odds of a cosine's relevance shrink among so many memories, in (0, 1].

    The more there are, the nearer the nearest one is by chance. (100 / n)², and 1 up to a hundred
    memories; beyond a thousand it stays. Twice the exponent that chance alone would give: long
    conversations stay on one subject, so that much is alike. Fitted on hand-written pairs (100
    and 200 memories) and on conversations of 400 to 700 turns: docs/decisions/0002-embedders.md.
    """
    return (CROWD_FROM / min(max(considered, CROWD_FROM), CROWD_UP_TO)) ** 2


FEW, MANY = 10, 100


def share_of_few(considered: int) -> float:
    """How far so many memories are few, in [0, 1]: one up to ten, nothing from a hundred on, in
    between falling with the logarithm of their number. Of an unknown number (0) nothing."""
    if not 0 < considered < MANY:
        return 0.0
    return min(1.0, log(MANY / considered) / log(MANY / FEW))


UNCALIBRATED = Calibration()
"""The cosine itself, clipped at zero; every neighbour is a candidate."""
