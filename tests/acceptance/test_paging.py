"""A listing is walked to its end, each memory once, whatever is written meanwhile."""

from __future__ import annotations

from datetime import timedelta

import pytest

from perdure import InvalidInput, Scope
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import everything_in, ids, texts

AMOUNT, ALIKE = 237, 40


@pytest.fixture
def ledger(home):
    """Entries of which forty share one moment."""
    memory = home.open(embedder="off").scoped(user="ilka")
    memory.remember_many(
        [
            {"content": f"Entry {number}", "importance": number % 5 / 10, "understand": False,
             "occurred_at": f"2031-01-{1 + max(0, number - ALIKE) % 28:02}"}
            for number in range(AMOUNT)
        ]
    )  # fmt: skip
    return memory


ORDERS = ["recorded_at", "-recorded_at", "occurred_at", "-occurred_at", "importance", "-importance"]


@pytest.mark.parametrize("order", ORDERS)
def test_the_pages_together_are_everything_once(ledger, order):
    walked = everything_in(ledger, limit=60, order=order)
    assert len(walked) == ledger.count() == AMOUNT
    assert len(set(ids(walked))) == AMOUNT
    attribute = order.removeprefix("-")
    values = [getattr(item, attribute) for item in walked]
    assert values == sorted(values, reverse=order.startswith("-"))


def test_equal_values_are_ordered_by_id(ledger):
    assert ids(everything_in(ledger, limit=7)) == sorted(ids(ledger.list(limit=1_000)))


def test_one_page_may_be_as_large_as_everything(ledger):
    page = ledger.list(limit=5_000)
    assert (len(page), page.next_cursor) == (AMOUNT, None)


@pytest.mark.parametrize("limit", [1, AMOUNT - 1])
def test_a_page_that_is_not_all_says_so(ledger, limit):
    page = ledger.list(limit=limit)
    assert len(page) == limit
    assert page.next_cursor is not None


def test_a_page_that_ends_exactly_at_the_end_is_the_last(ledger):
    assert ledger.list(limit=AMOUNT).next_cursor is None


@pytest.mark.parametrize("order", ORDERS)
def test_what_stays_is_seen_once_while_others_come_and_go(ledger, order):
    stable = set(ids(ledger.list(limit=1_000, filters={"memory.importance": {"lt": 0.4}})))
    doomed = ids(ledger.list(limit=1_000, filters={"memory.importance": {"gte": 0.4}}))
    seen, cursor = [], None
    while True:
        page = ledger.list(limit=50, order=order, cursor=cursor)
        seen.extend(ids(page))
        cursor = page.next_cursor
        if cursor is None:
            break
        if doomed:
            ledger.forget([doomed.pop(), *([doomed.pop(0)] if doomed else [])])
        ledger.remember(f"Arrived while paging {len(seen)}", occurred_at="2030-06-01")
    assert stable <= set(seen)
    assert len(seen) == len(set(seen))


def test_a_cursor_outlives_the_memory_it_points_at(ledger):
    page = ledger.list(limit=10)
    ledger.forget(page.items[-1].id)
    rest = everything_in_after(ledger, page.next_cursor)
    assert len(rest) == AMOUNT - 10


def everything_in_after(memory, cursor):
    rest = []
    while cursor is not None:
        page = memory.list(limit=100, cursor=cursor)
        rest.extend(page)
        cursor = page.next_cursor
    return rest


@decided_by_the_engine
@pytest.mark.parametrize(
    "cursor", ["", "garbage", "Z2FyYmFnZQ", 7, "eyJhIjogMX0", "名", "W10", "'; drop table"]
)
def test_a_cursor_that_was_not_given_out_is_an_error(ledger, cursor):
    with pytest.raises(InvalidInput, match="cursor"):
        ledger.list(cursor=cursor)


@decided_by_the_engine
@pytest.mark.parametrize(
    "other",
    [
        {"order": "-recorded_at"},
        {"filters": {"memory.importance": 0.1}},
        {"kinds": "episodic"},
        {"between": ("2031-01-01", None)},
        {"as_of": "2031-03-01"},
        {"known_as_of": "2031-03-01"},
        {"include": "superseded"},
        {"scope": Scope(session="s1")},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_cursor_of_another_question_is_an_error(ledger, other):
    cursor = ledger.list(limit=5).next_cursor
    with pytest.raises(InvalidInput, match="cursor"):
        ledger.list(cursor=cursor, limit=5, **other)


def test_another_page_size_may_go_on_with_a_cursor(ledger):
    first = ledger.list(limit=30)
    rest = ledger.list(limit=1_000, cursor=first.next_cursor)
    assert len(first) + len(rest) == AMOUNT


@decided_by_the_engine
@pytest.mark.parametrize("order", ["age", "", "--recorded_at", "RECORDED_AT", None, 7])
def test_an_unknown_order_is_refused(ilka, order):
    with pytest.raises(InvalidInput, match="order"):
        ilka.list(order=order)


@decided_by_the_engine
@pytest.mark.parametrize("limit", [0, -3, 1.5, "10", True])
def test_a_page_size_that_is_none_is_refused(ilka, limit):
    with pytest.raises(InvalidInput, match="limit"):
        ilka.list(limit=limit)


def test_a_cursor_goes_on_after_reopening(lasting_home):
    with lasting_home.open(embedder="off") as memory:
        memory.remember_many([{"content": f"Line {number}"} for number in range(12)])
        cursor = memory.list(limit=5).next_cursor
    memory = lasting_home.open(embedder="off")
    assert texts(memory.list(limit=20, cursor=cursor)) == [f"Line {n}" for n in range(5, 12)]


def test_the_clock_moving_on_does_not_break_a_walk(ilka, clock):
    ilka.remember_many([{"content": f"Line {number}"} for number in range(12)])
    page = ilka.list(limit=5)
    clock.advance(timedelta(days=3))
    assert len(ilka.list(limit=20, cursor=page.next_cursor)) == 7


@pytest.mark.slow
def test_more_than_a_thousand_are_walked_to_the_end(home):
    memory = home.open(embedder="off")
    memory.remember_many(
        [{"content": f"Entry {number}", "understand": False} for number in range(1_137)]
    )
    assert len({item.id for item in everything_in(memory, limit=100)}) == memory.count() == 1_137
