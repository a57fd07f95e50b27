"""What feedback does to importance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.feedback import (
    CEILING,
    CONFIDENCE_FLOOR,
    FLOOR,
    STEP,
    adjusted_confidence,
    adjusted_importance,
    after_feedback,
)
from perdure.testing import NOON, a_memory


@pytest.mark.parametrize(
    ("used", "helpful", "expected"),
    [
        (False, None, 0.5),
        (True, None, 0.525),
        (False, True, 0.525),
        (True, True, 0.55),
        (False, False, 0.45),
        (True, False, 0.475),
    ],
)
def test_importance_moves_by_at_most_a_step(used, helpful, expected):
    memory = a_memory(importance=0.5)
    assert adjusted_importance(memory, used=used, helpful=helpful) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("importance", "used", "helpful", "expected"),
    [
        (0.94, True, True, CEILING),
        (0.99, True, True, 0.99),
        (0.06, False, False, FLOOR),
        (0.01, False, False, 0.01),
        (1.0, False, False, 0.95),
        (0.0, True, True, 0.05),
    ],
)
def test_importance_stays_within_bounds_it_was_in(importance, used, helpful, expected):
    memory = a_memory(importance=importance)
    assert adjusted_importance(memory, used=used, helpful=helpful) == pytest.approx(expected)


@given(st.floats(0, 1), st.booleans(), st.sampled_from((None, True, False)))
def test_feedback_never_leaves_the_unit_interval(importance, used, helpful):
    after = adjusted_importance(a_memory(importance=importance), used=used, helpful=helpful)
    assert 0.0 <= after <= 1.0
    assert abs(after - importance) <= STEP + 1e-9


def test_being_wrong_takes_two_steps_and_three_tenths_of_the_confidence():
    memory = a_memory(importance=0.5, confidence=1.0, used_count=3)
    after = after_feedback(memory, used=True, helpful=None, wrong=True, now=NOON)
    assert after.importance == pytest.approx(0.4)
    assert after.confidence == pytest.approx(0.7)
    assert after.used_count == 3
    assert after.strength.repetitions == 0
    assert after.strength.ease == pytest.approx(1.96)


def test_many_calls_stay_within_bounds():
    memory = a_memory(importance=0.5, confidence=0.9)
    for _ in range(100):
        memory = after_feedback(memory, used=False, helpful=None, wrong=True, now=NOON)
    assert memory.importance == FLOOR
    assert memory.confidence == CONFIDENCE_FLOOR
    assert memory.strength.interval_days == 1.0
    for _ in range(100):
        memory = after_feedback(memory, used=True, helpful=True, wrong=False, now=NOON)
    assert memory.importance == CEILING
    assert memory.confidence == CONFIDENCE_FLOOR
    assert memory.strength.interval_days <= 2.5
    assert memory.used_count == 100


@pytest.mark.parametrize("confidence", [0.0, 0.05])
def test_what_nobody_vouches_for_cannot_be_trusted_less(confidence):
    assert adjusted_confidence(a_memory(confidence=confidence)) == confidence


@pytest.mark.parametrize(
    ("used", "helpful", "repetitions", "ease"),
    [(True, None, 1, 2.5), (True, True, 1, 2.5), (True, False, 0, 2.18), (False, None, 0, 2.5)],
)
def test_a_use_is_a_review_and_no_help_a_lapse(used, helpful, repetitions, ease):
    after = after_feedback(a_memory(), used=used, helpful=helpful, wrong=False, now=NOON)
    assert after.strength.repetitions == repetitions
    assert after.strength.ease == pytest.approx(ease)
