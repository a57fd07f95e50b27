"""Leaving out repeats, and not saying ten times nearly the same."""

from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.diversity import maximal_marginal_relevance, without_repeats


def unrepeated(items, *, limit=9):
    return without_repeats(
        items, lambda one, other: one.lower() == other.lower(), gist=str.lower, limit=limit
    )


def test_the_first_of_each_stays():
    assert unrepeated(["a", "A", "b", "a", "B", "c"]) == ["a", "b", "c"]


def test_a_limit_counts_what_stays():
    assert unrepeated(["a", "A", "b", "c"], limit=2) == ["a", "b"]
    assert unrepeated([]) == []


def test_only_items_of_one_gist_are_compared():
    compared = []

    def repeats(one, other):
        compared.append((one, other))
        return False

    without_repeats(["a1", "b1", "a2"], repeats, gist=lambda item: item[0], limit=9)
    assert compared == [("a1", "a2")]


SIMILAR = {frozenset((0, 1)): 1.0}


def similarity(one, other):
    return SIMILAR.get(frozenset((one, other)), 0.0)


def test_a_repetition_gives_way_to_something_else():
    # After 0: item 1 has 0.7 * 0.9 - 0.3 * 1 = 0.33, item 2 has 0.7 * 0.6 = 0.42.
    order = maximal_marginal_relevance([1.0, 0.9, 0.6], similarity, limit=3)
    assert order == [0, 2, 1]


def test_a_much_better_repetition_stays_ahead():
    # 0.33 against 0.7 * 0.4 = 0.28.
    order = maximal_marginal_relevance([1.0, 0.9, 0.4], similarity, limit=3)
    assert order == [0, 1, 2]


def test_with_full_trade_off_relevance_alone_decides():
    order = maximal_marginal_relevance([1.0, 0.9, 0.6], similarity, limit=3, trade_off=1.0)
    assert order == [0, 1, 2]


def test_ties_go_to_the_earlier_and_the_limit_holds():
    order = maximal_marginal_relevance([0.5, 0.5, 0.5], lambda *_: 0.0, limit=2)
    assert order == [0, 1]
    assert maximal_marginal_relevance([], similarity, limit=2) == []
    assert maximal_marginal_relevance([0.5], similarity, limit=0) == []


@given(st.lists(st.floats(0, 1), max_size=6).map(lambda found: sorted(found, reverse=True)))
def test_every_item_is_taken_once_and_the_best_first(scores):
    order = maximal_marginal_relevance(scores, lambda i, j: 1 / (1 + abs(i - j)), limit=99)
    assert sorted(order) == list(range(len(scores)))
    assert order[:1] == [0][: len(scores)]
