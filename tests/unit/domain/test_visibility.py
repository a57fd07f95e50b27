"""The one rule for what a read may return."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.query import Condition, Order, sort_value
from perdure.domain.records import Attachment, Kind, State
from perdure.domain.scope import MAX_PART_CHARS, Scope
from perdure.domain.times import to_micros
from perdure.domain.visibility import INCLUDES, View, holds, is_visible, status
from perdure.errors import InvalidInput
from perdure.testing import ILKA, NOON, a_memory

HOUR, TICK = timedelta(hours=1), timedelta(microseconds=1)
SUPERSEDED = {"state": State.SUPERSEDED, "superseded_by": "next"}


def shown_with(memory, *, now=NOON, **view):
    """Which single `include` shows the memory; "" for none needed."""
    plain = View(scope=ILKA, now=now, **view)
    if is_visible(memory, plain):
        return {""}
    return {
        include
        for include in INCLUDES
        if is_visible(memory, replace(plain, include=frozenset({include})))
    }


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (a_memory(), {""}),
        (a_memory(state=State.COMPRESSED), {""}),
        (a_memory(state=State.ARCHIVED), {"archived"}),
        (a_memory(expires_at=NOON), {"expired"}),
        (a_memory(expires_at=NOON + TICK), {""}),
        (a_memory(at=NOON + TICK), {"former"}),
        (a_memory(at=NOON - HOUR, valid_to=NOON), {"former"}),
        (a_memory(at=NOON - HOUR, valid_to=NOON + TICK), {""}),
        (a_memory(at=NOON - HOUR, valid_to=NOON, **SUPERSEDED), {"former", "superseded"}),
        (a_memory(at=NOON - HOUR, valid_to=NOON + HOUR, **SUPERSEDED), {""}),
        (a_memory(retired_at=NOON, **SUPERSEDED), {"superseded"}),
        (a_memory(retired_at=NOON), set()),
        (a_memory(state=State.FORGOTTEN), set()),
        (a_memory(state=State.FORGOTTEN, superseded_by="next"), set()),
        (a_memory(scope=Scope(user="ben")), set()),
        (a_memory(state=State.ARCHIVED, expires_at=NOON), set()),
    ],
    ids=str,
)
def test_what_it_takes_to_see_a_memory(memory, expected):
    assert shown_with(memory) == expected


def test_nothing_forgotten_is_ever_seen():
    memory = a_memory(state=State.FORGOTTEN, superseded_by="next")
    view = View(scope=ILKA, now=NOON, include=frozenset(INCLUDES), everything=True)
    assert not is_visible(memory, view)


def test_includes_add_up():
    memory = a_memory(state=State.ARCHIVED, expires_at=NOON, valid_to=NOON)
    view = View(scope=ILKA, now=NOON, include=frozenset({"archived", "expired", "former"}))
    assert is_visible(memory, view)
    for include in view.include:
        assert not is_visible(memory, replace(view, include=view.include - {include}))


def test_as_of_moves_validity_and_not_expiry():
    memory = a_memory(at=NOON, valid_to=NOON + HOUR, expires_at=NOON + 2 * HOUR)
    assert shown_with(memory, now=NOON + HOUR, as_of=NOON) == {""}
    assert shown_with(memory, now=NOON, as_of=NOON + HOUR) == {"former"}
    assert shown_with(memory, now=NOON + 2 * HOUR, as_of=NOON) == {"expired"}


@given(st.integers(-3, 3), st.integers(-3, 3), st.none() | st.integers(-3, 3))
def test_validity_is_half_open(moment, begins, ends):
    at, until = NOON + begins * TICK, None if ends is None else NOON + ends * TICK
    memory = a_memory(at=at, valid_to=until)
    assert holds(memory, NOON + moment * TICK) == (
        begins <= moment and (ends is None or moment < ends)
    )


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (a_memory(), "current"),
        (a_memory(retired_at=NOON), "former"),
        (a_memory(at=NOON - HOUR, valid_to=NOON), "former"),
        (a_memory(at=NOON + HOUR), "former"),
        (a_memory(valid_to=NOON + HOUR, **SUPERSEDED), "current"),
    ],
    ids=str,
)
def test_a_hit_is_marked_by_what_holds_today(memory, expected):
    assert status(memory, NOON) == expected


PARTS = ("tenant", "agent", "user", "session")


@pytest.mark.parametrize("part", ["tenant", "user"])
@pytest.mark.parametrize("other", ["", "a", "A", "a ", "a%", "%", "*", "ab"])
def test_walls_are_equal_or_closed(part, other):
    scope = Scope(**{part: "a"})
    assert scope.admits(Scope(**{part: other})) == (other == "a")
    assert Scope(**{part: other}).admits(scope) == (other == "a")


@pytest.mark.parametrize("part", ["agent", "session"])
def test_the_other_parts_narrow_when_given(part):
    given, other, blank = Scope(**{part: "a"}), Scope(**{part: "b"}), Scope()
    assert given.admits(given)
    assert blank.admits(given)
    assert not given.admits(other)
    assert not given.admits(blank)


def test_everything_spans_one_tenant():
    view = View(scope=Scope(tenant="t", user="a", agent="x"), now=NOON, everything=True)
    assert view.admits_scope(Scope(tenant="t", user="b", session="s"))
    assert view.admits_scope(Scope(tenant="t"))
    assert not view.admits_scope(Scope(user="a", agent="x"))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", [None, 5, b"x", "a\x00", "\ud800", "x" * (MAX_PART_CHARS + 1)])
def test_a_part_that_no_store_keeps_is_refused_by_name(part, value):
    with pytest.raises(InvalidInput, match=f"scope.{part}"):
        Scope(**{part: value})


@pytest.mark.parametrize("part", PARTS)
def test_any_other_text_is_a_part(part):
    for value in ("", "%", "*", "a/b", "\x1f", "茶", "👍🏽", " ", "x" * MAX_PART_CHARS):
        scope = Scope(**{part: value})
        assert getattr(scope, part) == value
        assert scope.is_blank == (value == "")


def test_narrowing_replaces_what_is_given():
    scope = Scope(tenant="t", agent="a", user="u", session="s")
    assert scope.narrowed() == scope
    assert scope.narrowed(agent="", session="x") == Scope(tenant="t", user="u", session="x")
    assert scope.narrowed(tenant="n", user="") == Scope(tenant="n", agent="a", session="s")
    assert scope.walls == ("t", "u")


def admitted(memory, **parts):
    return Condition(view=View(scope=ILKA, now=NOON), **parts).admits(memory)


def test_a_condition_holds_in_all_its_parts():
    memory = a_memory(kind=Kind.EPISODIC)
    assert admitted(memory)
    assert admitted(memory, kinds=frozenset({Kind.EPISODIC, Kind.SEMANTIC}))
    assert not admitted(memory, kinds=frozenset({Kind.SEMANTIC}))
    assert not admitted(memory, kinds=frozenset())
    assert not admitted(a_memory(state=State.ARCHIVED))


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        (None, None, True),
        (0, None, True),
        (1, None, False),
        (None, 0, False),
        (None, 1, True),
        (0, 1, True),
        (-5, 0, False),
        (1, 0, False),
    ],
)
def test_a_window_is_half_open(start, end, inside):
    window = tuple(None if edge is None else NOON + edge * TICK for edge in (start, end))
    assert admitted(a_memory(), between=window) == inside


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [(1, 2, True), (3, None, True), (4, None, False), (None, 0, False), (None, 1, True)],
)
def test_a_lasting_event_is_in_every_window_it_meets(start, end, inside):
    memory = a_memory(occurred_until=NOON + 3 * TICK)
    window = tuple(None if edge is None else NOON + edge * TICK for edge in (start, end))
    assert admitted(memory, between=window) == inside


def test_a_listing_sorts_by_exact_values():
    memory = a_memory(recorded_at=NOON + TICK, occurred_at=NOON, importance=0.1 + 0.2)
    assert sort_value(memory, Order.RECORDED_AT) == to_micros(NOON) + 1
    assert sort_value(memory, Order.OCCURRED_AT) == to_micros(NOON)
    assert sort_value(memory, Order.IMPORTANCE) == 0.1 + 0.2


def test_a_search_sees_the_captions_too():
    shown = Attachment(media_type="image/png", digest="a", location="l", caption="a samovar")
    bare = Attachment(media_type="image/png", digest="b", location="l")
    assert a_memory("See.").searchable_text == "See."
    assert a_memory("See.", attachments=(bare, shown, bare)).searchable_text == "See.\na samovar"
