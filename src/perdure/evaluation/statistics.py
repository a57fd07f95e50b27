"""How sure a figure is: intervals that hold the true value in 95 of 100 samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Sums = NDArray[np.float64]
"""One row of counts per sample."""
Places = NDArray[np.intp]
"""Which items a sample drew."""

RESAMPLES = 2000
SEED = 20240229


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value with its interval. `hits` is set where it is a share of the `cases`.

    A count has no interval.
    """

    value: float
    cases: int
    hits: int | None = None
    low: float | None = None
    high: float | None = None


def share(hits: int, cases: int) -> Figure:
    """`hits` of `cases`, with Wilson's interval. Of no cases: 0, with nothing known."""
    low, high = wilson(hits, cases)
    value = hits / cases if cases else 0.0
    return Figure(value=value, hits=hits, cases=cases, low=low, high=high)


def count(number: int, cases: int) -> Figure:
    """A plain number of things found in so many cases."""
    return Figure(value=float(number), cases=cases)


def wilson(hits: int, cases: int) -> tuple[float, float]:
    """The 95 % score interval of a share (Wilson, 1927)."""
    if not cases:
        return 0.0, 1.0
    z = 1.96
    share = hits / cases
    middle = share + z * z / (2 * cases)
    spread = z * math.sqrt(share * (1 - share) / cases + z * z / (4 * cases * cases))
    scale = 1 + z * z / cases
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def mean_of_shares(groups: Sequence[tuple[int, int]]) -> Figure:
    """The mean of the shares of several groups, each given as hits and cases and counting the same.

    The interval is normal. A group's variance is p(1 - p) / cases with p = (hits + 1/2) / (cases +
    1), because the plain share of a small group that is all hits would claim to be certain (and
    drawing its few cases anew, as a bootstrap does, would claim so too).
    """
    if not groups:
        return Figure(value=0.0, cases=0, low=0.0, high=1.0)
    value = sum(hits / cases for hits, cases in groups) / len(groups)
    smoothed = [((hits + 0.5) / (cases + 1), cases) for hits, cases in groups]
    variance = sum(p * (1 - p) / cases for p, cases in smoothed) / len(groups) ** 2
    spread = 1.96 * math.sqrt(variance)
    return Figure(
        value=value,
        cases=sum(cases for _, cases in groups),
        low=max(0.0, value - spread),
        high=min(1.0, value + spread),
    )


def bootstrapped(
    rows: Sequence[Sequence[float]],
    statistic: Callable[[Sums], Sums],
    *,
    strata: Sequence[Hashable] | None = None,
) -> Figure:
    """A figure made from counts summed over items, with the interval of a percentile bootstrap.

    `rows` holds the counts of each item; `statistic` takes sums of such rows, one per sample, and
    gives one value each. With `strata`, one per item, each sample draws as many items of every
    stratum as there are. The seed is fixed, so the same items give the same interval.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13.
    """
    table = np.asarray(rows, dtype=np.float64)
    if not len(table):
        return Figure(value=0.0, cases=0, low=0.0, high=1.0)
    groups = _groups(len(table), strata)
    chance = np.random.default_rng(SEED)
    sums = np.zeros((RESAMPLES, table.shape[1]))
    for members in groups:
        weights = chance.multinomial(
            len(members), np.full(len(members), 1 / len(members)), size=RESAMPLES
        )
        sums += weights @ table[members]
    low, high = np.quantile(statistic(sums), (0.025, 0.975))
    value = float(statistic(table.sum(axis=0, keepdims=True))[0])
    return Figure(value=value, cases=len(table), low=float(low), high=float(high))


def resampled(size: int, statistic: Callable[[Places], float], *, samples: int = 300) -> Figure:
    """A figure that is no sum over items, of the items with these indices, by the same bootstrap.

    `statistic` is given the places of the items drawn, in no particular order.
    """
    if not size:
        return Figure(value=0.0, cases=0, low=0.0, high=1.0)
    chance = np.random.default_rng(SEED)
    drawn = [statistic(chance.integers(size, size=size)) for _ in range(samples)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Figure(value=statistic(np.arange(size)), cases=size, low=float(low), high=float(high))


def _groups(size: int, strata: Sequence[Hashable] | None) -> list[list[int]]:
    if strata is None:
        return [list(range(size))]
    groups: dict[Hashable, list[int]] = {}
    for place, stratum in enumerate(strata):
        groups.setdefault(stratum, []).append(place)
    return list(groups.values())


def f1(right: Sums, found: Sums, wanted: Sums) -> Sums:
    """2 · precision · recall / (precision + recall) from counts; 0 where nothing is right.

    Written 2 · right / (found + wanted), which is the same and needs no special case.
    """
    both = found + wanted
    return np.divide(2 * right, both, out=np.zeros_like(both), where=both > 0)
