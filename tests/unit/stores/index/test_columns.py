"""A filter over a column admits what the reference evaluator admits."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perdure.domain.filters import evaluate, parse_filter
from perdure.stores._index.columns import MISSING, Column
from perdure.stores._index.fields import Fields
from perdure.testing.builders import a_memory

TIMES = st.sampled_from(["2031-07-25T12:00:00+00:00", "2031-07-25", "2031-07-25T14:00:00+02:00"])
BIG = 1 << 53
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, 1e300, BIG, BIG + 1, -BIG - 1, float(BIG)]),
    st.sampled_from(["", "a", "ab", "1", "true", "茶"]),
    TIMES,
)
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=3),
    st.dictionaries(st.sampled_from(["a", "b"]), SCALARS, max_size=2),
)
NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
OPERANDS = st.one_of(VALUES, st.just(NOON))
ORDERABLE = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.5, BIG, BIG + 1, float(BIG), 1e300, "a", "ab", NOON]),
)
COMPARISONS = st.one_of(
    st.tuples(st.sampled_from(["eq", "ne", "contains"]), OPERANDS),
    st.tuples(st.sampled_from(["in", "nin"]), st.lists(OPERANDS, max_size=3)),
    st.tuples(st.just("exists"), st.booleans()),
    st.tuples(st.sampled_from(["gt", "gte", "lt", "lte"]), ORDERABLE),
)


def mask_of(stored, part):
    fields = Fields()
    numbers = np.arange(len(stored), dtype=np.int64)
    return fields.mask(part, numbers, lambda _, asked: [stored[n] for n in asked], None).tolist()


@example([BIG - 1, BIG, BIG + 1, float(BIG), 1e300], ("gt", BIG))
@example([-BIG - 1, -BIG, -BIG + 1], ("lt", -BIG))
@example([BIG, BIG + 1, BIG + 2], ("gt", BIG + 1))
@example(["soon", "", "2031-07-25", "2031-07-25T13:00:00Z", 7, None, MISSING], ("lt", NOON))
@example([True, False, 1, 0, None, MISSING, "1"], ("lte", 1))
@example([True, 1, 1.0, "1"], ("in", [1, "1"]))
@given(st.lists(st.one_of(VALUES, st.just(MISSING)), min_size=1, max_size=12), COMPARISONS)
def test_it_admits_what_the_reference_admits(stored, comparison):
    operator, value = comparison
    part = parse_filter({"field": {operator: value}})
    memories = [
        a_memory(metadata={} if item is MISSING else {"field": item, "other": 1}) for item in stored
    ]
    assert mask_of(stored, part) == [evaluate(part, memory) for memory in memories]


def test_filters_combine():
    stored = [1, 2, 3, MISSING]
    part = parse_filter({"or": [{"field": 1}, {"not": {"field": {"lt": 3}}}], "field": {"ne": 3}})
    assert mask_of(stored, part) == [True, False, False, True]
    assert mask_of(stored, parse_filter({"and": [], "field": {"exists": True}})) == [1, 1, 1, 0]
    assert mask_of(stored, parse_filter({"or": []})) == [False] * 4


def compare(column, operator, value, size):
    return column.mask(parse_filter({"field": {operator: value}}), size).tolist()


def test_values_are_read_once_and_again_when_forgotten():
    column, asked = Column(), []
    values = [5, 6, 7]

    def read(numbers):
        asked.append(numbers.tolist())
        return [values[n] for n in numbers]

    column.fill(np.arange(2), read)
    column.fill(np.arange(3), read)
    assert asked == [[0, 1], [2]]
    assert compare(column, "gt", 5, 3) == [False, True, True]
    values[1] = 1
    column.forget([1, 50])
    column.fill(np.arange(3), read)
    assert asked[2:] == [[1]]
    assert compare(column, "gt", 5, 3) == [False, False, True]


@pytest.mark.parametrize(("operator", "value"), [("contains", "x"), ("gt", "x"), ("gte", 6)])
def test_a_kept_verdict_is_extended_to_new_values(operator, value):
    column = Column()
    stored = ["x1", "a"]
    column.fill(np.arange(2), lambda numbers: [stored[n] for n in numbers])
    first = compare(column, operator, value, 2)
    stored += ["yx2", 7]
    column.fill(np.arange(4), lambda numbers: [stored[n] for n in numbers])
    both = compare(column, operator, value, 4)
    assert both[:2] == first
    part = parse_filter({"field": {operator: value}})
    assert both == [evaluate(part, a_memory(metadata={"field": item})) for item in stored]


def test_many_different_comparisons_do_not_pile_up():
    column = Column()
    column.fill(np.arange(3), lambda numbers: ["a", "b", "c"])
    for number in range(200):
        compare(column, "contains", str(number), 3)
    assert len(column._verdicts) <= 32
