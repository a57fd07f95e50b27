"""Reading strengths as probabilities."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import exp, log

import numpy as np
import pytest

from perdure.domain.calibration import UNCALIBRATED
from perdure.domain.certainty import Answered, Certainty, TheOne, certainty_from
from perdure.domain.ranking import BALANCED, SEED_WEIGHTED, Candidate, explain, rank
from perdure.engine.certainty import WORDS, shipped
from perdure.errors import Misconfigured

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
CURVES = Certainty(
    name="made up",
    answered=Answered(constant=-1.0, best=2.0, crowd=-0.5),
    the_one=TheOne(constant=0.5, own=3.0, best=-1.0, rivals=-1.5, first=1.0, crowd=0.0),
)
ALL = [CURVES, *shipped().values()]


def some(count, chance):
    return [
        Candidate(f"m{n:02}", float(chance.random()), 0.0, float(chance.random()), 0, 0)
        for n in range(count)
    ]


def test_a_probability_worked_by_hand():
    # odds 4 and 1; no crowd at a hundred memories
    answered = 1 / (1 + exp(1.0 - 2.0 * log(4)))
    first = 1 / (1 + exp(-(0.5 + 3 * log(4) - log(4) - 1.5 * log(5) + 1.0)))
    second = 1 / (1 + exp(-(0.5 - log(4) - 1.5 * log(5))))
    found = CURVES.of(np.array([0.8, 0.5]), 100)
    assert CURVES.answers(0.8, 100) == pytest.approx(answered)
    assert found.tolist() == pytest.approx([answered * first, answered * second])


@pytest.mark.parametrize("certainty", ALL, ids=lambda one: one.name)
@pytest.mark.parametrize("considered", [0, 1, 100, 1_000_000])
def test_probabilities_keep_the_order_and_stay_below_that_of_an_answer(certainty, considered):
    chance = np.random.default_rng(3)
    for edges in ([], [0.0, 1.0], [1e-300, 0.5, 0.5]):
        column = np.sort(np.concatenate([edges, chance.random(20)]))[::-1]
        found = certainty.of(column, considered)
        assert (np.diff(found) <= 0.0).all()
        answered = certainty.answers(float(column[0]), considered)
        assert ((found >= 0.0) & (found <= answered)).all()


@pytest.mark.parametrize("changed", [{"own": 0.0}, {"own": -1.0}, {"first": -0.1}])
def test_curves_that_would_change_the_order_are_refused(changed):
    with pytest.raises(Misconfigured, match="order"):
        replace(CURVES, the_one=replace(CURVES.the_one, **changed))


def test_curves_survive_being_written():
    document = {**CURVES.as_document(), "fitted_on": {"questions": 3}}
    assert certainty_from("made up", document) == CURVES


def test_the_package_has_curves_for_its_encoder_and_for_words_alone():
    assert {WORDS, "usem3@3/512", "usem3@3/512 + minilm@1/64"} <= shipped().keys()


def test_a_score_is_the_probability_and_the_order_that_of_the_strengths():
    candidates = some(30, np.random.default_rng(5))
    plain = rank(candidates, preset=BALANCED, calibration=UNCALIBRATED, now=NOON)
    read = rank(candidates, preset=BALANCED, calibration=UNCALIBRATED, now=NOON, certainty=CURVES)
    assert [item.candidate.id for item in read] == [item.candidate.id for item in plain]
    assert [item.strength for item in read] == [item.score for item in plain]
    likely = CURVES.of(np.array([item.score for item in plain]), 0)
    assert [item.score for item in read] == pytest.approx(likely.tolist())


def test_an_explanation_of_a_probability_recomputes_to_the_bit():
    candidates = some(30, np.random.default_rng(7))
    for item in rank(
        candidates, preset=BALANCED, calibration=UNCALIBRATED, now=NOON, certainty=CURVES
    ):
        told = explain(item, preset=BALANCED, config_hash="", certainty=CURVES)
        assert told.recomputed() == told.score == item.score
        assert (told.certainty, told.strength) == ("made up", item.strength)
        assert told.components["importance"][0] == item.candidate.importance


def test_a_published_formula_stays_what_it_is():
    candidates = some(5, np.random.default_rng(9))
    plain = rank(candidates, preset=SEED_WEIGHTED, calibration=UNCALIBRATED, now=NOON)
    read = rank(
        candidates, preset=SEED_WEIGHTED, calibration=UNCALIBRATED, now=NOON, certainty=CURVES
    )
    assert list(read) == list(plain)
    told = explain(read[0], preset=SEED_WEIGHTED, config_hash="", certainty=CURVES)
    assert (told.certainty, told.components["importance"][1]) == (None, 0.25)
