"""Search indexes follow what this and other openings write."""

import numpy as np
import pytest

from perdure.domain.changes import Accesses
from perdure.domain.query import Condition
from perdure.domain.records import State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.errors import InvalidInput
from perdure.stores.sqlite import SqliteOptions, SqliteStore, indexing, transaction
from perdure.testing.builders import (
    ILKA,
    MODEL,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    forgotten,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_stand import looking

EAST, NORTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)


@pytest.fixture
def loads(monkeypatch):
    """Counts how often a partition is loaded afresh."""

    class Loads:
        count = 0

    load = indexing.Indexes._load

    def counting(self, connection, number):
        Loads.count += 1
        return load(self, connection, number)

    monkeypatch.setattr(indexing.Indexes, "_load", counting)
    return Loads


def found(stand, **asked):
    return [candidate.id for candidate in stand.search(**asked).candidates]


def test_what_is_added_after_the_first_search_is_found_without_loading_again(stand, loads):
    first = stand.keep(a_memory("a kettle"), vectors=vectors_of(EAST))
    assert found(stand, words="kettle") == [first.id]
    second = stand.keep(a_memory("another kettle"), vectors=vectors_of(NORTH))
    assert set(found(stand, words="kettle")) == {first.id, second.id}
    assert set(found(stand, near=NORTH, model=MODEL)) == {first.id, second.id}
    assert loads.count == 1


def test_what_another_opening_writes_is_found(stand, loads):
    first = stand.keep(a_memory("a kettle"))
    assert found(stand, words="kettle") == [first.id]
    other = stand.another()
    second = a_memory("their kettle")
    stand.run(other.apply(a_change_set(second)))
    assert set(found(stand, words="kettle")) == {first.id, second.id}
    stand.run(other.apply(a_change_set(a_change(forgotten(first), before=first))))
    assert found(stand, words="kettle") == [second.id]
    assert loads.count == 1


def test_a_new_text_replaces_the_old_one(stand, loads):
    memory = stand.keep(a_memory("a kettle"), vectors=vectors_of(EAST))
    assert found(stand, words="kettle") == [memory.id]
    stand.change(memory, content="a teapot")
    assert found(stand, words="kettle") == []
    assert found(stand, words="teapot") == [memory.id]
    answer = stand.search(near=EAST, model=MODEL)
    assert (answer.candidates, answer.without_vector) == ((), 1)
    assert loads.count == 1


def test_later_vectors_of_another_opening_are_used(stand, loads):
    memory = stand.keep(a_memory("a kettle"))
    assert found(stand, words="kettle") == [memory.id]
    other = stand.another()
    assert stand.run(other.put_vectors({memory.id: (1, vectors_of(EAST))})) == 1
    assert stand.search(near=EAST, model=MODEL).candidates[0].cosine == pytest.approx(1.0)


def test_later_vectors_do_not_reload_everything(stand, loads):
    kept = stand.keep(a_memory("a kettle"), vectors=vectors_of(EAST))
    memory = stand.keep(a_memory("a kettle"))
    assert set(found(stand, near=EAST, model=MODEL)) == {kept.id}
    stand.run(stand.store.put_vectors({memory.id: (1, vectors_of(NORTH))}))
    assert set(found(stand, near=EAST, model=MODEL)) == {kept.id, memory.id}
    assert loads.count == 1


def test_an_index_that_fell_behind_the_kept_changes_starts_afresh(stand, loads, monkeypatch):
    monkeypatch.setattr(transaction, "_KEPT_TICKS", 2)
    stand.keep(a_memory("a cup"), vectors=vectors_of(EAST))
    memories = [a_memory(f"kettle {n}") for n in range(10)]
    stand.keep(*memories)
    assert stand.search(near=EAST, model=MODEL).without_vector == 10
    other = stand.another()
    for memory in memories:
        stand.run(other.put_vectors({memory.id: (1, vectors_of(EAST))}))
    assert stand.search(near=EAST, model=MODEL).without_vector == 0
    assert loads.count == 2


def test_openings_that_write_in_turns_keep_one_chain(stand):
    other = stand.another()
    for number in range(6):
        store = other if number % 2 else stand.store
        stand.run(store.apply(a_change_set(a_memory(f"kettle {number}"))))
    stand.assert_sound()


def test_recalls_counted_elsewhere_are_seen(stand):
    memory = stand.keep(a_memory("a kettle"))
    assert stand.search(words="kettle").candidates[0].accessed_count == 0
    other = stand.another()
    accesses = (Accesses(memory_id=memory.id, scope=ILKA, count=3, last_at=NOON),)
    stand.run(other.apply(a_change_set(accesses=accesses)))
    assert stand.search(words="kettle").candidates[0].accessed_count == 3


def test_filters_see_changes(stand):
    memory = stand.keep(a_memory("a kettle", metadata={"topic": "tea"}))
    condition = Condition(view=View(scope=ILKA, now=NOON), filter=_topic("tea"))
    assert stand.search(condition, words="kettle").considered == 1
    changed = stand.change(memory, metadata={"topic": "coffee"})
    assert stand.search(condition, words="kettle").considered == 0
    stand.change(changed, metadata={"topic": "tea"})
    assert stand.search(condition, words="kettle").considered == 1


def _topic(value):
    from perdure.domain.filters import parse_filter

    return parse_filter({"topic": value})


def test_adopting_another_model_forgets_the_old_vectors_everywhere(stand):
    memory = stand.keep(a_memory("a kettle"), vectors=vectors_of(EAST))
    assert found(stand, near=EAST, model=MODEL) == [memory.id]
    other = stand.another()
    assert stand.run(other.adopt_model("other@1/4", replacing=MODEL))
    answer = stand.search(near=EAST, model="other@1/4")
    assert (answer.candidates, answer.without_vector) == ((), 1)
    assert found(stand, near=EAST, model=MODEL) == []
    vectors = vectors_of(NORTH, model="other@1/4")
    assert stand.run(other.put_vectors({memory.id: (1, vectors)})) == 1
    assert found(stand, near=NORTH, model="other@1/4") == [memory.id]


def test_many_changes_of_text_are_compacted(stand, loads):
    memories = [a_memory(f"kettle {n}") for n in range(80)]
    stand.keep(*memories)
    assert len(found(stand, words="kettle", limit=100)) == 80
    stand.write(
        a_change_set(*(a_change(successor(m, content="teapot"), before=m) for m in memories))
    )
    assert len(found(stand, words="teapot", limit=100)) == 80
    assert found(stand, words="kettle", limit=100) == []
    assert loads.count == 2


def test_a_budget_keeps_few_partitions(path, loads):
    from perdure.testing.contracts._store_stand import standing

    async def opening():
        return SqliteStore.open(SqliteOptions(path=path, index_bytes=1))

    with standing(opening) as stand:
        for user in ("a", "b"):
            stand.keep(a_memory("a kettle", scope=Scope(user=user)))
        for user in ("a", "a", "b", "a"):
            assert len(found(stand, condition=looking(scope=Scope(user=user)), words="kettle")) == 1
        assert loads.count == 3
        everyone = looking(scope=Scope(), everything=True)
        assert stand.search(everyone, words="kettle").considered == 2


def test_a_damaged_vector_counts_as_none(stand, damage, caplog):
    memory = stand.keep(a_memory("a kettle"), vectors=vectors_of(EAST))
    stand.keep(a_memory("a teapot"), vectors=vectors_of(EAST))
    damage("UPDATE vectors SET data = x'0102' WHERE place = 65536")
    answer = stand.search(near=EAST, words="kettle", model=MODEL)
    by_id = {candidate.id: candidate for candidate in answer.candidates}
    assert by_id[memory.id].cosine is None
    assert answer.without_vector == 1
    assert "store.unreadable_vector" in caplog.messages


@pytest.mark.parametrize(
    "wrong", ["importance = 'much'", "lexemes = x'010203'", "occurred_at = 'noon'", "kind = x'00'"]
)
def test_a_damaged_row_does_not_hide_the_others(stand, damage, caplog, wrong):
    stand.keep(a_memory("a kettle"))
    sound = stand.keep(a_memory("another kettle"))
    damage(f"UPDATE memories SET {wrong} WHERE seq = 1")
    assert found(stand, words="kettle") == [sound.id]
    assert "store.unreadable_row" in caplog.messages


def test_rows_keep_the_contents_of_forgotten_memories_out(stand):
    memory = stand.keep(a_memory("a kettle"))
    stand.change(memory, state=State.FORGOTTEN)
    assert found(stand, words="kettle") == []
    stand.reopen()
    assert found(stand, words="kettle") == []


def test_equal_vectors_tie_whatever_stands_around_them(stand):
    rows = np.random.default_rng(3).standard_normal((40, 4))
    for row in rows:
        stand.keep(a_memory("noise"), vectors=vectors_of(tuple(row)))
    twins = [
        stand.keep(a_memory(f"twin {n}"), vectors=vectors_of((3, 2, 1, 0.5))) for n in range(9)
    ]
    best = stand.search(near=(3, 2, 1, 0.5), model=MODEL, limit=9).candidates
    assert {candidate.id for candidate in best} == {memory.id for memory in twins}
    assert len({candidate.cosine for candidate in best}) == 1


def pieces_of(stand, memory):
    """Cosines of a memory's best piece with each axis, as the search sees them."""
    found = []
    for axis in range(128):
        near = np.eye(128)[axis]
        answer = stand.search(near=tuple(near), model=WIDE)
        found += [item.cosine for item in answer.candidates if item.id == memory.id]
    return np.array(found)


WIDE = "wide@1/128"


def wide_vectors(*axes):
    return vectors_of(*(tuple(np.eye(128)[axis]) for axis in axes), model=WIDE)


def test_pieces_in_many_rows_are_all_compared(stand, damage):
    memory = stand.keep(a_memory("a kettle"), vectors=wide_vectors(*range(10)))
    stand.keep(a_memory("a cup"), vectors=wide_vectors(127))
    assert damage("SELECT count(*) FROM vectors") == [(5,)]
    assert np.array_equal(pieces_of(stand, memory), [1.0] * 10 + [0.0] * 118)
    stand.reopen()
    assert np.array_equal(pieces_of(stand, memory), [1.0] * 10 + [0.0] * 118)
    assert stand.run(stand.store.put_vectors({memory.id: (1, wide_vectors(20, 21))})) == 1
    assert np.flatnonzero(pieces_of(stand, memory)).tolist() == [20, 21]
    stand.change(memory, content="a teapot")
    assert pieces_of(stand, memory).tolist() == []
    assert stand.run(stand.store.check(repair=False)) == []


def test_a_missing_row_of_pieces_counts_as_no_vectors(stand, damage, caplog):
    memory = stand.keep(a_memory("a kettle"), vectors=wide_vectors(*range(10)))
    damage("DELETE FROM vectors WHERE place = 65537")
    assert pieces_of(stand, memory).tolist() == []
    assert "store.unreadable_vector" in caplog.messages
    assert stand.run(stand.store.check(repair=True))[0].repaired
    assert stand.run(stand.store.check(repair=False)) == []


def test_vectors_of_another_width_are_refused(stand):
    stand.keep(a_memory(), vectors=vectors_of(EAST))
    with pytest.raises(InvalidInput, match="4 dimensions here, not 3"):
        stand.keep(a_memory(), vectors=vectors_of((1, 0, 0), model=MODEL))


def test_a_change_set_that_gives_vectors_and_then_another_text_keeps_none(stand):
    memory = a_memory("a kettle")
    first = a_change(memory)
    second = successor(memory, importance=0.9)
    third = successor(second, content="a teapot")
    stand.write(
        a_change_set(
            first,
            a_change(second, before=memory, vectors=vectors_of(EAST)),
            a_change(third, before=second),
        )
    )
    assert stand.search(near=EAST, model=MODEL).without_vector == 1
    assert stand.run(stand.store.check(repair=False)) == []
