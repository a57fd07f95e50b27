"""The journal tells of every change, in order, once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from perdure import Conflict, InvalidInput, Scope


def told(entries):
    return [(entry.operation, entry.memory_id) for entry in entries]


def test_every_change_leaves_one_entry_in_order(ilka, clock):
    one = ilka.remember("One", actor="ada").memory
    clock.advance(timedelta(seconds=1))
    ilka.update(one.id, content="One, changed")
    two = ilka.correct(one.id, "Two").memory
    ilka.forget(two.id, reason="asked to")
    ilka.restore(two.id)
    ilka.feedback(two.id)
    entries = ilka.changes()
    assert told(entries) == [
        ("created", one.id),
        ("updated", one.id),
        ("created", two.id),
        ("superseded", one.id),
        ("forgotten", two.id),
        ("restored", two.id),
        ("reinforced", two.id),
    ]
    sequences = [entry.sequence for entry in entries]
    assert sequences == sorted(set(sequences))
    assert entries[0].actor == "ada"
    assert entries[4].reason == "asked to"


def test_an_entry_holds_what_changed_and_nothing_else(ilka):
    note = ilka.remember("A note", metadata={"a": 1}).memory
    ilka.update(note.id, importance=0.9)
    assert dict(ilka.changes()[1].change) == {"importance": 0.9, "version": 2}


def test_the_journal_goes_on_where_a_reader_stopped(ilka):
    for number in range(7):
        ilka.remember(f"Line {number}")
    seen, since = [], 0
    while page := ilka.changes(since, limit=3):
        assert len(page) <= 3
        seen += page
        since = page[-1].sequence
    assert [entry.change["content"] for entry in seen] == [f"Line {n}" for n in range(7)]
    assert ilka.changes(since) == []
    ilka.remember("Line 7")
    assert [entry.change["content"] for entry in ilka.changes(since)] == ["Line 7"]


def test_what_was_refused_leaves_no_entry(ilka):
    note = ilka.remember("A note", idempotency_key="k").memory
    for call in (
        lambda: ilka.remember(""),
        lambda: ilka.remember("Another", idempotency_key="k"),
        lambda: ilka.update(note.id, importance=0.1, expected_version=9),
        lambda: ilka.forget([note.id, "01983fd0-0000-7000-8000-00000000dead"]),
    ):
        with pytest.raises((ValueError, LookupError, Conflict)):
            call()
    ilka.remember("A note")
    ilka.update(note.id, content="A note")
    assert told(ilka.changes()) == [("created", note.id)]


def test_entries_are_chained(ilka):
    for number in range(4):
        ilka.remember(f"Line {number}")
    entries = ilka.changes()
    assert [entry.previous for entry in entries] == ["", *(entry.digest for entry in entries[:-1])]
    assert len({entry.digest for entry in entries}) == 4


def test_each_user_has_a_chain_and_everything_shows_all_in_one_order(memory):
    for number in range(6):
        memory.scoped(user=("ilka", "oto")[number % 2]).remember(f"Line {number}")
    mine = memory.scoped(user="ilka").changes()
    assert [entry.change["content"] for entry in mine] == ["Line 0", "Line 2", "Line 4"]
    assert [entry.previous for entry in mine] == ["", mine[0].digest, mine[1].digest]
    everybody = memory.changes(everything=True)
    assert [entry.change["content"] for entry in everybody] == [f"Line {n}" for n in range(6)]
    assert memory.changes() == []


def test_agent_and_session_narrow_the_journal(memory):
    memory.remember("Said in s1", scope=Scope(user="ilka", session="s1"))
    memory.remember("Said in s2", scope=Scope(user="ilka", session="s2"))
    entries = memory.changes(scope=Scope(user="ilka", session="s2"))
    assert [entry.change["content"] for entry in entries] == ["Said in s2"]


def test_the_configuration_behind_a_change_is_named(ilka):
    ilka.remember("A note")
    [hit] = ilka.recall("note")
    assert ilka.changes()[0].config_hash == hit.explanation.config_hash


def test_the_journal_is_the_same_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        note = memory.remember("A note").memory
        memory.update(note.id, content="Changed")
        before = memory.changes()
    assert lasting_home.open().changes() == before


@pytest.mark.parametrize("since", [-1, 1.5, "1", True, None])
def test_a_place_in_the_journal_that_is_none_is_refused(ilka, since):
    with pytest.raises(InvalidInput, match="since"):
        ilka.changes(since)


@pytest.mark.parametrize("limit", [0, -1, "3", True])
def test_a_limit_that_is_none_is_refused(ilka, limit):
    with pytest.raises(InvalidInput, match="limit"):
        ilka.changes(limit=limit)
