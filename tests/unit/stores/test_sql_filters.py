"""Compiled filters admit exactly what the reference evaluator admits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perdure.domain.filters import ATTRIBUTES, evaluate, parse_filter
from perdure.domain.records import Kind, Memory, Source
from perdure.domain.scope import Scope
from perdure.domain.times import to_micros
from perdure.errors import UnsupportedFilter
from perdure.stores._sql.filters import compile_filter
from perdure.stores._sql.filters_sqlite import SqliteDialect, register_functions
from tests.values_of_every_type import STORED, questions

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)

# A small world, so that stored values and asked values often meet.
TEXTS = st.sampled_from(
    ["", "a", "A", "b", "%", "_", "a%b", "'", '"', "1", "true", "null", "棋", "开局", "é", "😀",
     "\uffff", "2031-07-25T12:00:00Z", "2031-07-25", "20310725T120000", " 2031-07-25T14:00+02:00",
     "2031-W30-5", "0001-01-01T00:00+10:00", "ab"]
)  # fmt: skip
KEYS = st.sampled_from(
    ["topic", "a.b", 'quo"te', "it's", "%", "$", "$.topic", "[0]", "", "主题", "and1", "topi", "\\"]
)
NUMBERS = st.one_of(
    st.sampled_from(
        [0, 1, 1.0, -1, 0.1, 0.5, 2**53, 2**53 + 1, float(2**53), 2**63 - 1, float(2**63),
         1e22, 1.152921504606847e18, 1152921504606846980, 5e-324, 1.7976931348623157e308, -0.0]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**63) + 1, 2**63 - 1),
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=5,
)
MOMENTS = st.sampled_from(
    [NOON, NOON + timedelta(microseconds=1), datetime(2031, 7, 25, tzinfo=UTC),
     datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)  # fmt: skip
OPTIONAL_TEXTS = st.none() | TEXTS
OPTIONAL_MOMENTS = st.none() | MOMENTS

MEMORIES = st.builds(
    Memory,
    id=TEXTS,
    content=TEXTS,
    scope=st.builds(Scope, tenant=TEXTS, agent=TEXTS, user=TEXTS, session=TEXTS),
    kind=st.sampled_from(Kind),
    occurred_at=MOMENTS,
    recorded_at=MOMENTS,
    valid_from=MOMENTS,
    valid_to=OPTIONAL_MOMENTS,
    expires_at=OPTIONAL_MOMENTS,
    version=st.integers(1, 3),
    importance=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    metadata=st.dictionaries(KEYS, JSON, max_size=3),
    pinned=st.booleans(),
    key=OPTIONAL_TEXTS,
    subject=OPTIONAL_TEXTS,
    source=st.builds(Source, role=OPTIONAL_TEXTS, speaker=OPTIONAL_TEXTS),
)
ASKED = JSON | MOMENTS


def _operations(
    scalars: st.SearchStrategy[Any], ordered: st.SearchStrategy[Any] = NUMBERS | TEXTS | MOMENTS
) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.fixed_dictionaries({"eq": scalars}),
        st.fixed_dictionaries({"ne": scalars}),
        st.fixed_dictionaries({"in": st.lists(scalars, max_size=4)}),
        st.fixed_dictionaries({"nin": st.lists(scalars, max_size=4)}),
        st.fixed_dictionaries({"exists": st.booleans()}),
        st.sampled_from(["gt", "gte", "lt", "lte"]).flatmap(
            lambda operator: st.fixed_dictionaries({operator: ordered})
        ),
    )


def _leaf() -> st.SearchStrategy[dict[str, Any]]:
    plain = [name for name, (kind, _) in ATTRIBUTES.items() if kind != "time"]
    times = [name for name, (kind, _) in ATTRIBUTES.items() if kind == "time"]
    texts = [name for name, (kind, _) in ATTRIBUTES.items() if kind == "text"]

    def on(names: list[str], operations: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        fields = st.sampled_from([f"memory.{name}" for name in names])
        return st.dictionaries(fields, operations, min_size=1, max_size=1)

    contains = st.fixed_dictionaries({"contains": ASKED})
    return st.one_of(
        st.dictionaries(KEYS, _operations(ASKED) | contains, min_size=1, max_size=2),
        on(plain, _operations(ASKED)),
        on(texts, contains),
        on(times, _operations(MOMENTS | NUMBERS | st.none(), MOMENTS | NUMBERS)),
    )


FILTERS = st.recursive(
    _leaf(),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"and": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"or": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=6,
)


def _row(memory: Memory) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, (kind, read) in ATTRIBUTES.items():
        value = read(memory)
        row[name] = to_micros(value) if kind == "time" and value is not None else value
    return {**row, "metadata": json.dumps(dict(memory.metadata), ensure_ascii=False)}


_TYPES = {"text": "TEXT", "number": "REAL", "boolean": "INTEGER", "time": "INTEGER"}


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    register_functions(connection)
    columns = ", ".join(f"{name} {_TYPES[kind]}" for name, (kind, _) in ATTRIBUTES.items())
    connection.execute(f"CREATE TABLE memories ({columns}, metadata TEXT)")
    yield connection
    connection.close()


def _admits(connection: sqlite3.Connection, raw: Any, memory: Memory) -> bool:
    fragment = compile_filter(parse_filter(raw), SqliteDialect())
    row = _row(memory)
    connection.execute("DELETE FROM memories")
    names = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO memories ({', '.join(row)}) VALUES ({names})", row)
    # The value itself, so that NULL shows: it would not be the opposite of anything.
    (found,) = connection.execute(
        f"SELECT {fragment.sql} FROM memories AS m", fragment.params
    ).fetchone()
    assert found in (0, 1)
    return bool(found)


def a_memory(**fields: Any) -> Memory:
    times = {"occurred_at": NOON, "recorded_at": NOON, "valid_from": NOON}
    return Memory(**{"id": "m", "content": "c", "scope": Scope(), **times, **fields})


@settings(max_examples=400, deadline=None)
@given(raw=FILTERS, memory=MEMORIES)
@example(raw={"a": {"gt": 1}}, memory=a_memory(metadata={"a": "2"}))
@example(raw={"a": {"eq": True}}, memory=a_memory(metadata={"a": 1}))
@example(raw={"not": {"a": {"gt": 1}}}, memory=a_memory())
@example(raw={"not": {"memory.key": {"contains": "x"}}}, memory=a_memory())
@example(raw={"a": {"in": [1, [1.0], NOON]}}, memory=a_memory(metadata={"a": [1]}))
@example(raw={"a": {"contains": ""}}, memory=a_memory(metadata={"a": "x"}))
def test_sqlite_admits_what_the_reference_admits(
    connection: sqlite3.Connection, raw: Any, memory: Memory
) -> None:
    assert _admits(connection, raw, memory) == evaluate(parse_filter(raw), memory)


def test_sqlite_compares_every_type_with_every_type_as_the_reference_does(
    connection: sqlite3.Connection,
) -> None:
    connection.execute("DELETE FROM memories")
    for number, value in enumerate(STORED):
        row = _row(a_memory(id=str(number), metadata={"k": value}))
        names = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO memories ({', '.join(row)}) VALUES ({names})", row)
    for raw in questions("k"):
        part = parse_filter(raw)
        fragment = compile_filter(part, SqliteDialect())
        found = connection.execute(
            f"SELECT m.id FROM memories AS m WHERE {fragment.sql}", fragment.params
        )
        expected = {
            str(number)
            for number, value in enumerate(STORED)
            if evaluate(part, a_memory(metadata={"k": value}))
        }
        assert {row[0] for row in found} == expected, raw


def test_a_filter_as_deep_as_the_language_allows_compiles(connection: sqlite3.Connection) -> None:
    raw: Any = {"n": 0}
    for depth in range(1, 31):
        word = "or" if depth % 2 else "and"
        raw = {word: [{"not": {"n": depth}}] * 3 + [raw]} if depth % 3 else {"not": raw}
    memory = a_memory(metadata={"n": 0})
    assert _admits(connection, raw, memory) == evaluate(parse_filter(raw), memory)


def test_long_filters_and_long_lists_are_answered(connection: sqlite3.Connection) -> None:
    memory = a_memory(metadata={"n": 1999, "t": "x"})
    alternatives = {"or": [{"n": number} for number in range(2000)]}
    assert _admits(connection, alternatives, memory)
    assert _admits(connection, {"n": {"in": list(range(50_000))}}, memory)
    assert _admits(connection, {"t": {"nin": [str(n) for n in range(50_000)]}}, memory)


def test_more_values_than_a_statement_carries_are_refused_not_dropped() -> None:
    raw = {"or": [{"n": number} for number in range(5000)]}
    with pytest.raises(UnsupportedFilter, match="'in'"):
        compile_filter(parse_filter(raw), SqliteDialect())
