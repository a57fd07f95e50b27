"""BM25, worked by hand."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.lexical import (
    CorpusStatistics,
    inverse_document_frequency,
    lexical_score,
    saturation,
    with_sessions,
)


def test_a_term_in_few_memories_tells_more():
    assert inverse_document_frequency(10, 1) == pytest.approx(log(1 + 9.5 / 1.5))
    assert inverse_document_frequency(10, 10) == pytest.approx(log(1 + 0.5 / 10.5))
    assert inverse_document_frequency(10, 0) == pytest.approx(log(1 + 10.5 / 0.5))


def test_a_handful_of_memories_counts_as_eight():
    assert inverse_document_frequency(1, 1) == inverse_document_frequency(8, 1)
    assert inverse_document_frequency(3, 2) == inverse_document_frequency(8, 2)


def test_one_occurrence_at_mean_length_counts_one():
    assert saturation(1, 8, 8) == pytest.approx(1.0)


def test_a_longer_memory_counts_less_and_more_occurrences_count_more_but_bounded():
    # b = 0.4: twice the mean length gives 0.6 + 0.4 * 2 = 1.4; 1.5 / (1 + 0.5 * 1.4).
    assert saturation(1, 16, 8) == pytest.approx(1.5 / 1.7)
    assert saturation(3, 8, 8) == pytest.approx(4.5 / 3.5)
    assert saturation(10_000, 8, 8) < 1.5


def test_a_worked_score():
    corpus = CorpusStatistics(documents=12, length=10.0, containing={1: 1, 2: 3})
    rare, common, nowhere = log(1 + 11.5 / 1.5), log(1 + 9.5 / 3.5), log(1 + 12.5 / 0.5)
    gained = rare * (2 * 1.5 / (2 + 0.5 * (0.6 + 0.4 * 0.5))) + common * (1.5 / (1 + 0.5 * 0.8))
    score = lexical_score((1, 2, 3), {1: 2, 2: 1, 9: 4}, 5, corpus)
    assert score == pytest.approx(gained / (rare + common + nowhere))


def test_a_memory_without_a_term_scores_nothing():
    corpus = CorpusStatistics(documents=4, length=10.0, containing={1: 1})
    assert lexical_score((1,), {2: 1}, 5, corpus) == 0.0
    assert lexical_score((), {2: 1}, 5, corpus) == 0.0


def test_terms_found_nowhere_make_every_score_smaller():
    corpus = CorpusStatistics(documents=4, length=10.0, containing={1: 1})
    alone = lexical_score((1,), {1: 1}, 10, corpus)
    assert alone == pytest.approx(1.0)
    assert lexical_score((1, 7), {1: 1}, 10, corpus) < alone


@given(
    documents=st.integers(1, 1000),
    frequencies=st.dictionaries(st.integers(0, 5), st.integers(1, 50), max_size=5),
    mean=st.floats(0.1, 100),
)
def test_a_score_lies_between_0_and_1_5(documents, frequencies, mean):
    containing = {term: min(documents, 1 + term) for term in frequencies}
    corpus = CorpusStatistics(documents=documents, length=mean, containing=containing)
    length = sum(frequencies.values())
    score = lexical_score((0, 1, 2, 3), frequencies, length, corpus)
    assert 0.0 <= score < 1.5


CORPUS = CorpusStatistics(documents=40, length=10.0, containing={1: 2, 2: 2, 3: 30})


def test_a_memory_counts_for_what_the_rest_of_its_session_says():
    raised = with_sessions(
        {"names": 0.6, "answers": 0.3, "apart": 0.3},
        (1, 2),
        {"names": {1: 1}, "answers": {2: 1}, "apart": {2: 1}},
        {"names": "s", "answers": "s", "apart": "t"},
        CORPUS,
    )
    # Two sessions; the first term is said by one of them, the second by both. The two terms are
    # alike rare, so each is half of the question.
    rare = log(1 + 38.5 / 2.5)
    assert raised == {
        "names": 0.6,
        "answers": pytest.approx(0.3 + 0.8 * log(2.5 / 1.5) / (2 * rare)),
        "apart": 0.3,
    }


def test_what_a_session_says_counts_no_more_than_the_word_itself():
    raised = with_sessions(
        {"names": 0.6, "answers": 0.3, "apart": 0.3},
        (3, 2),
        {"names": {3: 1}, "answers": {2: 1}, "apart": {2: 1}},
        {"names": "s", "answers": "s", "apart": "t"},
        CORPUS,
    )
    common, rare = log(1 + 10.5 / 30.5), log(1 + 38.5 / 2.5)
    assert common < log(2.5 / 1.5)
    assert raised["answers"] == pytest.approx(0.3 + 0.8 * common / (common + rare))


@pytest.mark.parametrize("sessions", [{}, {"one": "s", "other": "s"}, {"one": None, "other": "s"}])
def test_without_a_second_session_nothing_changes(sessions):
    scores = {"one": 1.0, "other": 0.2}
    held = {"one": {1: 1, 2: 1}, "other": {2: 1}}
    assert with_sessions(scores, (1, 2), held, sessions, CORPUS) == scores
