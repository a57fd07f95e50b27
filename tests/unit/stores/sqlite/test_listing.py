"""Pages from the index, from SQL, and over several users are the same."""

from datetime import timedelta
from itertools import product

import pytest

from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition, Order, Position, sort_value
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.testing.builders import ILKA, NOON, a_memory, forgotten
from perdure.testing.contracts._store_stand import looking

DIRECTIONS = list(product(Order, (False, True)))


@pytest.fixture
def many(stand):
    """Memories with ties in everything that sorts, some of them not to be listed."""
    memories = [
        a_memory(
            f"kettle {number}",
            recorded_at=NOON - timedelta(hours=number % 4),
            occurred_at=NOON - timedelta(hours=number % 5),
            importance=(number % 3) / 2,
            metadata={"odd": number % 2 == 1},
            scope=Scope(user="ilka", agent="abc"[number % 3]),
        )
        for number in range(40)
    ]
    stand.keep(*memories)
    for memory in memories[::9]:
        stand.change(memory, state=forgotten(memory).state)
    return stand


def pages(stand, condition, order, descending, size):
    """All pages, one after the other."""
    found, after = [], None
    while page := stand.query(
        condition, order=order, descending=descending, limit=size, after=after
    ):
        found += page
        after = Position(sort_value(page[-1], order), page[-1].id)
    return found


def expected(stand, condition, order, descending):
    everything = stand.query(condition, limit=1_000)
    key = lambda memory: (sort_value(memory, order), memory.id)  # noqa: E731
    return sorted(everything, key=key, reverse=descending)


@pytest.mark.parametrize(("order", "descending"), DIRECTIONS)
@pytest.mark.parametrize("size", [1, 7, 100])
def test_pages_from_index_and_from_sql_are_the_same(many, order, descending, size):
    for condition in (
        looking(),
        looking(scope=Scope(user="ilka", agent="b")),
        Condition(view=View(scope=ILKA, now=NOON), filter=parse_filter({"odd": True})),
    ):
        by_sql = pages(many, condition, order, descending, size)
        assert many.search(words="kettle").considered == 35
        by_index = pages(many, condition, order, descending, size)
        many.store._indexes.clear()
        assert by_sql == by_index == expected(many, condition, order, descending)
        assert by_sql


@pytest.mark.parametrize(("order", "descending"), DIRECTIONS)
def test_pages_over_several_users_are_sorted_together(stand, order, descending):
    for number in range(30):
        scope = Scope(user=f"user {number % 4}")
        stand.keep(
            a_memory(
                f"kettle {number}",
                scope=scope,
                at=NOON - timedelta(hours=number % 3),
                importance=(number % 5) / 4,
            )
        )
    everyone = looking(scope=Scope(), everything=True)
    found = pages(stand, everyone, order, descending, 4)
    assert found == expected(stand, everyone, order, descending)
    assert len(found) == 30


def test_a_page_over_several_users_reads_little_of_each(stand):
    for user in range(5):
        stand.keep(*(a_memory(f"kettle {n}", scope=Scope(user=str(user))) for n in range(200)))
    steps = 0

    def count():
        nonlocal steps
        steps += 1

    everyone = looking(scope=Scope(), everything=True)
    with stand.store._readers.borrow() as connection:
        connection.set_progress_handler(count, 100)
    assert len(stand.query(everyone, limit=5)) == 5
    few = steps
    steps = 0
    assert len(stand.query(everyone, limit=1_000)) == 1_000
    assert few < steps / 10


def test_a_damaged_row_does_not_mislead_a_page_from_the_index(many, damage):
    assert many.search(words="kettle").considered == 35
    condition = looking()
    whole = pages(many, condition, Order.OCCURRED_AT, False, 100)
    damage("UPDATE memories SET metadata = '{broken' WHERE id = ?", whole[3].id)
    many.store._indexes.recent.clear()
    found = pages(many, condition, Order.OCCURRED_AT, False, 5)
    assert found == [*whole[:3], *whole[4:]]


def test_counts_from_index_and_from_sql_are_the_same(many):
    condition = Condition(view=View(scope=ILKA, now=NOON), filter=parse_filter({"odd": True}))
    by_sql = many.run(many.store.count(condition))
    many.search(words="kettle")
    assert by_sql == many.run(many.store.count(condition)) > 0
