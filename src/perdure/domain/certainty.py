"""How likely a hit is what was asked for.

What the arms say of a memory (its strength, `domain.ranking`) orders the hits of one question well,
and means something else with every encoder, in a small store and in a large one. Two logistic
curves read it as a probability: that anything stored answers the question, from the best hit, and,
if so, that this hit does, from its strength beside its rivals'. Their product is the probability.
Both are fitted by `training/relevance`; the figures are in docs/decisions/0021-certainty.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import exp, log, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perdure.errors import Misconfigured

FloatColumn = NDArray[np.float64]

RIVALS = 5
"""So many of the best compete for being the one."""
_LEAST, _MOST = 1e-3, 0.97
"""Strengths beyond say nothing more: their logarithms would."""
_FEWEST, _HUNDRED, _MOST_CROWDED = 10, 100, 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Log odds that something stored answers, from the strength of the best hit.

    `best` weighs its log odds, `crowd` log10(memories in question / 100).
    """

    constant: float
    best: float
    crowd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TheOne:
    """Log odds that a hit is evidence, if anything is.

    `own` weighs its own log odds, `best` those of the best hit, `rivals` the logarithm of the best
    five's odds together, `first` whether none is stronger, `crowd` as in `Answered`. `own` is above
    and `first` at least 0: the order is never changed.
    """

    constant: float
    own: float
    best: float
    rivals: float
    first: float
    crowd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """The two curves for what one kind of witness says, and the witness's name."""

    name: str
    answered: Answered
    the_one: TheOne

    def __post_init__(self) -> None:
        if not self.the_one.own > 0.0 or not self.the_one.first >= 0.0:
            raise Misconfigured(
                f"the certainty of {self.name} would change the order of hits: `own` must be above "
                "0 and `first` at least 0"
            )

    def answers(self, best: float, considered: int) -> float:
        """The probability that something stored answers, from the strength of the best hit."""
        x = min(max(best, _LEAST), _MOST)
        curve = self.answered
        log_odds = (
            curve.constant + curve.best * log(x / (1.0 - x)) + curve.crowd * _crowd(considered)
        )
        return 1.0 / (1.0 + exp(-log_odds))

    def of(self, strengths: FloatColumn, considered: int) -> FloatColumn:
        """The probability of each hit, best first as the strengths are; falling like them."""
        if not len(strengths):
            return strengths
        clipped = np.clip(strengths, _LEAST, _MOST)
        odds = clipped / (1.0 - clipped)
        own = np.log(odds)
        curve = self.the_one
        shared = (
            curve.constant
            + curve.best * own[0]
            + curve.rivals * np.log(odds[:RIVALS].sum())
            + curve.crowd * _crowd(considered)
        )
        likelihood = shared + curve.own * own + curve.first * (strengths == strengths[0])
        found: FloatColumn = self.answers(float(strengths[0]), considered) / (
            1.0 + np.exp(-likelihood)
        )
        return found

    def as_document(self) -> dict[str, Any]:
        """The coefficients as JSON values."""
        return {
            "answered": {part.name: getattr(self.answered, part.name) for part in fields(Answered)},
            "the_one": {part.name: getattr(self.the_one, part.name) for part in fields(TheOne)},
        }


def certainty_from(name: str, document: Mapping[str, Mapping[str, float]]) -> Certainty:
    """The certainty that `as_document` wrote; further entries are for people to read."""
    return Certainty(
        name=name,
        answered=Answered(**document["answered"]),
        the_one=TheOne(**document["the_one"]),
    )


def _crowd(considered: int) -> float:
    return log10(min(max(considered, _FEWEST), _MOST_CROWDED) / _HUNDRED)
