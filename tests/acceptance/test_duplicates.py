"""The same statement is kept once; statements that only look alike are kept apart."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

import perdure
from perdure import Outcome
from perdure.testing import FakeClock, HashingEmbedder
from tests.acceptance.processes import run_together
from tests.acceptance.reading import ids, texts

RULE = "Returns at counter six need the blue slip"


def test_the_same_statement_again_is_already_known(ilka, clock):
    first = ilka.remember(RULE)
    clock.advance(timedelta(hours=3))
    again = ilka.remember(RULE)
    assert (first.outcome, again.outcome) == (Outcome.STORED, Outcome.ALREADY_KNOWN)
    assert again.memory.id == first.memory.id
    assert ids(ilka.recall("blue slip counter")) == [first.memory.id]


def test_each_user_has_their_own_copy(memory):
    for user in ("ilka", "oto"):
        mine = memory.scoped(user=user)
        assert mine.remember(RULE).outcome is Outcome.STORED
        assert mine.remember(RULE).outcome is Outcome.ALREADY_KNOWN
    assert [memory.scoped(user=user).count() for user in ("ilka", "oto")] == [1, 1]


def test_each_agent_and_session_has_its_own_copy(memory):
    for parts in ({}, {"agent": "cook"}, {"session": "s1"}, {"agent": "cook", "session": "s1"}):
        mine = memory.scoped(user="ilka", **parts)
        assert mine.remember(RULE).outcome is Outcome.STORED
        assert mine.remember(RULE).outcome is Outcome.ALREADY_KNOWN
    assert memory.scoped(user="ilka").count() == 4


@pytest.mark.parametrize(
    "variant",
    [RULE + "  ", "\n" + RULE, RULE.replace(" ", "  "), RULE.upper(), RULE.lower()],
    ids=["trailing", "leading", "inner", "upper", "lower"],
)
def test_spaces_and_case_do_not_make_another_statement(ilka, variant):
    first = ilka.remember(RULE).memory
    again = ilka.remember(variant)
    assert (again.outcome, again.memory.id) == (Outcome.ALREADY_KNOWN, first.id)
    assert ilka.get(first.id).content == RULE


PAIRS = [
    ("Pets are permitted in the east wing", "Pets are not permitted in the east wing"),
    ("东翼可以带宠物", "东翼不可以带宠物"),
    ("The lease ends in 2034", "The lease ends in 2043"),
    ("租约到2034年结束", "租约到2043年结束"),
    ("Halla owes Per 20 crowns", "Per owes Halla 20 crowns"),
    ("Turn the valve clockwise", "Turn the valve anticlockwise"),
    ("Set flag fooBar", "Set flag foobar"),
    ("Deposit: -15", "Deposit: 15"),
    ("Meet on 3 June", "Meet on 3 July"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_statement_that_says_something_else_is_kept(ilka, one, other):
    assert ilka.remember(one).outcome is Outcome.STORED
    assert ilka.remember(other).outcome is Outcome.STORED
    assert sorted(texts(ilka.recall(one))) == sorted([one, other])


@pytest.mark.parametrize(("permission", "prohibition"), PAIRS[:2])
def test_a_negation_is_returned_without_an_embedder_too(home, permission, prohibition):
    memory = home.open(embedder="off")
    memory.remember(permission)
    memory.remember(prohibition)
    assert prohibition in texts(memory.recall(permission))


def test_the_same_words_about_another_time_are_another_memory(ilka):
    ilka.remember("Walked to the lighthouse", occurred_at="2031-03-01")
    assert ilka.remember("Walked to the lighthouse", occurred_at="2031-03-02").outcome is (
        Outcome.STORED
    )


@pytest.mark.parametrize(
    "told",
    [
        {"metadata": {"ticket": 8}},
        {"source": {"role": "user", "speaker": "Oto"}},
        {"kind": "episodic"},
        {"pinned": True},
        {"attachments": [{"media_type": "image/png", "digest": "ab", "location": "x.png"}]},
    ],
    ids=lambda told: next(iter(told)),
)
def test_nothing_that_was_told_along_is_lost_as_a_duplicate(ilka, told):
    ilka.remember(RULE)
    assert ilka.remember(RULE, **told).outcome is Outcome.STORED


def test_a_duplicate_that_lasts_longer_is_kept(ilka, clock):
    ilka.remember(RULE, expires_at=timedelta(hours=1))
    assert ilka.remember(RULE).outcome is Outcome.STORED
    clock.advance(timedelta(hours=2))
    assert texts(ilka.list()) == [RULE]


def test_a_statement_is_told_again_after_its_forerunner_expired(ilka, clock):
    ilka.remember(RULE, expires_at=timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    assert ilka.remember(RULE, expires_at=timedelta(hours=1)).outcome is Outcome.STORED
    assert ilka.count() == 1


def test_repeats_inside_one_batch_are_stored_once(ilka):
    given = ilka.remember_many([{"content": text} for text in (RULE, "雨天走南门", RULE + " ")])
    assert [item.outcome for item in given] == ["stored", "stored", "already_known"]
    assert given[2].memory.id == given[0].memory.id
    assert ilka.count() == 2


def test_a_duplicate_is_known_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        first = memory.remember(RULE).memory
    again = lasting_home.open().remember(RULE)
    assert (again.outcome, again.memory.id) == (Outcome.ALREADY_KNOWN, first.id)


def test_sixteen_threads_that_add_the_same_statement_leave_one(home):
    memory = home.open(clock=None)
    start = Barrier(16)

    def add(_):
        start.wait()
        return memory.remember("三号窑停用").memory.id

    with ThreadPoolExecutor(16) as pool:
        given = list(pool.map(add, range(16)))
    assert len(set(given)) == 1
    assert ids(memory.recall("三号窑")) == [given[0]]
    assert memory.count() == 1


def test_sixteen_threads_that_set_one_slot_leave_one_current_value(home):
    memory = home.open(clock=None)
    start = Barrier(16)

    def add(number):
        start.wait()
        try:
            return memory.remember(f"Shift lead is number {number}", key="lead").memory.id
        except perdure.Conflict:
            return None

    with ThreadPoolExecutor(16) as pool:
        stored = [item for item in pool.map(add, range(16)) if item is not None]
    assert stored
    assert memory.count() == 1
    everything = memory.list(include=("superseded", "former"), limit=1000)
    assert set(stored) <= set(ids(everything))


async def test_sixteen_tasks_that_add_the_same_statement_leave_one(tmp_path):
    async with await perdure.open_async(
        tmp_path / "memory.db", embedder=HashingEmbedder(), clock=FakeClock()
    ) as memory:
        given = await asyncio.gather(*(memory.remember(RULE) for _ in range(16)))
        assert len({item.memory.id for item in given}) == 1
        assert [item.outcome for item in given].count(Outcome.STORED) == 1
        assert await memory.count() == 1


@pytest.mark.slow
def test_four_processes_that_add_the_same_statement_leave_one(shared_home):
    shared_home.open().close()
    given = run_together("add_one", shared_home.url, RULE, processes=4)
    assert len({line for output in given for line in output}) == 1
    assert shared_home.open().count() == 1
