"""Spaced repetition, worked by hand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.records import NEW_STRENGTH, Strength
from perdure.domain.resting import lifeline_of, touched_at
from perdure.domain.strength import (
    MAX_EASE,
    MIN_EASE,
    SPACED,
    Decay,
    ease_after,
    retention,
    reviewed,
    strength_at,
)
from perdure.testing import a_memory

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("quality", "ease"),
    [(5, 2.1), (4, 2.0), (3, 1.86), (2, 1.68), (1, 1.46), (0, 1.3)],
)
def test_ease_follows_the_quality_of_a_review(quality, ease):
    # 2.0 + 0.1 - (5 - q)(0.08 + (5 - q) 0.02); quality 0 would give 1.2 and is bounded.
    assert ease_after(2.0, quality) == pytest.approx(ease)


def test_ease_stays_within_its_bounds():
    assert ease_after(2.5, 5) == MAX_EASE
    assert ease_after(1.3, 0) == MIN_EASE


def test_a_remembered_review_multiplies_the_interval_by_the_ease():
    first = reviewed(NEW_STRENGTH, quality=4, now=NOON)
    assert first == Strength(
        ease=2.5, interval_days=2.5, repetitions=1, due_at=NOON + timedelta(days=2.5)
    )
    second = reviewed(first, quality=3, now=NOON + timedelta(days=2))
    assert second.ease == pytest.approx(2.36)
    assert second.interval_days == pytest.approx(2.5 * 2.36)
    assert second.repetitions == 2


def test_a_lapse_halves_the_interval_and_starts_again():
    strength = Strength(ease=2.0, interval_days=10.0, repetitions=4)
    lapsed = reviewed(strength, quality=1, now=NOON)
    assert lapsed.interval_days == 5.0
    assert lapsed.repetitions == 0
    assert lapsed.ease == pytest.approx(1.46)
    assert lapsed.due_at == NOON + timedelta(days=5)


@given(st.floats(1.3, 2.5), st.floats(1, 500), st.integers(0, 5))
def test_intervals_and_ease_stay_sane(ease, interval, quality):
    before = Strength(ease=ease, interval_days=interval)
    after = reviewed(before, quality=quality, now=NOON)
    assert MIN_EASE <= after.ease <= MAX_EASE
    assert after.interval_days >= 1.0
    assert (after.interval_days >= interval) == (quality >= 3 or interval == 1.0)


@pytest.mark.parametrize(
    ("strength", "importance", "days", "left"),
    [
        (NEW_STRENGTH, 0.0, 7, 0.5),
        (NEW_STRENGTH, 1.0, 28, 0.5),
        (NEW_STRENGTH, 1.0, 0, 1.0),
        (NEW_STRENGTH, 1.0, -5, 1.0),
        (Strength(interval_days=2.0), 0.0, 14, 0.5),
        (Strength(interval_days=0.2), 0.0, 7, 0.5),
        (Strength(interval_days=10.0), 0.0, 7, 0.5**0.1),
    ],
)
def test_retention_halves_with_a_half_life_that_reviews_stretch(strength, importance, days, left):
    idle = timedelta(days=days)
    assert retention(strength, idle=idle, importance=importance) == pytest.approx(left)


def test_reviews_within_a_day_count_once():
    first = reviewed(NEW_STRENGTH, quality=5, now=NOON)
    for hours in (0, 1, 23):
        later = NOON + timedelta(hours=hours)
        again = reviewed(first, quality=5, now=later)
        assert (again.interval_days, again.repetitions, again.ease) == (2.5, 1, 2.5)
        assert again.due_at == later + timedelta(days=2.5)
    assert reviewed(first, quality=5, now=NOON + timedelta(days=1)).interval_days == 6.25


def test_many_calls_in_a_moment_make_nothing_last_for_ever():
    strength = NEW_STRENGTH
    for _ in range(1000):
        strength = reviewed(strength, quality=5, now=NOON)
    assert strength.interval_days == 2.5


def a_line(**fields):
    return replace(lifeline_of(a_memory(at=NOON)), **fields)


@pytest.mark.parametrize(
    ("importance", "interval", "days", "left"),
    [
        # importance × 0.5^(days / ((7 + 21 × importance) × interval))
        (0.0, 1.0, 0, 0.0),
        (1.0, 1.0, 0, 1.0),
        (1.0, 1.0, 28, 0.5),
        (0.5, 1.0, 17.5, 0.25),
        (0.5, 2.0, 17.5, 0.5 * 0.5**0.5),
        (0.5, 1.0, -9, 0.5),
    ],
)
def test_the_strength_that_is_left_worked_by_hand(importance, interval, days, left):
    line = a_line(importance=importance, interval_days=interval)
    assert strength_at(line, NOON + timedelta(days=days), SPACED) == pytest.approx(left)


@pytest.mark.parametrize(
    ("importance", "days", "left"),
    [
        (0.5, 7, 0.5),
        (0.5, 8, 0.495),
        (0.5, 107, 0.5 * 0.99**100),
        (0.5, 1000, 0.1),
        (0.05, 9, 0.05),
    ],
)
def test_the_daily_decay_worked_by_hand(importance, days, left):
    line = a_line(importance=importance, interval_days=100.0)
    moment = NOON + timedelta(days=days)
    assert strength_at(line, moment, Decay(model="daily")) == pytest.approx(left)


@given(
    st.floats(0, 1), st.floats(1, 100), st.floats(0, 400), st.floats(0, 400),
    st.sampled_from(("spaced", "daily")),
)  # fmt: skip
def test_being_recalled_never_shortens_a_life(importance, interval, recalled, looked, model):
    line = a_line(importance=importance, interval_days=interval)
    touched = replace(line, touched_at=NOON + timedelta(days=recalled))
    moment = NOON + timedelta(days=recalled + looked)
    decay = Decay(model=model)
    assert strength_at(touched, moment, decay) >= strength_at(line, moment, decay)


@given(st.floats(0, 1), st.floats(0, 400))
def test_importance_lengthens_the_life(importance, days):
    moment = NOON + timedelta(days=days)
    weak, strong = (a_line(importance=value) for value in (importance / 2, importance))
    assert strength_at(strong, moment, SPACED) >= strength_at(weak, moment, SPACED)


@given(st.floats(0, 1), st.floats(1, 100), st.floats(0, 400))
def test_a_lapse_never_lengthens_a_life(importance, interval, days):
    before = Strength(interval_days=interval, repetitions=3, due_at=NOON + timedelta(days=interval))
    memory = a_memory(at=NOON, importance=importance, strength=before)
    lapsed = replace(memory, strength=reviewed(before, quality=1, now=NOON))
    moment = NOON + timedelta(days=days)
    assert touched_at(lapsed) <= touched_at(memory)
    assert strength_at(lifeline_of(lapsed), moment, SPACED) <= strength_at(
        lifeline_of(memory), moment, SPACED
    )
