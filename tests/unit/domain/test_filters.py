"""The filter language: what each filter means, and what is refused."""

from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.filters import ATTRIBUTES, MAX_NESTING, evaluate, json_value, parse_filter
from perdure.domain.records import Kind, Source, State
from perdure.errors import InvalidInput, UnsupportedFilter
from perdure.testing import NOON, a_memory

HOUR = timedelta(hours=1)
METADATA = {
    "one": 1,
    "float": 1.0,
    "big": 2**53 + 1,
    "zero": 0,
    "yes": True,
    "no": False,
    "null": None,
    "text": "Kettle",
    "empty": "",
    "digits": "1",
    "word": "true",
    "wild": "100%_*",
    "han": "绿茶",
    "time": "2031-07-25T14:00:00+02:00",
    "day": "2031-07-25",
    "untime": "last week",
    "list": ["a", 1, True, None, [2]],
    "none": [],
    "map": {"a": 1, "b": [1.0]},
    "a.b": "dotted",
    "": "nameless",
    "memory": "not a record",
}
MEMORY = a_memory(
    "The kettle is blue.",
    kind=Kind.EPISODIC,
    state=State.ARCHIVED,
    importance=0.25,
    pinned=True,
    key="home",
    expires_at=NOON + HOUR,
    source=Source(role="user"),
    metadata=MappingProxyType(METADATA),
)

HOLDS = [
    {"one": 1},
    {"one": 1.0},
    {"float": 1},
    {"one": {"eq": 1}},
    {"one": {"gte": 1, "lte": 1}},
    {"one": {"gt": 0.5, "lt": 2}},
    {"big": {"gt": 2.0**53}},
    {"big": {"gt": 2**53}},
    {"zero": -0.0},
    {"yes": True},
    {"yes": {"ne": 1}},
    {"no": {"ne": 0}},
    {"one": {"ne": True}},
    {"one": {"ne": "1"}},
    {"digits": "1"},
    {"digits": {"ne": 1}},
    {"word": {"ne": True}},
    {"null": None},
    {"null": {"exists": True}},
    {"null": {"ne": 0}},
    {"null": {"nin": [0, "", False]}},
    {"null": {"in": [1, None]}},
    {"text": "Kettle"},
    {"text": {"ne": "kettle"}},
    {"text": {"contains": "ettl"}},
    {"text": {"contains": ""}},
    {"text": {"gt": "Ketchup"}},
    {"text": {"lt": "a"}},
    {"text": {"in": ["x", "Kettle"]}},
    {"text": {"nin": ["x", "kettle"]}},
    {"empty": ""},
    {"empty": {"exists": True}},
    {"empty": {"lt": "a"}},
    {"wild": {"contains": "%_*"}},
    {"han": {"contains": "茶"}},
    {"han": {"gt": "z"}},
    {"time": NOON},
    {"time": NOON.astimezone(timezone(-3 * HOUR))},
    {"time": {"gte": NOON, "lt": NOON + HOUR}},
    {"time": {"in": [NOON - HOUR, NOON]}},
    {"time": "2031-07-25T14:00:00+02:00"},
    {"time": {"ne": "2031-07-25T12:00:00Z"}},
    {"day": date(2031, 7, 25)},
    {"day": {"lt": NOON}},
    {"untime": {"ne": NOON}},
    {"list": {"contains": "a"}},
    {"list": {"contains": 1.0}},
    {"list": {"contains": True}},
    {"list": {"contains": None}},
    {"list": {"contains": [2]}},
    {"list": ["a", 1, True, None, [2.0]]},
    {"list": ("a", 1, True, None, [2])},
    {"list": {"in": [[], ["a", 1, True, None, [2]]]}},
    {"none": []},
    {"map": {"eq": {"b": [1], "a": 1.0}}},
    {"a.b": "dotted"},
    {"": "nameless"},
    {"memory": "not a record"},
    {"missing": {"exists": False}},
    {"missing": {"ne": 1}},
    {"missing": {"nin": [1]}},
    {"one": {"nin": []}},
    {"memory.kind": Kind.EPISODIC},
    {"memory.kind": "episodic"},
    {"memory.state": {"in": [State.ARCHIVED, State.ACTIVE]}},
    {"memory.importance": {"gte": 0.25}},
    {"memory.pinned": True},
    {"memory.key": {"contains": "om"}},
    {"memory.content": {"contains": "kettle"}},
    {"memory.role": "user"},
    {"memory.speaker": {"exists": False}},
    {"memory.speaker": {"ne": "Ilka"}},
    {"memory.expires_at": {"gt": "2031-07-25T12:00:00Z"}},
    {"memory.expires_at": {"gt": "2031-07-25"}},
    {"memory.occurred_at": NOON},
    {"memory.occurred_at": {"in": ["2031-07-25T12:00:00+00:00"]}},
    {"memory.valid_to": {"exists": False}},
    {"memory.valid_to": {"ne": NOON}},
    {"memory.user": "ilka"},
    {"memory.tenant": ""},
    {"memory.version": 1.0},
    {"and": []},
    {"and": [{"one": 1}, {"yes": True}]},
    {"or": [{"one": 2}, {"yes": True}]},
    {"not": {"one": 2}},
    {"not": {"or": []}},
    {"not": {"missing": 1}},
    {"one": 1, "yes": True},
    {"not": {"one": 1, "yes": False}},
    {"or": [{"and": [{"one": 1}, {"not": {"no": True}}]}]},
]
FAILS = [
    {"one": 2},
    {"one": "1"},
    {"one": True},
    {"one": {"gt": 1}},
    {"one": {"gt": 0, "lt": 1}},
    {"one": {"gt": "0"}},
    {"big": {"lte": 2**53}},
    {"yes": 1},
    {"yes": {"gt": 0}},
    {"yes": {"contains": True}},
    {"no": 0},
    {"no": None},
    {"digits": 1},
    {"digits": {"gt": 0}},
    {"word": True},
    {"null": 0},
    {"null": ""},
    {"null": {"exists": False}},
    {"null": {"gt": 0}},
    {"null": {"lt": "z"}},
    {"null": {"ne": None}},
    {"text": "kettle"},
    {"text": {"contains": "KETTLE"}},
    {"text": {"contains": 1}},
    {"text": {"in": []}},
    {"text": {"in": ["%", "K%"]}},
    {"wild": {"contains": "1%"}},
    {"wild": {"contains": "1_0"}},
    {"han": {"contains": "綠"}},
    {"time": NOON + timedelta(microseconds=1)},
    {"time": {"lt": NOON}},
    {"time": {"nin": [NOON]}},
    {"untime": {"lt": NOON}},
    {"untime": NOON},
    {"one": {"lt": NOON}},
    {"list": {"contains": "b"}},
    {"list": {"contains": False}},
    {"list": {"contains": 2}},
    {"list": {"gt": "a"}},
    {"list": ["a", 1, True, None]},
    {"list": ["a", 1, 1, None, [2]]},
    {"none": None},
    {"none": {"contains": None}},
    {"map": {"contains": "a"}},
    {"map": {"eq": {"a": 1}}},
    {"map": {"eq": {"a": True, "b": [1]}}},
    {"a": "dotted"},
    {"missing": None},
    {"missing": {"exists": True}},
    {"missing": {"eq": 1}},
    {"missing": {"in": [None]}},
    {"missing": {"contains": ""}},
    {"missing": {"lte": 1}},
    {"memory.kind": "EPISODIC"},
    {"memory.speaker": {"in": ["Ilka"]}},
    {"memory.speaker": {"contains": ""}},
    {"memory.pinned": 1},
    {"memory.importance": "0.25"},
    {"memory.expires_at": {"exists": False}},
    {"memory.valid_to": {"lt": NOON}},
    {"memory.occurred_at": 5},
    {"or": []},
    {"or": [{"one": 2}]},
    {"and": [{"one": 1}, {"one": 2}]},
    {"not": {"one": 1}},
    {"not": {"and": []}},
    {"one": 1, "yes": False},
]


@pytest.mark.parametrize("raw", HOLDS, ids=str)
def test_what_holds(raw):
    assert evaluate(parse_filter(raw), MEMORY)


@pytest.mark.parametrize("raw", FAILS, ids=str)
def test_what_does_not_hold(raw):
    assert not evaluate(parse_filter(raw), MEMORY)


@pytest.mark.parametrize("raw", [*HOLDS, *FAILS], ids=str)
def test_a_negation_is_the_opposite(raw):
    assert evaluate(parse_filter({"not": raw}), MEMORY) != evaluate(parse_filter(raw), MEMORY)


@pytest.mark.parametrize("raw", [None, {}, {"and": []}])
def test_no_filter_lets_everything_through(raw):
    assert parse_filter(raw) is None
    assert evaluate(None, MEMORY)


@pytest.mark.parametrize("operator", ["regex", "like", "$eq", "EQ", "", None, 5, ("eq",)])
def test_an_unknown_operator_is_refused_by_name(operator):
    with pytest.raises(UnsupportedFilter, match="contains"):
        parse_filter({"one": {operator: 1}})


@pytest.mark.parametrize("field", ["memory.unknown", "memory.", "memory.metadata"])
def test_an_unknown_attribute_is_refused_by_name(field):
    with pytest.raises(UnsupportedFilter, match="importance"):
        parse_filter({field: 1})


@pytest.mark.parametrize("name", ["importance", "pinned", "expires_at"])
def test_contains_applies_to_text_only(name):
    with pytest.raises(UnsupportedFilter, match=f"'memory.{name}'"):
        parse_filter({f"memory.{name}": {"contains": 1}})


@pytest.mark.parametrize(
    "raw",
    [
        [],
        "one",
        5,
        {5: 1},
        {"one": {}},
        {"and": {"one": 1}},
        {"or": "one"},
        {"and": [1]},
        {"not": [{"one": 1}]},
        {"not": None},
        {"one": {"exists": 1}},
        {"one": {"in": "abc"}},
        {"one": {"in": 5}},
        {"one": {"nin": None}},
        {"one": {"gt": None}},
        {"one": {"gt": True}},
        {"one": {"lt": [1]}},
        {"one": {"lt": {"a": 1}}},
        {"one": float("nan")},
        {"one": {"gt": float("inf")}},
        {"one": 2**63},
        {"one": object()},
        {"one": {"in": [object()]}},
        {"one": b"bytes"},
        {"memory.expires_at": "last week"},
        {"memory.expires_at": {"in": ["2031-07-25", "soon"]}},
    ],
    ids=str,
)
def test_what_is_no_filter_is_refused(raw):
    with pytest.raises(InvalidInput):
        parse_filter(raw)


def test_a_filter_may_be_deep_but_not_bottomless():
    raw = {"one": 1}
    for _ in range(30):
        raw = {"not": raw}
    assert evaluate(parse_filter(raw), MEMORY)
    for _ in range(30):
        raw = {"not": raw}
    with pytest.raises(InvalidInput, match="deeper"):
        parse_filter(raw)


def test_every_attribute_can_be_asked_for():
    for name in ATTRIBUTES:
        exists = evaluate(parse_filter({f"memory.{name}": {"exists": True}}), MEMORY)
        missing = evaluate(parse_filter({f"memory.{name}": {"exists": False}}), MEMORY)
        assert exists != missing


def test_unstorable_text_is_compared_as_it_was_stored():
    memory = a_memory(metadata={"a\ufffdb": "c\ufffd"})
    assert evaluate(parse_filter({"a\x00b": "c\ud800"}), memory)


class Colour(StrEnum):
    BLUE = "blue"


class Shape(str, Enum):  # noqa: UP042
    ROUND = "round"


class Size(IntEnum):
    LARGE = 3


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ("a\x00", "a\ufffd"),
        (Colour.BLUE, "blue"),
        (Shape.ROUND, "round"),
        (Size.LARGE, 3),
        (datetime(2031, 7, 25, 12, tzinfo=timezone(HOUR)), "2031-07-25T11:00:00+00:00"),
        (datetime(2031, 7, 25, 12), "2031-07-25T12:00:00+00:00"),  # noqa: DTZ001
        (date(2031, 7, 25), "2031-07-25"),
        ((1, (2,)), [1, [2]]),
        (MappingProxyType({"a": {"b\x00": ()}}), {"a": {"b\ufffd": []}}),
        ({Shape.ROUND: 1}, {"round": 1}),
        (2**63 - 1, 2**63 - 1),
        (1 - 2**63, 1 - 2**63),
    ],
    ids=str,
)
def test_a_value_is_kept_as_json(value, kept):
    found = json_value(value, name="x")
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("-inf"),
        2**63,
        -(2**63),
        {1: 2},
        {1, 2},
        b"",
        object(),
        [1, {"a": {None: 1}}],
    ],
    ids=str,
)
def test_what_no_store_keeps_exactly_is_refused_by_name(value):
    with pytest.raises(InvalidInput, match="topic"):
        json_value(value, name="topic")


def test_values_may_be_deep_but_not_bottomless():
    value = []
    for _ in range(MAX_NESTING):
        value = [value]
    assert json_value(value, name="x") == value
    with pytest.raises(InvalidInput, match="nested"):
        json_value([value], name="x")
    endless = []
    endless.append(endless)
    with pytest.raises(InvalidInput, match="nested"):
        json_value(endless, name="x")


scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.sampled_from("ab")


@given(scalars, scalars)
def test_equality_never_crosses_types(one, other):
    held = evaluate(parse_filter({"x": other}), a_memory(metadata={"x": one}))
    numbers = {int: float, float: float}
    same_type = numbers.get(type(one), type(one)) is numbers.get(type(other), type(other))
    assert held == (same_type and one == other)


@given(scalars, st.integers(-3, 3))
def test_orders_divide_what_can_be_compared(one, other):
    memory = a_memory(metadata={"x": one})

    def held(operator):
        return evaluate(parse_filter({"x": {operator: other}}), memory)

    is_number = isinstance(one, int | float) and not isinstance(one, bool)
    assert held("lt") + held("eq") + held("gt") == (1 if is_number else 0)
    assert held("lte") == (held("lt") or held("eq"))
    assert held("gte") == (held("gt") or held("eq"))


def test_moments_are_read_in_utc():
    assert evaluate(
        parse_filter({"time": {"lt": datetime(2031, 7, 25, 12, 1, tzinfo=UTC)}}), MEMORY
    )
