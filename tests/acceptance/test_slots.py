"""A slot has one value at a time, in the order in which the values became true."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import permutations
from random import Random

import pytest

from perdure import Outcome
from tests.acceptance.reading import texts

DESK = "desk/ilka"


def on(memory, day, **options):
    """What holds on that day."""
    return texts(memory.list(as_of=day, **options))


def test_a_newer_value_supersedes_the_one_before(ilka):
    old = ilka.remember("Workshop at the harbour", key="workshop", valid_from="2031-01-01").memory
    given = ilka.remember("Workshop on the hill", key="workshop", valid_from="2031-02-01")
    assert (given.outcome, given.superseded) == (Outcome.SUPERSEDED, (old.id,))
    assert texts(ilka.recall("workshop")) == ["Workshop on the hill"]
    assert ilka.get(old.id).valid_to == given.memory.valid_from


def test_late_news_fills_the_past_and_leaves_the_present(ilka):
    ilka.remember("车间在苏州", key="车间", valid_from="2031-02-01")
    late = ilka.remember("车间在无锡", key="车间", valid_from="2030-06-01")
    assert late.outcome is Outcome.STORED
    assert texts(ilka.recall("车间在哪里")) == ["车间在苏州"]
    assert texts(ilka.recall("车间在哪里", as_of="2030-12-31")) == ["车间在无锡"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_arrival_does_not_matter(ilka, clock, order):
    values = [
        ("Tenor: Albin", "2030-01-01"),
        ("Tenor: Bela", "2030-05-01"),
        ("Tenor: Ciro", "2030-09-01"),
    ]
    for place in order:
        words, begins = values[place]
        ilka.remember(words, key="tenor", valid_from=begins)
        clock.advance(timedelta(minutes=1))
    asked = ["2029-12-31", "2030-01-01", "2030-04-30", "2030-05-01", "2030-08-31", "2030-09-01"]
    assert [on(ilka, day) for day in asked] == [
        [],
        ["Tenor: Albin"],
        ["Tenor: Albin"],
        ["Tenor: Bela"],
        ["Tenor: Bela"],
        ["Tenor: Ciro"],
    ]
    assert ilka.count() == 1


@pytest.mark.parametrize("key", [DESK, None], ids=["slot", "plain validity"])
def test_the_same_value_can_hold_twice_with_another_between(ilka, key):
    for words, begins, ends in (
        ("Runa sits at the bindery desk", "2030-01-01", "2030-04-01"),
        ("Runa sits at the archive desk", "2030-04-01", "2030-09-01"),
        ("Runa sits at the bindery desk", "2030-09-01", None),
    ):
        given = ilka.remember(words, key=key, valid_from=begins, valid_to=ends)
        assert given.outcome is not Outcome.ALREADY_KNOWN
    days = ("2030-02-10", "2030-06-10", "2030-10-10")
    assert [text.split()[-2] for day in days for text in on(ilka, day)] == [
        "bindery",
        "archive",
        "bindery",
    ]
    assert ilka.count(include=("superseded", "former")) == 3


@pytest.mark.parametrize("key", [DESK, None], ids=["slot", "plain validity"])
def test_two_intervals_of_one_value_survive_reopening(lasting_home, key):
    with lasting_home.open() as memory:
        for words, begins, ends in (
            ("她住在洛阳", "2029-01-01", "2029-06-01"),
            ("她住在开封", "2029-06-01", "2030-01-01"),
            ("她住在洛阳", "2030-01-01", None),
        ):
            memory.remember(words, key=key, valid_from=begins, valid_to=ends)
    memory = lasting_home.open()
    assert [on(memory, day) for day in ("2029-03-01", "2029-08-01", "2031-01-01")] == [
        ["她住在洛阳"],
        ["她住在开封"],
        ["她住在洛阳"],
    ]


def test_a_bounded_interruption_gives_the_place_back(ilka):
    ilka.remember("Guard post: north gate", key="post", valid_from="2031-01-01")
    ilka.remember(
        "Guard post: mill lane", key="post", valid_from="2031-02-01", valid_to="2031-02-08"
    )
    days = ("2031-01-31", "2031-02-01", "2031-02-07", "2031-02-08", "2031-03-01")
    assert [on(ilka, day) for day in days] == [
        ["Guard post: north gate"],
        ["Guard post: mill lane"],
        ["Guard post: mill lane"],
        ["Guard post: north gate"],
        ["Guard post: north gate"],
    ]


def test_history_of_a_resumed_value_reaches_back_through_the_interruption(ilka):
    first = ilka.remember("Guard post: north gate", key="post", valid_from="2031-01-01").memory
    between = ilka.remember(
        "Guard post: mill lane", key="post", valid_from="2031-02-01", valid_to="2031-02-08"
    ).memory
    [resumed] = ilka.list()
    assert {step.memory.id for step in ilka.history(resumed.id)} == {
        first.id,
        between.id,
        resumed.id,
    }


def test_another_value_from_the_same_instant_replaces_the_first(ilka, clock):
    first = ilka.remember("Pilot boat: Alk", key="pilot", valid_from="2031-02-01").memory
    clock.advance(timedelta(hours=1))
    second = ilka.remember("Pilot boat: Lom", key="pilot", valid_from="2031-02-01")
    assert second.superseded == (first.id,)
    assert on(ilka, "2031-02-01") == ["Pilot boat: Lom"]
    assert ilka.get(first.id).retired_at == clock.now()


def test_the_current_value_again_is_already_known(ilka, clock):
    first = ilka.remember("Pilot boat: Alk", key="pilot").memory
    clock.advance(timedelta(days=1))
    again = ilka.remember("Pilot boat: Alk", key="pilot")
    assert (again.outcome, again.memory.id) == (Outcome.ALREADY_KNOWN, first.id)


def test_a_value_that_held_before_is_news_when_it_returns(ilka, clock):
    for name in ("Alk", "Lom", "Alk"):
        clock.advance(timedelta(days=1))
        assert ilka.remember(f"Pilot boat: {name}", key="pilot").outcome is not (
            Outcome.ALREADY_KNOWN
        )
    assert texts(ilka.list()) == ["Pilot boat: Alk"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("a%", "ab"), ("a_c", "abc"), ("a/b", "a"), ("Key", "key"), ("x:y", "x"), ("键", "键 ")],
)
def test_slot_keys_are_opaque(ilka, one, other):
    ilka.remember("first of two", key=one)
    ilka.remember("second of two", key=other)
    assert sorted(texts(ilka.list())) == ["first of two", "second of two"]


def test_a_slot_belongs_to_one_scope(memory):
    ilka, oto = memory.scoped(user="ilka"), memory.scoped(user="oto")
    ilka.remember("Lives in Rovaniemi", key="home")
    oto.remember("Lives in Turku", key="home")
    memory.scoped(user="ilka", agent="tutor").remember("Teaches from Oulu", key="home")
    assert sorted(texts(ilka.list())) == ["Lives in Rovaniemi", "Teaches from Oulu"]
    assert texts(oto.list()) == ["Lives in Turku"]


def test_several_values_of_one_slot_in_one_call_are_taken_in_order(ilka):
    given = ilka.remember_many(
        [
            {"content": "Price is 3", "key": "price", "valid_from": "2031-01-01"},
            {"content": "Price is 5", "key": "price", "valid_from": "2031-03-01"},
            {"content": "Price is 4", "key": "price", "valid_from": "2031-02-01"},
        ]
    )
    assert len({item.memory.id for item in given}) == 3
    days = ("2031-01-15", "2031-02-15", "2031-03-05")
    assert [on(ilka, day) for day in days] == [["Price is 3"], ["Price is 4"], ["Price is 5"]]


def test_a_value_that_begins_later_is_not_yet_current(ilka, clock):
    ilka.remember("Fee is 10", key="fee")
    ilka.remember("Fee is 12", key="fee", valid_from="2031-04-01")
    assert texts(ilka.recall("fee")) == ["Fee is 10"]
    clock.set("2031-04-01")
    assert texts(ilka.recall("fee")) == ["Fee is 12"]


# --- any sequence of news -------------------------------------------------------------------------

DAY_ONE = date(2030, 1, 1)


def day(number):
    return (DAY_ONE + timedelta(days=number)).isoformat()


def told(segments, start, end, words):
    """The (start, end, words) of a slot after one more piece of news; None: no end."""
    following = min((begin for begin, _, _ in segments if begin > start), default=None)
    stop = min((moment for moment in (end, following) if moment is not None), default=None)
    kept = []
    for begin, until, value in segments:
        if not (begin <= start and (until is None or until > start)):
            kept.append((begin, until, value))
            continue
        if begin < start:
            kept.append((begin, start, value))
            if end is not None and stop == end and (until is None or until > end):
                kept.append((end, until, value))
    return sorted([*kept, (start, stop, words)])


@pytest.mark.parametrize("seed", range(5))
def test_any_sequence_of_news_gives_one_value_at_any_time(ilka, clock, seed):
    chance, segments = Random(seed), []
    for number in range(14):
        start = chance.randrange(20)
        end = chance.choice([None, None, start + chance.randint(1, 8)])
        words = f"Watch number {number}"
        clock.advance(timedelta(minutes=1))
        ilka.remember(
            words,
            key="watch",
            valid_from=day(start),
            valid_to=None if end is None else day(end),
        )
        segments = told(segments, start, end, words)
    for number in range(-1, 32):
        holding = [
            words
            for begin, until, words in segments
            if begin <= number and (until is None or number < until)
        ]
        assert len(holding) <= 1
        assert texts(ilka.list(as_of=day(number))) == holding, day(number)
    assert ilka.verify(repair=False).problems == ()
