"""Spaced repetition, worked by hand."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.records import NEW_STRENGTH, Strength
from perdure.domain.strength import MAX_EASE, MIN_EASE, ease_after, retention, reviewed

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
    second = reviewed(first, quality=3, now=NOON)
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
