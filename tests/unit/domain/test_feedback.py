"""What feedback does to importance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.feedback import CEILING, FLOOR, STEP, adjusted_importance
from perdure.testing import a_memory


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
