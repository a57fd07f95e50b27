"""How sure the figures are."""

from __future__ import annotations

import numpy as np
import pytest

from perdure.evaluation.statistics import (
    Sums,
    bootstrapped,
    count,
    f1,
    mean_of_shares,
    share,
    wilson,
)


def ratio(sums: Sums) -> Sums:
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)


def test_wilsons_bounds_are_those_of_the_textbook() -> None:
    # 81 of 263: Newcombe (1998), table I, method 3.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_the_bounds_hold_the_share_and_narrow_with_cases() -> None:
    low, high = wilson(19, 20)
    assert low < 0.95 < high
    assert wilson(190, 200)[0] > low


def test_the_bounds_stay_within_what_a_share_can_be() -> None:
    assert wilson(0, 5)[0] == 0.0
    assert wilson(67, 67)[1] == pytest.approx(1.0)


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert (share(0, 0).value, share(0, 0).low, share(0, 0).high) == (0.0, 0.0, 1.0)
    assert bootstrapped([], ratio).cases == 0


def test_a_count_has_no_interval() -> None:
    assert (count(3, 50).value, count(3, 50).low) == (3.0, None)


def test_a_share_by_bootstrap_is_near_wilsons() -> None:
    figure = bootstrapped([[1, 1]] * 30 + [[0, 1]] * 10, ratio)
    low, high = wilson(30, 40)
    assert figure.value == 0.75
    assert figure.low == pytest.approx(low, abs=0.04)
    assert figure.high == pytest.approx(high, abs=0.04)


def test_the_same_items_give_the_same_interval() -> None:
    rows = [[i % 2, 1] for i in range(25)]
    assert bootstrapped(rows, ratio) == bootstrapped(rows, ratio)


def test_samples_keep_the_size_of_every_stratum() -> None:
    rows = [[1, 1, 0]] * 3 + [[0, 0, 1]] * 5
    figure = bootstrapped(rows, lambda sums: sums[:, 2] - sums[:, 1], strata=["a"] * 3 + ["b"] * 5)
    assert (figure.low, figure.value, figure.high) == (2, 2, 2)


def test_a_mean_of_shares_counts_every_group_the_same() -> None:
    figure = mean_of_shares([(1, 2), (10, 10)])
    assert (figure.value, figure.cases) == (0.75, 12)
    # Variances 1/2 * 1/2 / 2 and 21/22 * 1/22 / 10, over 2 squared.
    spread = 1.96 * ((0.125 + 21 / 484 / 10) / 4) ** 0.5
    assert figure.low == pytest.approx(0.75 - spread)
    assert figure.high == 1.0


def test_small_groups_that_are_all_hits_are_not_certain() -> None:
    figure = mean_of_shares([(1, 1)] * 6)
    assert figure.value == 1.0
    assert figure.low is not None
    assert figure.low < 0.7
    assert mean_of_shares([]).cases == 0


def test_f1_is_the_harmonic_mean_and_zero_of_nothing() -> None:
    right, found, wanted = (np.array([[n]], dtype=np.float64) for n in (3.0, 4.0, 6.0))
    assert f1(right, found, wanted)[0, 0] == pytest.approx(2 * 0.75 * 0.5 / 1.25)
    nothing = np.zeros((1, 1))
    assert f1(nothing, nothing, nothing)[0, 0] == 0
