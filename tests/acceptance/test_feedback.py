"""The loop is closed: what was used holds longer, what was wrong fades, and both are reported."""

from __future__ import annotations

from datetime import timedelta

import pytest

from perdure import InvalidInput, NotFound
from tests.acceptance.home import decided_by_the_engine

DAY = timedelta(days=1)


@pytest.fixture
def facts(ilka):
    """Memories of two values of the same kind, and one about something else."""
    return {
        "home": ilka.remember("The house of Ilka is in Porto.", understand=False).memory,
        "tea": ilka.remember("The favourite tea of Ilka is Oolong.", understand=False).memory,
        "茶": ilka.remember("伊尔卡最喜欢的酒是波特酒。", understand=False).memory,
    }


def test_the_answer_tells_what_was_used(ilka, facts):
    recall = ilka.recall("Where is the house of Ilka?", limit=10)
    assert recall.query == "Where is the house of Ilka?"
    found = ilka.feedback_from("Her house is in Porto.", recall)
    assert [memory.id for memory in found.used] == [facts["home"].id]
    assert set(found.unused) == {hit.memory.id for hit in recall} - {facts["home"].id}
    used = ilka.get(facts["home"].id)
    assert (used.used_count, used.strength.repetitions) == (1, 1)
    assert used.importance == pytest.approx(0.525)
    assert ilka.get(facts["tea"].id).used_count == 0


def test_an_answer_in_chinese_tells_too(ilka, facts):
    recall = ilka.recall("伊尔卡最喜欢的酒是什么？", limit=10)
    found = ilka.feedback_from("她最喜欢的是波特酒。", recall)
    assert [memory.id for memory in found.used] == [facts["茶"].id]


def test_an_answer_that_knows_nothing_used_nothing(ilka, facts):
    recall = ilka.recall("Where is the house of Ilka?", limit=10)
    before = len(ilka.changes())
    assert ilka.feedback_from("I do not know where the house of Ilka is.", recall).used == ()
    assert len(ilka.changes()) == before


def test_a_cited_label_is_a_use_and_plain_ids_will_do(ilka, facts):
    text = ilka.recall_context("house and tea of Ilka", limit=10)
    label = next(item.label for item in text.citations if item.memory_id == facts["tea"].id)
    assert [m.id for m in ilka.feedback_from(f"See [{label}].", text).used] == [facts["tea"].id]
    ids = [facts["home"].id, facts["tea"]]
    found = ilka.feedback_from("Porto, I believe.", ids, question="Where is the house of Ilka?")
    assert [memory.id for memory in found.used] == [facts["home"].id]


def test_what_was_forgotten_meanwhile_is_passed_over(ilka, facts):
    recall = ilka.recall("Where is the house of Ilka?", limit=10)
    ilka.forget(facts["home"].id)
    assert ilka.feedback_from("Her house is in Porto.", recall).used == ()


@decided_by_the_engine
def test_what_is_no_answer_is_refused(ilka, facts):
    recall = ilka.recall("Ilka")
    for answer, recalled in ((None, recall), ("Porto", None), ("Porto", [1]), ("Porto", "an id")):
        with pytest.raises(InvalidInput):
            ilka.feedback_from(answer, recalled)
    with pytest.raises(InvalidInput):
        ilka.feedback_from("Porto", recall, question=7)
    assert ilka.feedback_from("Porto", []).used == ()


def test_being_wrong_is_a_lapse_and_lowers_confidence(ilka, facts):
    [after] = ilka.feedback(facts["home"].id, wrong=True)
    assert after == ilka.get(facts["home"].id)
    assert after.confidence == pytest.approx(0.7)
    assert after.importance == pytest.approx(0.4)
    assert after.used_count == 0
    assert ilka.history(after.id)[-1].operation == "reinforced"


@decided_by_the_engine
def test_wrong_and_helpful_contradict_each_other(ilka, facts):
    with pytest.raises(InvalidInput):
        ilka.feedback(facts["home"].id, wrong=True, helpful=True)
    with pytest.raises(InvalidInput):
        ilka.feedback(facts["home"].id, wrong="yes")
    with pytest.raises(NotFound):
        ilka.feedback("01983fd0-0000-7000-8000-00000000dead", wrong=True)


def test_what_is_used_outlives_what_is_not(home, clock):
    from perdure import Settings

    ilka = home.open(settings=Settings(quota=1)).scoped(user="ilka")
    kept = ilka.remember("Note: used", importance=0.5).memory
    other = ilka.remember("Note: never used", importance=0.55).memory
    for _ in range(3):
        clock.advance(4 * DAY)
        ilka.feedback(kept.id)
    clock.advance(40 * DAY)
    assert [item.memory_id for item in ilka.evict(dry_run=True).actions] == [other.id]


def test_the_utility_ratio_is_reported_by_day_and_week(ilka, facts, clock):
    for _ in range(4):
        ilka.recall("house of Ilka in Porto", limit=1)
    ilka.feedback(facts["home"].id)
    clock.advance(DAY)
    ilka.recall("house of Ilka in Porto", limit=1)
    ilka.feedback(facts["home"].id)
    numbers = ilka.stats()
    assert numbers.utility_target == 0.6
    assert len(numbers.utility_by_day) == 14
    assert len(numbers.utility_by_week) == 12
    # What is not written yet counts for today.
    assert sum(day.recalled for day in numbers.utility_by_day) == 5
    assert [day.used for day in numbers.utility_by_day[-2:]] == [1, 1]
    week = numbers.utility_by_week[-1]
    assert (week.recalled, week.used, week.ratio, week.meets_target) == (5, 2, 0.4, False)
    assert numbers.utility_by_week[0].ratio is None


def test_what_is_often_recalled_and_never_used_is_listed(ilka, facts):
    for _ in range(3):
        ilka.recall("house of Ilka in Porto", limit=1)
    for _ in range(2):
        ilka.recall("favourite tea Oolong of Ilka", limit=1)
    ids = [memory.id for memory in ilka.never_used(at_least=2)]
    assert ids == [facts["home"].id, facts["tea"].id]
    assert [memory.accessed_count for memory in ilka.never_used(at_least=2, limit=1)] == [3]
    assert [memory.id for memory in ilka.never_used(at_least=3)] == [facts["home"].id]
    ilka.feedback(facts["home"].id)
    assert [memory.id for memory in ilka.never_used(at_least=2)] == [facts["tea"].id]
