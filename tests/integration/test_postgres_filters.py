"""PostgreSQL compares every type with every type as the reference does."""

from __future__ import annotations

from perdure.domain.filters import evaluate, parse_filter
from perdure.domain.query import Condition, Query
from perdure.domain.visibility import View
from perdure.stores.postgres import PostgresStore
from perdure.testing import ILKA, NOON, a_change_set, a_memory
from tests.values_of_every_type import STORED, questions


async def test_every_type_compares_with_every_type_as_in_the_reference(
    store: PostgresStore,
) -> None:
    memories = [a_memory(f"memory {number}", metadata={"k": v}) for number, v in enumerate(STORED)]
    memories.append(a_memory("without the key"))
    await store.apply(a_change_set(*memories))
    for raw in questions("k"):
        part = parse_filter(raw)
        condition = Condition(view=View(scope=ILKA, now=NOON), filter=part)
        found = await store.query(Query(condition=condition, limit=len(memories)))
        expected = [memory.id for memory in memories if evaluate(part, memory)]
        assert [memory.id for memory in found] == expected, raw


async def test_numbers_of_a_record_compare_exactly(store: PostgresStore) -> None:
    memories = [
        a_memory(accessed_count=2**53 + 1, importance=1.0),
        a_memory(accessed_count=2**53, importance=0.1),
    ]
    asked = [2**53, float(2**53), 2**53 + 1, 2**63 - 1, 0.1, 0, 1, 1.0, 0.5, 1e300, -1e300, 5e-324]
    await store.apply(a_change_set(*memories))
    for attribute in ("memory.accessed_count", "memory.importance", "memory.version"):
        for operator in ("eq", "ne", "gt", "gte", "lt", "lte"):
            for value in asked:
                part = parse_filter({attribute: {operator: value}})
                condition = Condition(view=View(scope=ILKA, now=NOON), filter=part)
                found = await store.query(Query(condition=condition))
                expected = [memory.id for memory in memories if evaluate(part, memory)]
                assert [memory.id for memory in found] == expected, part


async def test_an_integer_between_two_floats_is_compared_as_it_is(store: PostgresStore) -> None:
    # Importance lies in 0..1, but the column takes any float, and so does a filter.
    memories = [a_memory(importance=float(2**60 + step)) for step in (0, 256, 512)]
    await store.apply(a_change_set(*memories))
    for operator in ("eq", "ne", "gt", "gte", "lt", "lte"):
        for value in (2**60 + 1, 2**60 + 255, 2**60 + 256, 2**60 + 257, 2**60 - 1):
            part = parse_filter({"memory.importance": {operator: value}})
            condition = Condition(view=View(scope=ILKA, now=NOON), filter=part)
            found = await store.query(Query(condition=condition))
            expected = {memory.id for memory in memories if evaluate(part, memory)}
            assert {memory.id for memory in found} == expected, part
