"""Bringing back what was forgotten or superseded."""

from __future__ import annotations

from datetime import timedelta

import pytest

from perdure import Conflict, NotFound, State
from tests.acceptance.reading import ids, texts


def told(memory, words):
    """What a message was kept as; None for one that asked for a loss."""
    observed = memory.observe([{"role": "user", "content": words}])
    return next((item for item in observed.memories if item.content == words), None)


def test_a_forgotten_memory_comes_back_as_it_was(ilka, clock):
    note = ilka.remember(
        "琴谱放在阁楼的箱子里",
        importance=0.9,
        metadata={"箱子": 3},
        source={"role": "user", "speaker": "依卡"},
    ).memory
    ilka.forget(note.id)
    clock.advance(timedelta(days=9))
    back = ilka.restore(note.id)
    assert (back.content, back.metadata, back.importance, back.source, back.state) == (
        note.content, note.metadata, note.importance, note.source, State.ACTIVE,
    )  # fmt: skip
    assert (back.recorded_at, back.valid_from, back.retired_at) == (
        note.recorded_at, note.valid_from, None,
    )  # fmt: skip


def test_a_restored_memory_is_found_by_its_words_and_by_its_vector(home):
    for embedder in ("hashing", "off"):
        memory = home.open(embedder="off").scoped(user=embedder)
        note = memory.remember("The sheet music lies in the attic trunk").memory
        memory.forget(note.id)
        memory.restore(note.id)
        assert ids(memory.recall("attic trunk")) == [note.id]
    with_vectors = home.open().scoped(user="vectors")
    note = with_vectors.remember("The sheet music lies in the attic trunk").memory
    with_vectors.forget(note.id)
    with_vectors.restore(note.id)
    [hit] = with_vectors.recall("The sheet music lies in the attic trunk")
    assert hit.explanation.arms["vector"] == pytest.approx(1.0, abs=1e-3)


def test_restoring_counts_as_a_version_and_stands_in_the_history(ilka):
    note = ilka.remember("Fig tree").memory
    ilka.forget(note.id)
    back = ilka.restore(note.id, actor="gardener")
    assert back.version == 3
    assert [(step.operation, step.actor) for step in ilka.history(note.id)] == [
        ("created", ""),
        ("forgotten", ""),
        ("restored", "gardener"),
    ]


def test_restoring_a_superseded_memory_undoes_the_supersession(ilka, clock):
    old = ilka.remember("Tea at four").memory
    clock.advance(timedelta(days=1))
    new = ilka.correct(old.id, "Tea at five").memory
    clock.advance(timedelta(days=1))
    ilka.restore(old.id)
    assert texts(ilka.list()) == ["Tea at four"]
    assert texts(ilka.recall("tea")) == ["Tea at four"]
    taken_back = ilka.get(new.id)
    assert (taken_back.state, taken_back.superseded_by) == (State.SUPERSEDED, old.id)


def test_restoring_the_first_of_a_chain_takes_back_all_that_followed(ilka, clock):
    first = ilka.remember("Route A").memory
    head = first
    for name in "BCD":
        clock.advance(timedelta(hours=1))
        head = ilka.correct(head.id, f"Route {name}").memory
    ilka.restore(first.id)
    assert texts(ilka.list()) == ["Route A"]


def test_restoring_what_is_current_changes_nothing(ilka):
    note = ilka.remember("Stays").memory
    assert ilka.restore(note.id).version == 1
    assert len(ilka.history(note.id)) == 1


def test_restoring_into_an_occupied_slot_is_a_conflict(ilka, clock):
    old = ilka.remember("Captain: Ada", key="captain").memory
    ilka.forget(old.id)
    clock.advance(timedelta(days=1))
    new = ilka.remember("Captain: Bo", key="captain").memory
    with pytest.raises(Conflict, match=new.id):
        ilka.restore(old.id)
    assert texts(ilka.list()) == ["Captain: Bo"]


def test_restoring_into_a_free_slot_works(ilka, clock):
    old = ilka.remember("Captain: Ada", key="captain").memory
    ilka.forget(old.id)
    clock.advance(timedelta(days=1))
    ilka.restore(old.id)
    assert texts(ilka.list()) == ["Captain: Ada"]


def test_restoring_a_superseded_slot_value_leaves_one_current(ilka, clock):
    old = ilka.remember("Captain: Ada", key="captain").memory
    clock.advance(timedelta(days=1))
    ilka.remember("Captain: Bo", key="captain")
    clock.advance(timedelta(days=1))
    ilka.restore(old.id)
    assert texts(ilka.list()) == ["Captain: Ada"]


def test_the_facts_that_fell_with_a_memory_come_back_with_it(ilka):
    note = told(ilka, "I live in Rome.")
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    ilka.forget(note.id)
    assert ilka.graph.facts(subject="user", predicate="lives_in") == []
    ilka.restore(note.id)
    [back] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert (back.id, back.object, back.provenance) == (fact.id, "Rome", (note.id,))


def test_a_fact_with_another_support_has_the_restored_one_again(ilka, clock):
    one = told(ilka, "我住在苏州。")
    clock.advance(timedelta(days=1))
    two = told(ilka, "我家住在苏州。")
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert set(fact.provenance) == {one.id, two.id}
    ilka.forget(one.id)
    ilka.restore(one.id)
    [back] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert set(back.provenance) == {one.id, two.id}
    ilka.forget(one.id)
    ilka.forget(two.id)
    ilka.restore(one.id)
    [back] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert (back.id, back.provenance) == (fact.id, (one.id,))


def test_a_fact_that_was_forgotten_for_itself_stays_so(ilka):
    note = told(ilka, "I live in Rome.")
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    ilka.forget(fact.id)
    ilka.forget(note.id)
    ilka.restore(note.id)
    assert ilka.graph.facts(subject="user", predicate="lives_in") == []


def test_words_whose_fact_was_succeeded_meanwhile_are_a_conflict(ilka, clock):
    note = told(ilka, "I live in Rome.")
    ilka.forget(note.id)
    clock.advance(timedelta(days=1))
    told(ilka, "I live in Oslo.")
    with pytest.raises(Conflict, match="lives_in"):
        ilka.restore(note.id)
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert fact.object == "Oslo"


def test_what_held_again_after_a_request_is_succeeded_again(ilka, clock):
    told(ilka, "I live in Oslo.")
    clock.advance(timedelta(days=1))
    moved = told(ilka, "I moved, I live in Rome now.")
    clock.advance(timedelta(days=1))
    told(ilka, "Forget that I live in Rome.")
    assert [fact.object for fact in ilka.graph.facts(predicate="lives_in")] == ["Oslo"]
    clock.advance(timedelta(days=1))
    ilka.restore(moved.id)
    assert [fact.object for fact in ilka.graph.facts(predicate="lives_in")] == ["Rome"]
    assert "I live in Oslo." not in texts(ilka.list())


def test_an_unknown_or_foreign_memory_cannot_be_restored(memory):
    theirs = memory.scoped(user="oto").remember("Oto's").memory
    memory.scoped(user="oto").forget(theirs.id)
    for memory_id in (theirs.id, "01983fd0-0000-7000-8000-00000000dead"):
        with pytest.raises(NotFound):
            memory.scoped(user="ilka").restore(memory_id)
    assert memory.scoped(user="oto").count() == 0


def test_a_tombstone_from_an_import_has_nothing_to_restore(home, tmp_path):
    source = home.open().scoped(user="ilka")
    note = source.remember("Words that left").memory
    source.forget(note.id)
    source.remember("Words that stayed")
    source.export(tmp_path / "export.jsonl")
    target = _another(home)
    target.import_(tmp_path / "export.jsonl")
    with pytest.raises(Conflict):
        target.scoped(user="ilka").restore(note.id)


def _another(home):
    """An empty in-memory store with the same form of client."""
    return type(home)(store="memory", form=home.form, url="memory://", loop=home.loop).open()
