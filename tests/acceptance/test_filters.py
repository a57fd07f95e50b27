"""Filters compare by type, narrow every read, and are never dropped."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from perdure import InvalidInput, UnsupportedFilter
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

ITEMS = [
    ("nine", {"points": 9, "ready": True, "due": "2031-01-15", "tags": ["red", "蓝"]}),
    ("ten", {"points": 10, "ready": False, "due": "2031-02-01T10:00:00Z", "tags": []}),
    ("hundred", {"points": 100, "ready": "true", "due": "2031-02-01T12:00:00+00:00"}),
    ("text", {"points": "10", "ready": 1, "due": "someday", "tags": "red"}),
    ("half", {"points": 9.5, "ready": None, "due": datetime(2031, 6, 1, tzinfo=UTC)}),
    ("bare", {}),
]


@pytest.fixture
def shelf(ilka):
    ilka.remember_many(
        [
            {"content": f"Item {name}", "metadata": metadata, "importance": number / 10}
            for number, (name, metadata) in enumerate(ITEMS)
        ]
    )
    return ilka


def matching(memory, filters):
    """What passes, by every read that takes filters; they must agree."""
    listed = {text.removeprefix("Item ") for text in texts(memory.list(filters=filters))}
    recalled = {
        text.removeprefix("Item ") for text in texts(memory.recall("item", filters=filters))
    }
    assert recalled == listed
    assert memory.count(filters=filters) == len(listed)
    return listed


CASES = [
    ({"points": {"gte": 10}}, {"ten", "hundred"}),
    ({"points": {"lt": 100}}, {"nine", "ten", "half"}),
    ({"points": {"gt": 9, "lt": 10}}, {"half"}),
    ({"points": 10}, {"ten"}),
    ({"points": 10.0}, {"ten"}),
    ({"points": "10"}, {"text"}),
    ({"points": {"gt": "1"}}, {"text"}),
    ({"ready": True}, {"nine"}),
    ({"ready": "true"}, {"hundred"}),
    ({"ready": 1}, {"text"}),
    ({"ready": False}, {"ten"}),
    ({"ready": None}, {"half"}),
    ({"ready": {"exists": False}}, {"bare"}),
    ({"ready": {"ne": True}}, {"ten", "hundred", "text", "half", "bare"}),
    ({"due": {"gt": date(2031, 2, 1)}}, {"ten", "hundred", "half"}),
    ({"due": {"lte": datetime(2031, 2, 1, 10, tzinfo=UTC)}}, {"nine", "ten"}),
    (
        {"due": {"gt": datetime(2031, 2, 1, 22, tzinfo=timezone(timedelta(hours=11)))}},
        {"hundred", "half"},
    ),
    ({"due": datetime(2031, 2, 1, 12)}, {"hundred"}),  # noqa: DTZ001 - naive is UTC
    ({"tags": {"contains": "red"}}, {"nine", "text"}),
    ({"tags": {"contains": "蓝"}}, {"nine"}),
    ({"tags": []}, {"ten"}),
    ({"points": {"in": [9, 100]}}, {"nine", "hundred"}),
    ({"points": {"nin": [9, 100]}}, {"ten", "text", "half", "bare"}),
    ({"points": {"in": []}}, set()),
    ({"or": [{"points": 9}, {"ready": False}]}, {"nine", "ten"}),
    ({"and": [{"points": {"gte": 9}}, {"not": {"ready": True}}]}, {"ten", "hundred", "half"}),
    ({"or": []}, set()),
    ({"points": 9, "ready": False}, set()),
    ({"memory.importance": {"gte": 0.4}}, {"half", "bare"}),
    ({"memory.kind": "long_term", "points": 9}, {"nine"}),
    ({"memory.pinned": True}, set()),
    ({"absent": {"ne": 1}}, {name for name, _ in ITEMS}),
    ({"absent": {"lt": 1}}, set()),
    ({}, {name for name, _ in ITEMS}),
    (None, {name for name, _ in ITEMS}),
]


def test_values_compare_by_type(shelf):
    for filters, expected in CASES:
        assert matching(shelf, filters) == expected, filters


@pytest.mark.parametrize(
    "filters",
    [
        {"points": {"about": 10}},
        {"points": {"$gte": 10}},
        {"memory.colour": "red"},
        {"memory.importance": {"contains": 1}},
    ],
)
def test_what_is_not_in_the_language_is_refused_by_every_read(shelf, filters):
    for call in (
        lambda: shelf.recall("item", filters=filters),
        lambda: shelf.recall_context("item", filters=filters),
        lambda: shelf.list(filters=filters),
        lambda: shelf.count(filters=filters),
        lambda: shelf.forget_all(filters=filters),
    ):
        with pytest.raises(UnsupportedFilter):
            call()
    assert shelf.count() == len(ITEMS)


@decided_by_the_engine
@pytest.mark.parametrize(
    "filters",
    [
        "points > 3",
        ["points", 3],
        {"points": {}},
        {"and": {"points": 3}},
        {"points": {"gt": True}},
        {"points": {"gt": None}},
        {"points": {"in": "nine"}},
        {"points": {"exists": "yes"}},
        {"points": float("nan")},
        {"points": object()},
        {"points": 2**70},
        {7: 7},
    ],
    ids=repr,
)
def test_a_filter_that_says_nothing_clear_is_refused(shelf, filters):
    with pytest.raises(InvalidInput):
        shelf.list(filters=filters)
    with pytest.raises(InvalidInput):
        shelf.recall("item", filters=filters)


KEYS = [
    "it's",
    'quo"ted',
    "a.b",
    "a[0]",
    "$",
    "%",
    "_",
    "键",
    "with space",
    "a\\b",
    "and ",
    "--",
    "content",
    "id",
    "x" * 200,
]


def test_any_key_may_be_filtered_on(memory):
    for number, key in enumerate(KEYS):
        mine = memory.scoped(user=f"u{number}")
        mine.remember("The right one", metadata={key: "yes'%_\""})
        mine.remember("The wrong one", metadata={key: "no"})
        assert texts(mine.list(filters={key: "yes'%_\""})) == ["The right one"], key
        assert texts(mine.recall("one", filters={key: {"ne": "no"}})) == ["The right one"], key


def test_a_metadata_key_that_looks_like_an_attribute_is_metadata(ilka):
    ilka.remember("Its own importance", metadata={"importance": "low", "kind": "joke"})
    assert ilka.count(filters={"importance": "low"}) == 1
    assert ilka.count(filters={"kind": "long_term"}) == 0


def test_kinds_and_filters_and_windows_all_narrow(shelf):
    shelf.remember("Item extra", kind="episodic", occurred_at="2031-01-02", metadata={"points": 9})
    both = {"filters": {"points": 9}}
    assert shelf.count(**both) == 2
    assert shelf.count(kinds="episodic", **both) == 1
    assert shelf.count(kinds="episodic", between=("2031-01-01", "2031-01-02"), **both) == 1
    assert shelf.count(kinds="episodic", between=("2031-01-03", None), **both) == 0


@decided_by_the_engine
@pytest.mark.parametrize("kinds", ["xyz", ["long_term", "xyz"], [], [None]])
def test_an_unknown_kind_is_refused(shelf, kinds):
    for call in (
        lambda: shelf.recall("item", kinds=kinds),
        lambda: shelf.list(kinds=kinds),
        lambda: shelf.count(kinds=kinds),
    ):
        with pytest.raises(InvalidInput, match="kind"):
            call()


@decided_by_the_engine
@pytest.mark.parametrize("include", ["forgotten", ["superseded", "deleted"], "all"])
def test_an_unknown_include_is_refused(shelf, include):
    for call in (
        lambda: shelf.recall("item", include=include),
        lambda: shelf.list(include=include),
        lambda: shelf.count(include=include),
    ):
        with pytest.raises(InvalidInput, match="include"):
            call()
