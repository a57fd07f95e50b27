"""The same request again gives the same answer and stores nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from perdure import Conflict, Outcome, State
from tests.acceptance.reading import texts


def test_the_same_request_again_gives_the_same_answer(ilka, clock):
    first = ilka.remember("Booked berth 12", idempotency_key="req-1", metadata={"a": 1})
    clock.advance(timedelta(days=1))
    again = ilka.remember("Booked berth 12", idempotency_key="req-1", metadata={"a": 1})
    assert again == replace(first, repeated=True)
    assert (ilka.count(), len(ilka.changes())) == (1, 1)


def test_the_answer_of_a_slot_change_comes_again_whole(ilka, clock):
    old = ilka.remember("Captain: Ada", key="captain").memory
    clock.advance(timedelta(days=1))
    first = ilka.remember("Captain: Bo", key="captain", idempotency_key="req-2")
    clock.advance(timedelta(days=1))
    ilka.remember("Captain: Cy", key="captain")
    again = ilka.remember("Captain: Bo", key="captain", idempotency_key="req-2")
    assert (again.outcome, again.superseded) == (Outcome.SUPERSEDED, (old.id,))
    assert again.memory.id == first.memory.id
    assert texts(ilka.list()) == ["Captain: Cy"]


def test_already_known_is_an_answer_too(ilka):
    known = ilka.remember("The pier is closed").memory
    first = ilka.remember("The pier is closed", idempotency_key="req-3")
    ilka.forget(known.id)
    again = ilka.remember("The pier is closed", idempotency_key="req-3")
    assert (first.outcome, again.outcome) == (Outcome.ALREADY_KNOWN, Outcome.ALREADY_KNOWN)
    assert again.memory.id == known.id
    assert ilka.count() == 0


OTHERS = [
    {"content": "Booked berth 13"},
    {"importance": 0.9},
    {"metadata": {"a": 2}},
    {"metadata": {"a": True}},
    {"kind": "episodic"},
    {"key": "slot"},
    {"pinned": True},
    {"occurred_at": "2031-01-01"},
    {"valid_to": "2032-01-01"},
    {"expires_at": timedelta(days=1)},
    {"source": {"role": "user"}},
    {"attachments": [{"media_type": "a/b", "digest": "d", "location": "l"}]},
]


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_another_request_with_the_key_is_a_conflict(ilka, other):
    asked = {"content": "Booked berth 12", "metadata": {"a": 1}}
    ilka.remember(**asked, idempotency_key="req-1")
    with pytest.raises(Conflict, match="req-1"):
        ilka.remember(**{**asked, **other}, idempotency_key="req-1")
    assert texts(ilka.list()) == ["Booked berth 12"]


def test_a_request_in_another_session_with_the_key_is_a_conflict(memory):
    memory.scoped(user="ilka", session="s1").remember("Booked", idempotency_key="req-1")
    with pytest.raises(Conflict):
        memory.scoped(user="ilka", session="s2").remember("Booked", idempotency_key="req-1")
    assert memory.scoped(user="ilka").count() == 1


def test_a_key_belongs_to_one_user_of_one_tenant(memory):
    for scope in ({"user": "ilka"}, {"user": "oto"}, {"tenant": "north", "user": "ilka"}):
        given = memory.scoped(**scope).remember(f"Of {scope}", idempotency_key="req-1")
        assert given.outcome is Outcome.STORED


@pytest.mark.parametrize("other", ["req", "req-1 ", "REQ-1", "req%", "req_1", "请求-1"])
def test_keys_are_opaque(ilka, other):
    ilka.remember("First", idempotency_key="req-1")
    assert ilka.remember("Second", idempotency_key=other).outcome is Outcome.STORED


def test_a_repeated_request_does_not_bring_back_what_was_forgotten(ilka):
    note = ilka.remember("Booked berth 12", idempotency_key="req-1").memory
    ilka.forget(note.id)
    again = ilka.remember("Booked berth 12", idempotency_key="req-1")
    assert (again.memory.id, again.memory.state) == (note.id, State.FORGOTTEN)
    assert texts(ilka.list()) == []
    assert texts(ilka.recall("booked berth")) == []


def test_a_key_is_remembered_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        first = memory.remember("Booked berth 12", idempotency_key="req-1")
    memory = lasting_home.open()
    again = memory.remember("Booked berth 12", idempotency_key="req-1")
    assert again == replace(first, repeated=True)
    with pytest.raises(Conflict):
        memory.remember("Booked berth 13", idempotency_key="req-1")


def test_a_batch_may_be_repeated_item_by_item(ilka):
    items = [
        {"content": f"Leg {number} of the trip", "idempotency_key": f"leg-{number}"}
        for number in range(4)
    ]
    first = ilka.remember_many(items)
    again = ilka.remember_many([*items, {"content": "Leg 4", "idempotency_key": "leg-4"}])
    assert again[:4] == [replace(item, repeated=True) for item in first]
    assert again[4].outcome is Outcome.STORED
    assert ilka.count() == 5


def test_one_clashing_key_refuses_the_whole_batch(ilka):
    ilka.remember("Leg 0", idempotency_key="leg-0")
    with pytest.raises(Conflict, match="leg-0"):
        ilka.remember_many(
            [
                {"content": "Leg 1", "idempotency_key": "leg-1"},
                {"content": "Another leg 0", "idempotency_key": "leg-0"},
            ]
        )
    assert texts(ilka.list()) == ["Leg 0"]
    assert ilka.remember("Leg 1", idempotency_key="leg-1").outcome is Outcome.STORED


def test_the_same_key_twice_in_one_batch_is_one_request(ilka):
    item = {"content": "Leg 1", "idempotency_key": "leg-1", "metadata": {"n": 1}}
    first, second = ilka.remember_many([item, item])
    assert (first.memory.id, ilka.count()) == (second.memory.id, 1)
    assert (first.repeated, second.repeated) == (False, True)


def test_a_key_used_twice_for_two_things_in_one_batch_is_a_conflict(ilka):
    with pytest.raises(Conflict, match="leg"):
        ilka.remember_many([{"content": f"Leg {n}", "idempotency_key": "leg"} for n in range(2)])
    assert ilka.count() == 0


def test_a_refused_request_does_not_use_up_its_key(ilka):
    with pytest.raises(ValueError):
        ilka.remember("x", importance=7, idempotency_key="req-1")
    assert ilka.remember("y", idempotency_key="req-1").outcome is Outcome.STORED


def test_of_threads_with_the_same_request_all_get_one_answer(home):
    memory = home.open(clock=None)
    start = Barrier(12)

    def ask(_):
        start.wait()
        return memory.remember("订了十二号泊位", idempotency_key="req-9", metadata={"n": 1})

    with ThreadPoolExecutor(12) as pool:
        given = list(pool.map(ask, range(12)))
    assert len({item.memory.id for item in given}) == 1
    assert {item.outcome for item in given} == {Outcome.STORED}
    assert memory.count() == 1
