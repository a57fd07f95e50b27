"""No statement reads more of a table than it must."""

import re

import pytest

from perdure.stores.sqlite.statements import statements

WHOLE_TABLES = {
    "all_partitions": {"partitions"},
    "await_all": {"memories"},
    "drop_foreign_vectors": {"vectors"},
    "lacking_vectors": {"a"},
    "lacking_everything": {"m"},
    "stray_vectors": {"vectors"},
    "stray_awaiting": {"awaiting_vectors"},
    "lacking_tokens": {"m", "t"},
    "stray_tokens": {"t"},
    "memory_entries": {"c"},
    "unsealed_entries": {"c"},
    "empty_entries": {"c", "chain"},
    "count_contents": {"c"},
    "whole_entries": {"c"},
    "touch_nothing": {"meta"},
    "miscounted": {"m"},
}
"""Statements that go through everything by intent, and what: `c` is the chain just found."""

SORTED_LATER = {
    "slot_members", "memory_entries", "partitions_of_tenant", "sizes", "stray_vectors",
    "archived_batches", "whole_entries", "rested", "expired", "residents_of", "crowded",
    "days_of_use", "miscounted", "touching",
}  # fmt: skip
"""Statements that sort what they found, which is little or all that was asked for."""

COMPOSED = {
    "among": "m.partition = :partition",
    "filter": "TRUE",
    "order": "m.recorded_at DESC, m.id DESC",
    "after": "AND (m.recorded_at, m.id) < (:value, :after)",
    "assignments": "version = ?",
    "column": "m.kind",
}
RUNNABLE = [
    name for name, sql in statements().items() if re.match(r"SELECT|WITH|INSERT|UPDATE|DELETE", sql)
]


def plan(stand, name):
    sql = statements()[name].format(**COMPOSED)
    named = set(re.findall(r"(?<![:\w]):([a-z_]\w*)", sql))
    numbered = {int(number) for number in re.findall(r"\?(\d+)", sql)}
    count = max(numbered) if numbered else sql.count("?")
    values = dict.fromkeys(named) if named else [None] * count
    with stand.store._readers.borrow() as connection:
        connection.execute("PRAGMA query_only = 0")
        rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        connection.execute("PRAGMA query_only = 1")
    return [row[3] for row in rows]


@pytest.mark.parametrize("name", RUNNABLE)
def test_it_scans_nothing_it_need_not(stand, name):
    steps = plan(stand, name)
    scans = {
        match.group(1)
        for step in steps
        if (match := re.match(r"SCAN (\w+)", step)) and "VIRTUAL TABLE" not in step
    } - {"CONSTANT"}
    assert scans <= WHOLE_TABLES.get(name, set()), steps


@pytest.mark.parametrize("name", RUNNABLE)
def test_it_sorts_only_what_is_little(stand, name):
    steps = plan(stand, name)
    assert name in SORTED_LATER or not any("TEMP B-TREE" in step for step in steps), steps
