"""Which turns stay: worked examples, and what holds for any."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.context.window import Piece, choose


def pieces(*described):
    """Pieces of the given tokens, oldest first; "40p" is pinned, "40!" important."""
    made = []
    for at, told in enumerate(described):
        text = str(told)
        made.append(
            Piece(
                tokens=int(text.rstrip("p!")),
                last=at,
                importance=0.9 if text.endswith("!") else 0.5,
                pinned=text.endswith("p"),
            )
        )
    return made


def chosen(budget, *described, may_shrink=True):
    choice = choose(pieces(*described), budget=budget, important_from=0.75, may_shrink=may_shrink)
    return list(choice.kept), dict(choice.limits)


@pytest.mark.parametrize(
    ("budget", "described", "kept"),
    [
        (100, [], []),
        (100, [10, 10, 10], [0, 1, 2]),
        (30, [10, 10, 10], [0, 1, 2]),
        (29, [10, 10, 10], [1, 2]),
        # the window has no holes: 5 would fit, but the turn after it does not
        (35, [5, 20, 15, 10], [2, 3]),
        # pinned ones stay however old they are
        (35, ["10p", 20, 15, 10], [0, 2, 3]),
        # of important ones, those that fit into half of what is left
        (60, ["20!", 20, 20, 20], [0, 2, 3]),
        (40, ["20!", 20, 20, 10], [2, 3]),
        (60, ["20!", "20!", 20, 20, 20], [1, 3, 4]),
    ],
)
def test_what_stays(budget, described, kept):
    assert chosen(budget, *described)[0] == kept


@pytest.mark.parametrize(
    ("budget", "described", "expected"),
    [
        # the newest shrinks to what the pinned leave, and never below half
        (100, ["30p", 500], ([0, 1], {1: 70})),
        (100, ["80p", 500], ([0, 1], {0: 50, 1: 50})),
        # an old one shrinks to half the budget
        (100, [10, 500, 10], ([0, 1, 2], {1: 50})),
        (100, [10, 500, 60], ([2], {})),
        (100, ["500p", 10], ([0, 1], {0: 90})),
    ],
)
def test_what_is_too_long_shrinks(budget, described, expected):
    assert chosen(budget, *described) == expected


def test_nothing_shrinks_where_it_may_not():
    assert chosen(100, 10, 500, 10, may_shrink=False) == ([2], {})
    assert chosen(100, 10, 500, may_shrink=False) == ([], {})


def test_an_important_turn_that_does_not_fit_makes_way_for_one_that_does():
    assert chosen(60, "50!", "10!", 20, 20, 20, may_shrink=False)[0] == [1, 3, 4]


def test_the_more_important_comes_first():
    two = [Piece(20, 0, 0.8, pinned=False), Piece(20, 1, 1.0, pinned=False)]
    rest = [Piece(20, at, 0.5, pinned=False) for at in range(2, 5)]
    choice = choose([*two, *rest], budget=60, important_from=0.75, may_shrink=True)
    assert choice.kept == (1, 3, 4)


def test_a_piece_is_as_recent_as_its_newest_turn():
    late = [Piece(20, 9, 0.5, pinned=False), *(Piece(20, at, 0.5, pinned=False) for at in (1, 2))]
    assert choose(late, budget=40, important_from=1, may_shrink=True).kept == (0, 2)


PIECES = st.lists(st.tuples(st.integers(1, 200), st.floats(0, 1), st.booleans()), max_size=30).map(
    lambda all_: [
        Piece(tokens, at, weight, pinned) for at, (tokens, weight, pinned) in enumerate(all_)
    ]
)


@given(PIECES, st.integers(0, 500), st.booleans())
def test_the_budget_is_kept_and_so_is_the_order(all_, budget, may_shrink):
    choice = choose(all_, budget=budget, important_from=0.75, may_shrink=may_shrink)
    costs = [choice.limits.get(at, all_[at].tokens) for at in choice.kept]
    assert sum(costs) <= budget
    assert list(choice.kept) == sorted(set(choice.kept))
    assert choice.limits.keys() <= set(choice.kept)
    assert all(0 < choice.limits[at] < all_[at].tokens for at in choice.limits)
    if not may_shrink:
        assert not choice.limits


@given(PIECES, st.integers(0, 500))
def test_everything_stays_when_everything_fits(all_, more):
    budget = 2 * sum(piece.tokens for piece in all_) + more
    choice = choose(all_, budget=budget, important_from=0.75, may_shrink=True)
    assert list(choice.kept) == list(range(len(all_)))
    assert not choice.limits


@given(PIECES.filter(bool), st.integers(1, 500))
def test_the_newest_stays_whatever_else_is_there(all_, budget):
    choice = choose(all_, budget=budget, important_from=0.75, may_shrink=True)
    assert budget < 2 or len(all_) - 1 in choice.kept
