"""What is said again matters more, within bounds, and once for each time."""

import pytest

from perdure.domain.recurrence import confidence_after, importance_after


@pytest.mark.parametrize(
    ("importance", "times", "expected"),
    [
        (0.5, 0, 0.5), (0.5, 1, 0.5), (0.3, 1, 0.3), (0.5, 2, 0.575), (0.5, 3, 0.63875),
        (0.3, 2, 0.575), (0.8, 3, 0.8), (0.5, 40, 0.9), (0.95, 40, 0.95),
    ],
)  # fmt: skip
def test_importance(importance, times, expected):
    assert importance_after(importance, times) == pytest.approx(expected)


@pytest.mark.parametrize("times", [2, 3, 10])
def test_counting_the_same_times_again_changes_nothing(times):
    importance = importance_after(0.5, times)
    assert importance_after(importance, times) == importance
    confidence = confidence_after(0.8, 0.8, times)
    assert confidence_after(confidence, 0.8, times) == confidence


@pytest.mark.parametrize(
    ("own", "others", "times", "expected"),
    [
        (0.95, 0.95, 2, 0.96), (0.6, 0.6, 2, 0.6975), (0.6, 0.6, 3, 0.770625),
        (1.0, 0.6, 5, 1.0), (0.0, 0.9, 5, 0.0), (0.6, 0.6, 1, 0.6),
    ],
)  # fmt: skip
def test_confidence(own, others, times, expected):
    assert confidence_after(own, others, times) == pytest.approx(expected)


def test_no_number_of_repetitions_makes_certainty():
    assert confidence_after(0.9, 0.9, 500) <= 0.99
