"""Half-lives, recency, frequency and decay, with values worked by hand."""

from datetime import timedelta
from math import e, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.decay import (
    decayed_importance,
    frequency,
    half_life_days,
    recency,
    relevance_to_now,
)

DAY = timedelta(days=1)


@pytest.mark.parametrize(("importance", "days"), [(0.0, 7.0), (0.5, 17.5), (1.0, 28.0)])
def test_importance_stretches_the_half_life(importance, days):
    assert half_life_days(importance) == pytest.approx(days)


@pytest.mark.parametrize(
    ("age_days", "value"), [(0, 1.0), (7, 0.5), (14, 0.25), (3.5, 0.70710678), (-3, 1.0)]
)
def test_recency_halves_with_every_half_life(age_days, value):
    assert recency(age_days, half_life=7.0) == pytest.approx(value)


@pytest.mark.parametrize(
    ("count", "value"),
    [
        (0, 0.0),
        (1, 0.23137821),  # ln 2 / ln 20
        (4, 0.53724357),  # ln 5 / ln 20
        (19, 1.0),
        (20, 1.0),
        (10**6, 1.0),
        (-1, 0.0),
    ],
)
def test_frequency_rises_with_the_logarithm_up_to_one(count, value):
    assert frequency(count) == pytest.approx(value)


@pytest.mark.parametrize(
    ("importance", "days", "count", "value"),
    [
        (1.0, 0, 0, 1.0),
        (1.0, 0, 1, 1.0),
        (0.8, 7, 1, 0.8 / e),
        (0.8, 14, 10, 0.8 / e**2 * (1 + 0.1 * log(10))),
        (0.5, -3, 0, 0.5),
        (0.0, 0, 50, 0.0),
    ],
)
def test_relevance_to_now(importance, days, count, value):
    assert relevance_to_now(importance, days * DAY, count) == pytest.approx(value)


def test_relevance_to_now_does_not_grow_with_age():
    # The source's article let an age term grow without bound.
    values = [relevance_to_now(0.5, days * DAY, 3) for days in range(0, 400, 20)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("importance", "idle_days", "value"),
    [
        (0.8, 0, 0.8),
        (0.8, 7, 0.8),
        (0.8, 8, 0.8 * 0.99),
        (0.8, 37, 0.8 * 0.99**30),
        (0.8, 10_000, 0.1),
        (0.05, 10_000, 0.05),
        (0.1, 10_000, 0.1),
    ],
)
def test_importance_decays_after_a_grace_period_down_to_a_floor(importance, idle_days, value):
    assert decayed_importance(importance, idle_days * DAY) == pytest.approx(value)


def test_rate_grace_and_floor_are_settable():
    decayed = decayed_importance(1.0, 12 * DAY, daily_rate=0.5, grace=10 * DAY, min_threshold=0.2)
    assert decayed == pytest.approx(0.25)
    floored = decayed_importance(1.0, 20 * DAY, daily_rate=0.5, grace=10 * DAY, min_threshold=0.2)
    assert floored == pytest.approx(0.2)


@given(st.floats(0, 1), st.floats(0, 4000), st.floats(0, 400))
def test_decay_never_raises_and_never_falls_further_than_time(importance, days, more):
    now = decayed_importance(importance, days * DAY)
    later = decayed_importance(importance, (days + more) * DAY)
    assert 0.0 <= later <= now <= importance
