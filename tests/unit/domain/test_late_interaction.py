"""Worked values of late interaction."""

from math import inf

import numpy as np
import pytest

from perdure.domain.late_interaction import (
    BACKGROUND,
    COMMON,
    evidence,
    packed,
    similarities,
    weights,
)
from perdure.domain.lexical import Beside

RIGHT, UP, BACK = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)
SLANT = (0.6, 0.8)


def rows(*vectors):
    return np.array(vectors, dtype=np.float32).reshape(len(vectors), 2)


def test_unit_rows_keep_their_cosines_in_eight_bits():
    assert packed(rows(RIGHT, BACK, SLANT)).tolist() == [[127, 0], [-127, 0], [76, 102]]


def test_words_count_by_their_rarity_and_marks_for_nothing():
    found = weights([7, 8, None, 7], {7: 4.5, 9: 1.0})
    assert found.tolist() == [4.5, COMMON, 0.0, 4.5]


def test_each_piece_takes_its_best_match_and_rare_ones_count_for_more():
    question, weight = rows(RIGHT, UP), np.array([3.0, 1.0], dtype=np.float32)
    memories = [packed(rows(BACK, RIGHT)), packed(rows(SLANT)), packed(rows(BACK))]
    # The first has `RIGHT` itself and nothing like `UP`: (3 × 1 + 1 × 0) / 4.
    # The second is 0.6 like the one and 0.8 like the other: (3 × 0.6 + 1 × 0.8) / 4.
    found = similarities(question, weight, memories)
    assert found == pytest.approx([0.75, 0.65, -0.75], abs=0.005)


def test_a_memory_without_pieces_has_no_similarity():
    nothing = packed(np.empty((0, 2), dtype=np.float32))
    one = np.array([1.0], dtype=np.float32)
    found = similarities(rows(RIGHT), one, [nothing, packed(rows(RIGHT)), nothing])
    assert found == [None, pytest.approx(1.0), None]
    assert similarities(rows(RIGHT), one, [nothing]) == [None]
    assert similarities(rows(RIGHT), one, []) == []


def test_a_question_of_marks_alone_says_nothing():
    assert similarities(rows(RIGHT), weights([None], {}), [packed(rows(RIGHT))]) == [None]


def test_only_what_is_above_the_background_counts():
    found = evidence({"a": BACKGROUND + 0.25, "b": BACKGROUND - 0.1, "c": -1.0}, ())
    assert found == {"a": pytest.approx(0.25), "b": 0.0, "c": 0.0}


def test_neighbours_lend_both_ways_and_only_among_those_found():
    similar = {"a": BACKGROUND + 0.4, "b": 0.0, "c": BACKGROUND + 0.1}
    beside = [Beside("a", "b", 1), Beside("b", "c", 1), Beside("a", "c", 2), Beside("c", "d", 1)]
    assert evidence(similar, beside) == {
        "a": pytest.approx(0.4 + 0.08 * 0.1),
        "b": pytest.approx(0.2 * 0.4 + 0.2 * 0.1),
        "c": pytest.approx(0.1 + 0.08 * 0.4),
    }


def test_the_answer_does_not_depend_on_the_order_of_the_memories():
    generator = np.random.default_rng(7)

    def some(count):
        made = generator.normal(size=(count, 16)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    question, weight = some(5), np.array([1, 2, 3, 4, 5], dtype=np.float32)
    memories = [packed(some(count)) for count in (3, 9, 1, 4)]
    together = similarities(question, weight, memories)
    assert min(together) > -inf
    backwards = similarities(question, weight, memories[::-1])[::-1]
    assert together == pytest.approx(backwards, abs=1e-6)
