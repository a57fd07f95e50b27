"""Which memories belong together."""

from datetime import timedelta
from itertools import permutations

import pytest

from perdure.domain.analysis import query_lexemes
from perdure.domain.clustering import (
    MOST,
    Item,
    clusters_of,
    names_of,
    pair,
    relatedness,
)
from perdure.testing.builders import NOON, a_memory

DAY = timedelta(days=1)


def an_item(name, *terms, at=NOON, names=(), cluster=None):
    return Item(id=name, at=at, terms=frozenset(terms), names=frozenset(names), cluster=cluster)


def linked(items, relevance=None):
    return {pair(a.id, b.id): relevance for a in items for b in items if a.id < b.id}


def groups(items, links=None):
    return sorted(
        cluster.ids for cluster in clusters_of(items, linked(items) if links is None else links)
    )


@pytest.mark.parametrize(
    ("one", "other", "relevance", "expected"),
    [
        # 0.6 × (1 + 1) / 2 + 0.25 × 1 + 0.15
        (an_item("a", 1, 2, names=["ann"]), an_item("b", 1, 2, names=["ann"]), 1.0, 1.0),
        # 0.6 × (0.5 + 0.7) / 2 + 0.15
        (an_item("a", 1, 2), an_item("b", 2, 3), 0.7, 0.51),
        # without a vector shared words count twice: 0.6 × min(1, 2 × 0.25) + 0.15
        (an_item("a", 1, 2, 3, 4), an_item("b", 4, 5, 6, 7), None, 0.45),
        # nothing but the same moment
        (an_item("a", 1), an_item("b", 2), None, 0.15),
        # three days halve nearness
        (an_item("a", 1), an_item("b", 2, at=NOON + 3 * DAY), None, 0.075),
        # of the fewer names, half are shared: 0.25 × 1/2 + 0.15
        (an_item("a", 1, names=["x", "y"]), an_item("b", 2, names=["y", "z", "w"]), None, 0.275),
        (an_item("a"), an_item("b"), None, 0.15),
    ],
)
def test_relatedness(one, other, relevance, expected):
    assert relatedness(one, other, relevance) == pytest.approx(expected)
    assert relatedness(other, one, relevance) == pytest.approx(expected)


def test_what_says_alike_comes_together():
    items = [
        an_item("a", 1, 2), an_item("b", 9), an_item("c", 1, 2), an_item("d", 1, 3),
    ]  # fmt: skip
    assert groups(items) == [("a", "c", "d"), ("b",)]


def test_the_order_of_what_is_given_does_not_matter():
    items = [
        an_item("a", 1, 2),
        an_item("b", 2, 3, at=NOON + DAY),
        an_item("c", 3, 4, at=NOON + 2 * DAY),
        an_item("d", 1, 2, 3, at=NOON + 3 * DAY),
        an_item("e", 8, 9),
    ]
    links = linked(items)
    assert len({tuple(groups(order, links)) for order in permutations(items)}) == 1


def test_only_linked_memories_are_compared():
    items = [an_item("a", 1, 2), an_item("b", 1, 2)]
    assert groups(items, {}) == [("a",), ("b",)]


def test_a_chain_of_likenesses_is_no_cluster():
    """Each is like the next, the ends are not: on average they have nothing in common."""
    items = [an_item(f"{n:02}", n, n + 1, at=NOON + 30 * n * DAY) for n in range(8)]
    assert max(len(group) for group in groups(items)) < 4


def test_a_new_memory_joins_the_summary_it_belongs_to():
    items = [
        an_item("a", 1, 2, cluster="s"), an_item("b", 1, 2, cluster="s"),
        an_item("c", 8, 9, cluster="t"), an_item("n", 1, 2),
    ]  # fmt: skip
    found = {cluster.summary: cluster.ids for cluster in clusters_of(items, linked(items))}
    assert found == {"s": ("a", "b", "n"), "t": ("c",)}


def test_what_is_in_a_summary_stays_in_it():
    items = [an_item("a", 1, 2, cluster="s"), an_item("b", 1, 2, cluster="t")]
    assert groups(items) == [("a",), ("b",)]


def test_a_cluster_takes_only_so_many():
    items = [an_item(f"{n:02}", 1, 2) for n in range(MOST + 3)]
    assert sorted(len(group) for group in groups(items)) == [3, MOST]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (
            "The boat needs a new mast.",
            "I ordered varnish for the deck of the boat.",
            "My cello teacher praised my bow grip.",
        ),
        ("给帆船换了一根新桅杆。", "帆船的甲板重新刷了清漆。", "豆豆的牙拔了，恢复得不错。"),
    ],
)
def test_sentences_on_one_subject_are_nearer(one, other, apart):
    first, second, third = (
        an_item(str(n), *query_lexemes(text)) for n, text in enumerate((one, other, apart))
    )
    assert relatedness(first, second) > relatedness(first, third)


def test_names_are_those_written_and_those_of_facts():
    fact = a_memory(
        "Ann lives in Oslo.", subject="user.sister", predicate="lives_in", object="Oslo"
    )
    memory = a_memory("Then Dana and I read 《山海经》 at gate B12.")
    assert names_of(memory, [fact]) == {"sister", "oslo", "dana", "《山海经》", "b12"}
