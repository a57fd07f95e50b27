"""The published formulas, worked by hand, and explanations that recompute to the bit."""

from datetime import UTC, datetime, timedelta
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.calibration import UNCALIBRATED, Calibration, odds_in_crowd
from perdure.domain.decay import frequency, half_life_days, recency
from perdure.domain.fusion import (
    lexical_relevance,
    reciprocal_rank,
    relevance,
    said_relevance,
)
from perdure.domain.ranking import (
    AGENT_IO,
    BALANCED,
    COMPONENTS,
    PRESETS,
    SEED_WEIGHTED,
    Candidate,
    Preset,
    explain,
    rank,
)
from perdure.domain.times import EPOCH, to_micros
from perdure.errors import InvalidInput

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)


def a_candidate(
    name: str = "a",
    *,
    cosine: float | None = 0.5,
    lexical: float = 0.0,
    importance: float = 0.5,
    age_days: float = 0.0,
    count: int = 0,
) -> Candidate:
    occurred = to_micros(NOON - timedelta(days=age_days))
    return Candidate(name, cosine, lexical, importance, occurred, count)


def score_of(candidate: Candidate, preset: Preset) -> float:
    (scored,) = rank([candidate], preset=preset, calibration=UNCALIBRATED, now=NOON)
    return scored.score


def test_seed_weighted_by_hand():
    # Half-life 7 + 21 * 0.5 = 17.5 days; two of them halve twice. ln 5 / ln 20 for four recalls.
    candidate = a_candidate(cosine=0.8, importance=0.5, age_days=35, count=4)
    expected = 0.45 * 0.8 + 0.25 * 0.5 + 0.20 * 0.25 + 0.10 * log(5) / log(20)
    assert score_of(candidate, SEED_WEIGHTED) == pytest.approx(expected)
    assert expected == pytest.approx(0.5887244)


def test_agent_io_by_hand():
    # Half-life 7 days whatever the importance; 21 days halve three times; 19 recalls saturate.
    candidate = a_candidate(cosine=0.6, importance=0.9, age_days=21, count=19)
    expected = 0.40 * 0.6 + 0.25 * 0.9 + 0.20 * 0.125 + 0.15 * 1.0
    assert score_of(candidate, AGENT_IO) == pytest.approx(expected)
    assert expected == pytest.approx(0.64)


def test_the_half_life_of_agent_io_is_settable():
    slow = Preset(
        name="slow",
        similarity=0.4,
        importance=0.25,
        recency=0.2,
        frequency=0.15,
        half_life_days=21,
    )
    candidate = a_candidate(cosine=0.0, lexical=1.0, importance=0.0, age_days=21)
    assert score_of(candidate, slow) == pytest.approx(0.4 * (1 / 1.5) + 0.2 * 0.5)


def test_presets_sum_to_one_and_are_found_by_name():
    assert set(PRESETS) == {"seed_weighted", "agent_io", "balanced"}
    for preset in PRESETS.values():
        assert sum(preset.weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "weights", [(0.5, 0.5, 0.5, 0.5), (1.2, -0.2, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)]
)
def test_weights_that_make_no_sense_are_refused(weights):
    similarity, importance, recent, frequent = weights
    with pytest.raises(InvalidInput, match="sum to 1"):
        Preset(
            name="x",
            similarity=similarity,
            importance=importance,
            recency=recent,
            frequency=frequent,
        )


@pytest.mark.parametrize("days", [0.0, -1.0])
def test_a_half_life_must_be_positive(days):
    with pytest.raises(InvalidInput, match="half_life_days"):
        Preset(
            name="x",
            similarity=1.0,
            importance=0.0,
            recency=0.0,
            frequency=0.0,
            half_life_days=days,
        )


def test_both_arms_together_are_more_than_each():
    vector, words = score_of(a_candidate(cosine=0.5), BALANCED), 0.5
    both = score_of(a_candidate(cosine=0.5, lexical=0.5), BALANCED)
    alone = score_of(a_candidate(cosine=None, lexical=0.5), BALANCED)
    assert both > vector
    assert both > alone
    assert both - vector == pytest.approx(0.95 * (0.75 - 0.5))
    assert lexical_relevance(words) == pytest.approx(0.5)


def test_what_has_nothing_to_do_with_the_question_is_left_out():
    calibration = Calibration(anchors=((0.3, 0.0), (0.8, 1.0)), noise=0.3)
    candidates = [
        a_candidate("noise", cosine=0.3),
        a_candidate("near", cosine=0.31),
        a_candidate("said", cosine=0.1, lexical=0.11),
        a_candidate("unembedded", cosine=None),
        a_candidate("said only", cosine=None, lexical=0.11),
        a_candidate("stray words", cosine=0.1, lexical=0.1),
    ]
    ranked = rank(candidates, preset=BALANCED, calibration=calibration, now=NOON)
    assert {item.candidate.id for item in ranked} == {"near", "said", "said only"}


def test_without_calibration_every_neighbour_counts():
    candidates = [a_candidate("away", cosine=-0.9), a_candidate("unembedded", cosine=None)]
    ranked = rank(candidates, preset=BALANCED, calibration=UNCALIBRATED, now=NOON)
    assert [item.candidate.id for item in ranked] == ["away"]
    assert ranked[0].values[0] == 0.0


def test_the_best_come_first_and_ties_by_id():
    candidates = [a_candidate("c"), a_candidate("b"), a_candidate("best", cosine=0.9)]
    candidates.append(a_candidate("a"))
    ranked = rank(candidates, preset=BALANCED, calibration=UNCALIBRATED, now=NOON)
    assert [item.candidate.id for item in ranked] == ["best", "a", "b", "c"]


def test_nothing_ranks_to_nothing():
    assert rank([], preset=BALANCED, calibration=UNCALIBRATED, now=NOON) == []


def test_balanced_lets_relevance_decide():
    old = a_candidate("relevant", cosine=0.9, importance=0.0, age_days=4000)
    fresh = a_candidate("fresh", cosine=0.8, importance=1.0, count=100)
    ranked = rank([old, fresh], preset=BALANCED, calibration=UNCALIBRATED, now=NOON)
    assert [item.candidate.id for item in ranked] == ["relevant", "fresh"]


candidates = st.builds(
    Candidate,
    id=st.text(max_size=3),
    cosine=st.none() | st.floats(-1, 1),
    lexical=st.floats(0, 3.8),
    importance=st.floats(0, 1),
    occurred_us=st.integers(0, 4_000_000_000_000_000),
    accessed_count=st.integers(0, 10**6),
    tokens=st.none() | st.floats(0, 1),
)


@given(st.lists(candidates, max_size=8), st.sampled_from(sorted(PRESETS)))
def test_an_explanation_recomputes_to_the_bit(found, name):
    preset = PRESETS[name]
    for item in rank(found, preset=preset, calibration=UNCALIBRATED, now=NOON):
        explanation = explain(item, preset=preset, config_hash="c")
        assert explanation.recomputed() == explanation.score == item.score
        assert tuple(explanation.components) == COMPONENTS
        assert 0.0 <= item.score <= 1.0 + 1e-9
        assert all(0.0 <= value <= 1.0 for value, _ in explanation.components.values())


@given(candidates)
def test_columns_are_the_published_functions(candidate):
    for scored in rank([candidate], preset=SEED_WEIGHTED, calibration=UNCALIBRATED, now=NOON):
        age_days = (to_micros(NOON) - candidate.occurred_us) / 86_400e6
        cosine = max(0.0, candidate.cosine or 0.0)
        assert scored.values == pytest.approx(
            (
                relevance(cosine, _words(candidate)),
                candidate.importance,
                recency(age_days, half_life=half_life_days(candidate.importance)),
                frequency(candidate.accessed_count),
            )
        )


def _words(candidate):
    if candidate.tokens is None:
        return lexical_relevance(candidate.lexical)
    return said_relevance(candidate.lexical, candidate.tokens)


def test_an_explanation_shows_the_arms_it_came_from():
    (item,) = rank(
        [a_candidate(cosine=0.4, lexical=0.2)],
        preset=BALANCED,
        calibration=UNCALIBRATED,
        now=NOON,
    )
    explanation = explain(item, preset=BALANCED, config_hash="abc")
    assert explanation.arms == {"vector": 0.4, "lexical": 0.2}
    assert explanation.config_hash == "abc"
    (bare,) = rank(
        [a_candidate(cosine=None, lexical=0.2)],
        preset=BALANCED,
        calibration=UNCALIBRATED,
        now=NOON,
    )
    assert explain(bare, preset=BALANCED, config_hash="").arms == {"lexical": 0.2}


def test_an_arm_that_found_nothing_is_not_shown():
    (item,) = rank([a_candidate(cosine=0.4)], preset=BALANCED, calibration=UNCALIBRATED, now=NOON)
    assert explain(item, preset=BALANCED, config_hash="").arms == {"vector": 0.4}


def test_reciprocal_ranks_by_hand():
    merged = reciprocal_rank([["a", "b"], ["b", "c"]])
    assert merged == {
        "a": pytest.approx(1 / 61),
        "b": pytest.approx(1 / 62 + 1 / 61),
        "c": pytest.approx(1 / 62),
    }
    assert reciprocal_rank([["a"]], k=9) == {"a": pytest.approx(0.1)}
    assert reciprocal_rank([]) == {}


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_arm_hides_what_the_other_found(vector, words):
    both = relevance(vector, words)
    assert both >= max(vector, words) - 1e-12
    assert 0.0 <= both <= 1.0
    assert relevance(vector, 0.0) == pytest.approx(vector)


@pytest.mark.parametrize(("score", "value"), [(0.0, 0.0), (0.5, 0.5), (1.0, 2 / 3), (1.5, 0.75)])
def test_lexical_scores_read_as_relevance(score, value):
    assert lexical_relevance(score) == pytest.approx(value)


@pytest.mark.parametrize(
    ("cosine", "value"), [(-1.0, 0.0), (0.2, 0.0), (0.3, 0.1), (0.4, 0.2), (0.7, 0.6), (1.0, 1.0)]
)
def test_a_calibration_reads_a_cosine_between_its_anchors(cosine, value):
    calibration = Calibration(anchors=((0.2, 0.0), (0.4, 0.2), (1.0, 1.0)))
    assert calibration.relevance(cosine) == pytest.approx(value)
    candidate = a_candidate(cosine=cosine)
    (item,) = rank([candidate], preset=BALANCED, calibration=calibration, now=NOON)
    assert item.values[0] == pytest.approx(value)


def test_stray_words_leave_cosines_as_they_are_and_telling_words_count_them_for_less():
    calibration = Calibration(beside_words=((0.0, 0.0), (1.0, 0.1)))

    def relevance_of_the_silent_one(best_lexical_score):
        candidates = [
            Candidate("speaks", None, best_lexical_score, 0.5, 0, 0),
            Candidate("silent", 0.6, 0.0, 0.5, 0, 0),
        ]
        ranked = rank(candidates, preset=BALANCED, calibration=calibration, now=EPOCH)
        return {item.candidate.id: item.values[0] for item in ranked}["silent"]

    assert relevance_of_the_silent_one(0.1) == pytest.approx(0.6)
    assert relevance_of_the_silent_one(0.15) == pytest.approx(0.33)
    assert relevance_of_the_silent_one(0.2) == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("considered", "odds"),
    [(0, 1.0), (1, 1.0), (100, 1.0), (200, 0.25), (500, 0.04), (1_000, 0.01), (50_000, 0.01)],
)
def test_among_more_memories_a_cosine_beside_words_is_worth_less(considered, odds):
    assert odds_in_crowd(considered) == pytest.approx(odds)
    calibration = Calibration(beside_words=((0.0, 0.0), (1.0, 1.0)))
    candidates = [
        Candidate("speaks", None, 1.0, 0.5, 0, 0),
        Candidate("silent", 0.75, 0.0, 0.5, 0, 0),
    ]
    ranked = rank(
        candidates, preset=BALANCED, calibration=calibration, now=EPOCH, considered=considered
    )
    found = {item.candidate.id: item.values[0] for item in ranked}
    assert found["silent"] == pytest.approx(3 * odds / (1 + 3 * odds))
    assert found["speaks"] == pytest.approx(2 / 3)


def test_without_words_in_common_the_crowd_changes_nothing():
    calibration = Calibration(beside_words=((0.0, 0.0), (1.0, 1.0)))
    silent = Candidate("silent", 0.75, 0.0, 0.5, 0, 0)
    (item,) = rank([silent], preset=BALANCED, calibration=calibration, now=EPOCH, considered=10_000)
    assert item.values[0] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("asks_in_han", "is_han", "value"),
    [(None, True, 0.06), (True, True, 0.06), (False, False, 0.06), (False, True, 0.54),
     (True, False, 0.54)],
)  # fmt: skip
def test_what_is_in_another_script_is_not_measured_by_words(asks_in_han, is_han, value):
    calibration = Calibration(beside_words=((0.0, 0.0), (1.0, 0.1)))
    candidates = [
        Candidate("speaks", None, 1.0, 0.5, 0, 0, not is_han),
        Candidate("silent", 0.6, 0.0, 0.5, 0, 0, is_han),
    ]
    ranked = rank(
        candidates, preset=BALANCED, calibration=calibration, now=EPOCH, asks_in_han=asks_in_han
    )
    assert {item.candidate.id: item.values[0] for item in ranked}["silent"] == pytest.approx(value)


@pytest.mark.parametrize(
    ("asks_in_han", "is_han", "is_found"),
    [(None, True, False), (True, True, False), (False, False, False), (False, True, True),
     (True, False, True)],
)  # fmt: skip
def test_across_scripts_less_is_noise(asks_in_han, is_han, is_found):
    calibration = Calibration(noise=0.3, noise_across=0.2)
    found = {
        cosine: bool(
            rank(
                [Candidate("silent", cosine, 0.0, 0.5, 0, 0, is_han)],
                preset=BALANCED, calibration=calibration, now=EPOCH, asks_in_han=asks_in_han,
            )
        )
        for cosine in (0.2, 0.25, 0.35)
    }  # fmt: skip
    assert found == {0.2: False, 0.25: is_found, 0.35: True}


@pytest.mark.parametrize(
    ("considered", "least"),
    [(0, 0.3), (1, 0.2), (10, 0.2), (32, 0.2505), (100, 0.3), (9_000, 0.3)],
)
def test_among_few_memories_less_is_noise(considered, least):
    """Of 0.1, among 32 memories log(100 / 32) / log(10) = 0.495."""
    calibration = Calibration(noise=0.3, noise_among_few=0.2)
    for cosine, is_found in ((least - 0.001, False), (least + 0.001, True)):
        ranked = rank(
            [a_candidate("one", cosine=cosine)], preset=BALANCED, calibration=calibration,
            now=EPOCH, considered=considered,
        )  # fmt: skip
        assert bool(ranked) is is_found


def test_words_alike_count_beside_words_in_common():
    # (0.5 + 5 × 0.2) / (0.5 + 5 × 0.2 + 1.5) = 0.5, against 0.5 / (0.5 + 0.5) without vectors of words
    first, second = (
        rank([item], preset=BALANCED, calibration=UNCALIBRATED, now=NOON)[0].values[0]
        for item in (
            Candidate("compared", None, 0.5, 0.5, 0, 0, tokens=0.2),
            Candidate("not compared", None, 0.5, 0.5, 0, 0),
        )
    )
    assert (first, second) == (pytest.approx(0.5), pytest.approx(0.5))


def test_words_alike_are_a_hit_without_any_in_common():
    calibration = Calibration(noise=0.3)
    candidates = [
        Candidate("alike", 0.1, 0.0, 0.5, 0, 0, tokens=0.21),
        Candidate("hardly", 0.1, 0.0, 0.5, 0, 0, tokens=0.2),
    ]
    ranked = rank(candidates, preset=BALANCED, calibration=calibration, now=NOON)
    assert [item.candidate.id for item in ranked] == ["alike"]


def test_among_many_the_sentence_is_not_heard_twice():
    calibration = Calibration(noise=0.0, beside_words=((0.0, 0.0), (1.0, 1.0)))

    def similarity(considered, tokens):
        candidates = [Candidate("one", 0.5, 1.0, 0.5, 0, 0, tokens=tokens)]
        [item] = rank(
            candidates, preset=BALANCED, calibration=calibration, now=NOON, considered=considered
        )
        return item.values[0]

    # Odds of 1 at a cosine of 0.5; a quarter of them among 200, a sixteenth where words were compared.
    assert similarity(100, None) == pytest.approx(1 - 0.5 * (1 - 1 / 1.5))
    assert similarity(200, None) == pytest.approx(1 - 0.8 * (1 - 1 / 1.5))
    assert similarity(100, 0.0) == pytest.approx(1 - 0.5 * (1 - 1 / 2.5))
    assert similarity(200, 0.0) == pytest.approx(1 - 16 / 17 * (1 - 1 / 2.5))
