"""The state of memories at an earlier moment, folded from the journal."""

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.changes import Accesses, Change, ChangeSet, JournalEntry, Operation
from perdure.domain.journal import lines_of
from perdure.domain.records import State
from perdure.domain.replay import accessed, replay, settled
from perdure.testing import ILKA, NOON, a_change, a_change_set, a_memory, successor

HOUR = timedelta(hours=1)


def journal(*sets: ChangeSet) -> list[JournalEntry]:
    lines = [line for changes in sets for line in lines_of(changes)]
    return [
        JournalEntry(
            sequence=sequence,
            at=line.at,
            operation=line.operation,
            memory_id=line.memory_id,
            version=line.version,
            scope=line.scope,
            actor=line.actor,
            request_id="",
            config_hash="",
            reason=line.reason,
            change=line.change,
            previous="",
            digest="",
            salt="00",
            seal="",
        )
        for sequence, line in enumerate(lines, start=1)
    ]


def an_access(memory, *, count=1, at=NOON):
    return Accesses(memory_id=memory.id, scope=ILKA, count=count, last_at=at)


def test_changes_are_folded_in_order():
    first = a_memory("first", importance=0.9)
    second = successor(first, content="second")
    third = successor(second, importance=0.5, metadata={"a": 1})
    entries = journal(
        a_change_set(first, at=NOON),
        a_change_set(a_change(second, before=first), at=NOON + HOUR),
        a_change_set(a_change(third, before=second), at=NOON + 2 * HOUR),
    )
    assert replay(entries) == {first.id: third}
    assert replay(entries, until=NOON - HOUR) == {}
    assert replay(entries, until=NOON) == {first.id: first}
    assert replay(entries, until=NOON + HOUR) == {first.id: second}
    assert replay(entries, until=NOON + 2 * HOUR - timedelta(microseconds=1)) == {first.id: second}


def test_accesses_are_counted():
    memory = a_memory(accessed_count=1)
    entries = journal(
        a_change_set(memory),
        a_change_set(accesses=(an_access(memory, count=2, at=NOON + HOUR),), at=NOON + HOUR),
        a_change_set(accesses=(an_access(memory, at=NOON - HOUR),), at=NOON + 2 * HOUR),
    )
    assert replay(entries)[memory.id] == replace(
        memory, accessed_count=4, last_accessed_at=NOON + HOUR
    )
    assert replay(entries, until=NOON) == {memory.id: memory}


def test_an_access_to_an_unknown_memory_is_nothing():
    assert replay(journal(a_change_set(accesses=(an_access(a_memory()),)))) == {}


def test_what_follows_a_later_change_is_later_although_a_clock_went_back():
    memory = a_memory("first")
    second = successor(memory, content="second")
    entries = journal(
        a_change_set(memory, at=NOON + HOUR),
        a_change_set(a_change(second, before=memory), at=NOON),
    )
    assert replay(entries, until=NOON) == {}
    assert replay(entries, until=NOON + HOUR) == {memory.id: second}


def test_a_memory_written_anew_starts_anew():
    memory = a_memory("first", key="home")
    again = replace(memory, key=None, content="again")
    entries = journal(a_change_set(memory), a_change_set(again))
    assert replay(entries) == {memory.id: again}


def test_a_forgotten_memory_is_told_as_forgotten():
    memory = a_memory()
    gone = successor(memory, state=State.FORGOTTEN)
    entries = journal(a_change_set(memory), a_change_set(a_change(gone, before=memory)))
    assert replay(entries)[memory.id].state is State.FORGOTTEN


@pytest.mark.parametrize(
    ("last", "at", "expected"),
    [(None, NOON, NOON), (NOON, NOON + HOUR, NOON + HOUR), (NOON, NOON - HOUR, NOON)],
)
def test_an_access_keeps_the_latest_time(last, at, expected):
    memory = a_memory(accessed_count=2, last_accessed_at=last)
    after = accessed(memory, count=3, last_at=at)
    assert after == replace(memory, accessed_count=5, last_accessed_at=expected)


def test_a_new_memory_settles_as_it_is():
    memory = a_memory(accessed_count=3)
    assert settled(a_change(memory), memory) == memory


def test_counters_a_change_did_not_touch_stay_as_they_are_stored():
    before = a_memory(accessed_count=1)
    stored = replace(before, accessed_count=5, last_accessed_at=NOON)
    change = a_change(successor(before, importance=0.9), before=before)
    assert settled(change, stored) == replace(change.after, accessed_count=5, last_accessed_at=NOON)


def test_counters_a_change_set_are_taken():
    before = a_memory(accessed_count=1, last_accessed_at=NOON)
    stored = replace(before, accessed_count=5)
    after = successor(before, accessed_count=0, last_accessed_at=None)
    assert settled(a_change(after, before=before), stored) == after


def test_settling_and_replaying_agree():
    before = a_memory()
    change = a_change(successor(before, importance=0.9), before=before)
    entries = journal(
        a_change_set(before),
        a_change_set(accesses=(an_access(before, count=4),)),
        a_change_set(change),
    )
    stored = accessed(before, count=4, last_at=NOON)
    assert replay(entries)[before.id] == settled(change, stored)


def test_only_words_of_a_search_make_a_text_another():
    memory = a_memory()
    assert a_change(memory).text_changed
    assert a_change(successor(memory, content="x"), before=memory).text_changed
    same = Change(operation=Operation.UPDATED, before=memory, after=successor(memory, key="k"))
    assert not same.text_changed
