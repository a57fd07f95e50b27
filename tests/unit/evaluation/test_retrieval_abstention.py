"""Knowing when not to know: worked examples, and that the order of questions does not matter."""

from __future__ import annotations

import numpy as np
import pytest

from perdure.evaluation.retrieval.abstention import (
    balanced_accuracy,
    best_threshold,
    reliability,
    risk_coverage_area,
    told_apart,
)

CONFIDENCE = np.array([0.9, 0.8, 0.6, 0.3, 0.0])
RIGHT = np.array([True, False, True, False, False])
ANSWERABLE = np.array([True, True, True, False, False])


def test_risk_over_coverage_by_hand():
    # of the first 1, 2, 3, 4, 5 answers 0, 1, 1, 2, 3 are wrong
    worked = (0 / 1 + 1 / 2 + 1 / 3 + 2 / 4 + 3 / 5) / 5
    assert risk_coverage_area(CONFIDENCE, RIGHT) == pytest.approx(worked)


def test_equal_confidences_are_one_lump_in_any_order():
    level = np.array([0.5, 0.5, 0.5, 0.5])
    right = np.array([True, True, False, False])
    assert risk_coverage_area(level, right) == pytest.approx(0.5)
    assert risk_coverage_area(level, right[::-1]) == pytest.approx(0.5)


def test_told_apart_counts_pairs_and_halves_ties():
    assert told_apart(CONFIDENCE, ANSWERABLE) == 1.0
    assert told_apart(np.array([0.5, 0.2, 0.5]), np.array([True, True, False])) == 0.25
    assert told_apart(CONFIDENCE, np.ones(5, dtype=bool)) == 0.5


def test_nothing_found_is_no_answer_whatever_the_threshold():
    assert balanced_accuracy(CONFIDENCE, ANSWERABLE, 0.0) == pytest.approx((1 + 1 / 2) / 2)
    assert balanced_accuracy(CONFIDENCE, ANSWERABLE, 0.7) == pytest.approx((2 / 3 + 1) / 2)


def test_the_best_threshold_is_the_lowest_of_the_best():
    assert best_threshold(CONFIDENCE, ANSWERABLE) == 0.6
    assert best_threshold(np.array([0.4, 0.6]), np.array([True, True])) == 0.0


def test_of_nothing():
    none = np.array([]), np.array([], dtype=bool)
    assert risk_coverage_area(*none) == 0.0
    assert told_apart(*none) == 0.5


def test_what_a_confidence_is_worth():
    sure = np.array([0.95, 1.0, 0.55, 0.55, 0.0])
    right = np.array([True, True, True, False, False])
    rows, distance = reliability(sure, right)
    assert rows == [(0.5, 1, 2), (0.9, 2, 2)]
    assert distance == pytest.approx((abs(0.55 - 0.5) * 2 + abs(0.975 - 1) * 2) / 4)
    assert reliability(np.array([]), np.array([], dtype=bool)) == ([], 0.0)
