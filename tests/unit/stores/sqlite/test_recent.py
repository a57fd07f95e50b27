"""Rows read lately are given again only while nobody has changed them."""

import pytest

from perdure.domain.changes import Accesses
from perdure.domain.scope import Scope
from perdure.stores.sqlite import indexing, recent
from perdure.stores.sqlite.recent import RecentRows
from perdure.stores.sqlite.statements import statements as statements_by_name
from perdure.testing.builders import (
    ILKA,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    successor,
    vectors_of,
)


@pytest.fixture
def statements(stand):
    """The SQL that reading connections run."""
    run = []
    with stand.store._readers.borrow() as connection:
        connection.set_trace_callback(run.append)
    return run


def rows_read(statements):
    return sum("FROM memories AS m WHERE m.id" in sql for sql in statements)


def test_a_memory_is_read_once(stand, statements):
    memory = stand.keep(a_memory())
    for _ in range(3):
        assert stand.get(memory) == memory
    assert rows_read(statements) == 1


def test_only_what_is_missing_is_read(stand, statements):
    one, other = stand.keep(a_memory()), stand.keep(a_memory())
    stand.get(one)
    statements.clear()
    assert stand.run(stand.store.get(ILKA, [one.id, other.id, "nobody"])).keys() == {
        one.id,
        other.id,
    }
    assert sum(one.id in sql for sql in statements) == 0


def test_a_change_of_another_opening_is_seen(stand):
    memory = stand.keep(a_memory())
    assert stand.get(memory) == memory
    other = stand.another()
    after = successor(memory, content="another text")
    stand.run(other.apply(a_change_set(a_change(after, before=memory))))
    assert stand.get(memory) == after


def test_a_recall_counted_by_another_opening_is_seen(stand):
    memory = stand.keep(a_memory())
    stand.get(memory)
    other = stand.another()
    accesses = (Accesses(memory_id=memory.id, scope=ILKA, count=2, last_at=NOON),)
    stand.run(other.apply(a_change_set(accesses=accesses)))
    assert stand.stored(memory).accessed_count == 2


def test_far_behind_nothing_is_believed(stand, monkeypatch):
    monkeypatch.setattr(indexing, "_FOLLOWED_AT_MOST", 3)
    memory = stand.keep(a_memory("a kettle"), vectors=vectors_of((1, 0, 0, 0)))
    stand.get(memory)
    assert stand.search(words="kettle").considered == 1
    after = memory
    for number in range(6):
        after = stand.change(after, content=f"kettle {number}")
    assert stand.get(memory) == after
    assert stand.search(words="5").considered == 1


def test_the_walls_hold_for_rows_that_are_known(stand):
    memory = stand.keep(a_memory())
    assert stand.get(memory) == memory
    assert stand.run(stand.store.get(Scope(user="somebody else"), [memory.id])) == {}


def a_row(seq, memory_id, partition=1, content=""):
    return (seq, partition, memory_id, *[None] * 26, content, None, None)


def test_a_row_stands_in_the_order_of_the_statement():
    named = statements_by_name()["memory_columns"].split(", ")
    assert (named[recent._CONTENT], named[recent._METADATA]) == ("m.content", "m.metadata")
    assert named[:3] == ["m.seq", "m.partition", "m.id"]


def test_long_texts_are_not_kept():
    rows = RecentRows()
    rows.keep([a_row(1, "a", content="x" * 5_000)], generation=rows.generation)
    assert rows.look(["a"], 1).missing == ["a"]


def test_a_row_read_before_a_drop_is_not_kept():
    rows = RecentRows()
    generation = rows.generation
    rows.drop([1])
    rows.keep([a_row(1, "a")], generation=generation)
    assert rows.look(["a"], 1).missing == ["a"]


def test_what_was_dropped_is_unknown_and_the_rest_is_not():
    rows = RecentRows()
    rows.keep([a_row(1, "a"), a_row(2, "b")], generation=rows.generation)
    rows.drop([1, 77])
    assert rows.look(["a", "b"], 1) == ([a_row(2, "b")], ["a"])
    assert rows.look(["b"], 2) == ([], [])


def test_it_does_not_grow_without_end():
    rows = RecentRows()
    for number in range(20_000):
        rows.keep([a_row(number, str(number))], generation=rows.generation)
    assert len(rows._rows) <= 4_097
