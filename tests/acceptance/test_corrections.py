"""A correction takes the place of what was believed; the old words stay readable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from perdure import Conflict, InvalidInput, NotFound, Outcome, State
from perdure.testing import ScriptedEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids, texts


@dataclass(frozen=True)
class Story:
    """`query` repeats the words of `old`, so likeness alone would prefer what is outdated."""

    old: str
    new: str
    query: str


STORIES = [
    pytest.param(
        Story(
            "Ferry timetable: the Lindau ferry leaves pier two, the Lindau night ferry too",
            "Since the rebuilding it departs from pier seven",
            "Lindau ferry timetable pier two",
        ),
        id="english",
    ),
    pytest.param(
        Story(
            "会议室安排：周报会在三楼会议室，周会也在三楼会议室",
            "现在都改到一楼的报告厅了",
            "三楼会议室 周报会安排",
        ),
        id="chinese",
    ),
]


@pytest.fixture(params=STORIES)
def story(request):
    return request.param


@pytest.fixture(params=["by id", "by query", "by memory"])
def target(request):
    """How a caller names what it corrects."""

    def named(memory, story):
        return {"by id": memory.id, "by query": story.query, "by memory": memory}[request.param]

    return named


def test_a_correction_takes_the_old_words_out_of_recall(ilka, story, target):
    old = ilka.remember(story.old).memory
    corrected = ilka.correct(target(old, story), story.new)
    assert corrected.outcome is Outcome.SUPERSEDED
    assert corrected.superseded == (old.id,)
    assert old.id not in ids(ilka.recall(story.query))
    assert ids(ilka.recall(story.new)) == [corrected.memory.id]
    assert ids(ilka.list()) == [corrected.memory.id]


def test_a_corrected_memory_stays_readable_and_points_to_its_successor(ilka, story):
    old = ilka.remember(story.old).memory
    new = ilka.correct(old.id, story.new).memory
    read = ilka.get(old.id)
    assert (read.content, read.state) == (story.old, State.SUPERSEDED)
    assert (read.superseded_by, new.supersedes) == (new.id, (old.id,))


def test_recall_shows_a_corrected_memory_as_former_when_asked_to(ilka, clock, story):
    old = ilka.remember(story.old).memory
    clock.advance(timedelta(hours=1))
    ilka.correct(old.id, story.new)
    found = {hit.memory.id: hit.status for hit in ilka.recall(story.query, include="superseded")}
    assert found[old.id] == "former"


def test_history_tells_of_a_correction_oldest_first(ilka, clock, story):
    old = ilka.remember(story.old).memory
    clock.advance(timedelta(minutes=40))
    new = ilka.correct(old.id, story.new, reason="heard at the counter", actor="clerk").memory
    steps = [(step.operation, step.memory.id) for step in ilka.history(new.id)]
    assert steps[0] == ("created", old.id)
    assert set(steps[1:]) == {("created", new.id), ("superseded", old.id)}
    assert [step.at for step in ilka.history(new.id)] == sorted(
        step.at for step in ilka.history(new.id)
    )
    assert {step.actor for step in ilka.history(new.id)} == {"", "clerk"}
    assert ilka.history(new.id)[-1].reason == "heard at the counter"


def test_history_follows_a_chain_of_corrections_to_its_beginning(ilka, clock):
    head = ilka.remember("The choir rehearses in hall 1").memory
    for hall in (2, 3, 4):
        clock.advance(timedelta(days=1))
        head = ilka.correct(head, f"The choir rehearses in hall {hall}").memory
    created = [step for step in ilka.history(head.id) if step.operation == "created"]
    assert [step.memory.content[-1] for step in created] == ["1", "2", "3", "4"]


def test_a_correction_holds_after_reopening(lasting_home, story):
    with lasting_home.open() as memory:
        old = memory.remember(story.old).memory
        new = memory.correct(old.id, story.new).memory
    memory = lasting_home.open()
    assert old.id not in ids(memory.recall(story.query))
    assert ids(memory.list()) == [new.id]
    assert memory.get(old.id).superseded_by == new.id


def test_correcting_by_a_query_without_a_match_changes_nothing(ilka):
    ilka.remember("The kiln fires at dawn")
    with pytest.raises(NotFound):
        ilka.correct("zzyzx qwfp", "The kiln fires at dusk")
    assert texts(ilka.list()) == ["The kiln fires at dawn"]


def test_correcting_an_unknown_id_raises_not_found(ilka):
    with pytest.raises(NotFound):
        ilka.correct("01983fd0-0000-7000-8000-00000000dead", "Anything")


def test_a_query_that_only_sounds_a_little_like_it_corrects_nothing(home):
    near, far = [1.0, 0.2, 0.0, 0.0], [0.1, 1.0, 0.0, 0.0]
    vectors = {"The kiln is in the shed": [1.0, 0.0, 0.0, 0.0], "The stove": near, "Rent": far}
    vectors["It stands in the yard"] = near
    memory = home.open(embedder=ScriptedEmbedder(vectors))
    kept = memory.remember("The kiln is in the shed", understand=False).memory
    assert [hit.memory.id for hit in memory.recall("Rent")] == [kept.id]
    with pytest.raises(NotFound, match="id"):
        memory.correct("Rent", "It stands in the yard")
    assert texts(memory.list()) == ["The kiln is in the shed"]
    assert memory.correct("The stove", "It stands in the yard").superseded == (kept.id,)


def test_a_query_never_corrects_another_users_memory(memory):
    memory.scoped(user="oto").remember("Bicycle shed code is 4471")
    with pytest.raises(NotFound):
        memory.scoped(user="ilka").correct("bicycle shed code", "Bicycle shed code is 9022")
    assert texts(memory.scoped(user="oto").list()) == ["Bicycle shed code is 4471"]


def test_the_same_correction_again_changes_nothing(ilka, clock):
    old = ilka.remember("Tuition is 300").memory
    first = ilka.correct(old.id, "Tuition is 340")
    clock.advance(timedelta(seconds=5))
    again = ilka.correct(old.id, "Tuition is 340")
    assert (again.outcome, again.memory.id) == (Outcome.ALREADY_KNOWN, first.memory.id)
    assert ilka.count(include=("superseded", "former")) == 2


def test_another_correction_of_what_was_corrected_is_a_conflict(ilka):
    old = ilka.remember("Tuition is 300").memory
    new = ilka.correct(old.id, "Tuition is 340").memory
    with pytest.raises(Conflict, match=new.id):
        ilka.correct(old.id, "Tuition is 360")
    assert texts(ilka.list()) == ["Tuition is 340"]


def test_the_old_words_answer_for_the_time_before_the_correction_begins(ilka):
    old = ilka.remember("Gym locker 12 is mine", valid_from="2031-01-05").memory
    ilka.correct(old.id, "Gym locker 88 is mine", valid_from="2031-02-01")
    assert texts(ilka.recall("gym locker", as_of="2031-01-31T23:59:59")) == [
        "Gym locker 12 is mine"
    ]
    assert texts(ilka.recall("gym locker", as_of="2031-02-01")) == ["Gym locker 88 is mine"]


def test_a_retroactive_correction_takes_over_the_whole_validity(ilka):
    old = ilka.remember("Oskar was born in Graz", valid_from="2030-06-01").memory
    new = ilka.correct(old.id, "Oskar was born in Linz", retroactive=True).memory
    assert (new.valid_from, new.supersedes) == (old.valid_from, (old.id,))
    assert {step.memory.id for step in ilka.history(new.id)} == {old.id, new.id}
    assert texts(ilka.recall("where was Oskar born", as_of="2030-07-01")) == [
        "Oskar was born in Linz"
    ]


def test_a_correction_from_before_the_old_one_began_is_refused(ilka):
    old = ilka.remember("The mill is shut", valid_from="2031-02-01").memory
    with pytest.raises(InvalidInput, match="retroactive"):
        ilka.correct(old.id, "The mill is open", valid_from="2031-01-01")
    assert texts(ilka.list()) == ["The mill is shut"]


def test_a_correction_keeps_what_it_does_not_mention(memory):
    tutor = memory.scoped(user="ilka", agent="tutor", session="s9")
    old = tutor.remember(
        "Exam room is A1",
        importance=0.8,
        pinned=True,
        key="exam/room",
        metadata={"course": "botany", "seats": 40},
        source={"role": "user", "speaker": "Ilka"},
    ).memory
    new = tutor.correct(old, "Exam room is B6", metadata={"seats": 25}).memory
    assert new.metadata == {"course": "botany", "seats": 25}
    assert (new.scope, new.importance, new.pinned, new.key, new.source) == (
        old.scope, old.importance, old.pinned, old.key, old.source,
    )  # fmt: skip


@decided_by_the_engine
@pytest.mark.parametrize("words", ["", " \t\n", None, "　"])
def test_correcting_to_nothing_is_refused(ilka, words):
    old = ilka.remember("The lamp is green").memory
    with pytest.raises(InvalidInput):
        ilka.correct(old.id, words)
    assert ilka.get(old.id).state is State.ACTIVE


def test_a_forgotten_memory_cannot_be_corrected(ilka):
    old = ilka.remember("The lamp is green").memory
    ilka.forget(old.id)
    with pytest.raises(NotFound):
        ilka.correct(old.id, "The lamp is red")


def test_correcting_a_slot_value_by_id_keeps_one_current_value(ilka, clock):
    first = ilka.remember("Depot in Ulm", key="depot", valid_from="2031-01-01").memory
    clock.advance(timedelta(days=2))
    second = ilka.correct(first.id, "Depot in Bonn").memory
    clock.advance(timedelta(days=2))
    ilka.remember("Depot in Kiel", key="depot")
    assert texts(ilka.list()) == ["Depot in Kiel"]
    assert ilka.get(second.id).superseded_by is not None
