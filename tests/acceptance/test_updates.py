"""An update is a new version of one record; what it does not mention stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from perdure import Conflict, InvalidInput, NotFound, Outcome
from tests.acceptance.embedders import CountingEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts


@pytest.fixture
def recipe(memory):
    kept = memory.scoped(user="ilka", agent="cook", session="s1").remember(
        "Soak the beans overnight",
        importance=0.7,
        pinned=True,
        kind="episodic",
        occurred_at="2031-01-04",
        metadata={"course": "stew", "priority": 2, "tags": ["豆", "slow"], "source": "aunt"},
        source={"role": "user", "speaker": "Ilka"},
    )
    return kept.memory


KEPT = ("scope", "kind", "occurred_at", "recorded_at", "valid_from", "valid_to", "source", "key")


def test_updating_the_text_keeps_the_rest(ilka, clock, recipe):
    clock.advance(timedelta(days=1))
    after = ilka.update(recipe.id, content="Soak the beans for six hours")
    assert after.content == "Soak the beans for six hours"
    assert (after.id, after.version) == (recipe.id, 2)
    assert after.metadata == recipe.metadata
    assert (after.importance, after.pinned) == (0.7, True)
    for name in KEPT:
        assert getattr(after, name) == getattr(recipe, name)
    assert ilka.get(recipe.id) == after


def test_updating_one_key_keeps_the_others(ilka, recipe):
    after = ilka.update(recipe.id, metadata={"priority": 5, "season": "冬"})
    assert after.metadata == {
        "course": "stew", "priority": 5, "tags": ["豆", "slow"], "source": "aunt", "season": "冬",
    }  # fmt: skip
    assert after.content == recipe.content


def test_a_key_is_removed_by_giving_none(ilka, recipe):
    after = ilka.update(recipe.id, metadata={"source": None})
    assert after.metadata == {"course": "stew", "priority": 2, "tags": ["豆", "slow"]}
    assert ilka.count(filters={"source": {"exists": True}}) == 0


def test_a_nested_value_is_replaced_whole(ilka, recipe):
    assert ilka.update(recipe.id, metadata={"tags": ["quick"]}).metadata["tags"] == ["quick"]


@decided_by_the_engine
@pytest.mark.parametrize(
    "nothing",
    [
        {},
        {"content": "Soak the beans overnight"},
        {"metadata": {}},
        {"metadata": {"priority": 2}},
        {"metadata": {"unheard of": None}},
        {"importance": 0.7},
        {"pinned": True},
        {"expires_at": None},
    ],
    ids=repr,
)
def test_an_update_that_changes_nothing_writes_and_embeds_nothing(home, nothing):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    kept = memory.remember(
        "Soak the beans overnight", importance=0.7, pinned=True, metadata={"priority": 2}
    ).memory
    calls, journal = embedder.calls, len(memory.changes())
    assert memory.update(kept.id, **nothing) == kept
    assert (embedder.calls, len(memory.changes())) == (calls, journal)


@pytest.mark.parametrize(("before", "after"), [(1, 1.0), (1, True), ("1", 1), ([], {})])
def test_a_value_of_another_type_is_a_change(ilka, before, after):
    kept = ilka.remember("Typed", metadata={"value": before}).memory
    changed = ilka.update(kept.id, metadata={"value": after})
    assert changed.version == 2
    assert type(ilka.get(kept.id).metadata["value"]) is type(after)


@decided_by_the_engine
def test_an_update_of_metadata_alone_embeds_nothing(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    kept = memory.remember("Soak the beans").memory
    calls = embedder.calls
    memory.update(kept.id, metadata={"a": 1}, importance=0.1, pinned=True)
    assert embedder.calls == calls


def test_the_expected_version_must_be_the_stored_one(ilka, recipe):
    ilka.update(recipe.id, importance=0.2, expected_version=1)
    with pytest.raises(Conflict, match="version 2"):
        ilka.update(recipe.id, importance=0.3, expected_version=1)
    assert ilka.get(recipe.id).importance == 0.2
    assert ilka.update(recipe.id, importance=0.3, expected_version=2).version == 3


def test_recalls_do_not_raise_the_version(ilka, recipe):
    for _ in range(5):
        ilka.recall("soak beans")
    assert ilka.update(recipe.id, importance=0.2, expected_version=1).version == 2
    assert ilka.get(recipe.id).accessed_count == 5


def test_of_threads_that_expect_the_same_version_one_wins(home):
    memory = home.open(embedder="off")
    kept = memory.remember("Counter").memory
    start = Barrier(8)

    def change(number):
        start.wait()
        try:
            return memory.update(kept.id, metadata={"by": number}, expected_version=1)
        except Conflict:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [item for item in pool.map(change, range(8)) if item is not None]
    assert len(won) == 1
    assert memory.get(kept.id) == won[0]
    assert [step.operation for step in memory.history(kept.id)] == ["created", "updated"]


def test_counting_up_under_an_expected_version_loses_nothing(home):
    memory = home.open(embedder="off")
    kept = memory.remember("Counter", metadata={"n": 0}).memory

    def count_up(_):
        for _ in range(5):
            while True:
                now = memory.get(kept.id)
                try:
                    memory.update(
                        kept.id, metadata={"n": now.metadata["n"] + 1}, expected_version=now.version
                    )
                    break
                except Conflict:
                    continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count_up, range(4)))
    assert memory.get(kept.id).metadata["n"] == 20


def test_merges_by_threads_do_not_undo_one_another(home):
    from perdure import Settings

    memory = home.open(embedder="off", settings=Settings(conflict_retries=50))
    kept = memory.remember("Board").memory

    def put(number):
        memory.update(kept.id, metadata={f"k{number}": number})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(24)))
    assert memory.get(kept.id).metadata == {f"k{number}": number for number in range(24)}


def test_history_shows_each_version_as_it_stood(ilka, recipe, clock):
    clock.advance(timedelta(days=1))
    ilka.update(recipe.id, content="Soak the beans for six hours", actor="cook")
    clock.advance(timedelta(days=1))
    ilka.update(recipe.id, metadata={"priority": None})
    steps = ilka.history(recipe.id)
    assert [step.memory.version for step in steps] == [1, 2, 3]
    assert [step.memory.content for step in steps][:2] == [
        "Soak the beans overnight",
        "Soak the beans for six hours",
    ]
    assert steps[1].actor == "cook"
    assert "priority" not in steps[2].memory.metadata


def test_an_update_under_a_slot_key_leaves_the_slot_as_it_is(ilka, clock):
    kept = ilka.remember("Berth 4", key="berth").memory
    ilka.update(kept.id, content="Berth 4B")
    clock.advance(timedelta(days=1))
    given = ilka.remember("Berth 9", key="berth")
    assert (given.outcome, given.superseded) == (Outcome.SUPERSEDED, (kept.id,))
    assert texts(ilka.list()) == ["Berth 9"]


@decided_by_the_engine
@pytest.mark.parametrize(
    "wrong",
    [
        {"importance": 2},
        {"importance": True},
        {"metadata": ["x"]},
        {"metadata": {"x": object()}},
        {"metadata": {"x": "y" * 70_000}},
        {"pinned": "no"},
        {"expires_at": "later"},
        {"expected_version": "1"},
    ],
    ids=lambda wrong: repr(wrong)[:40],
)
def test_an_update_that_makes_no_sense_is_refused_whole(ilka, recipe, wrong):
    with pytest.raises((InvalidInput, Conflict)):
        ilka.update(recipe.id, content="Half an update", **wrong)
    assert ilka.get(recipe.id) == recipe


@decided_by_the_engine
def test_metadata_may_not_grow_beyond_its_limit_by_merging(ilka):
    kept = ilka.remember("Bag", metadata={"a": "x" * 40_000}).memory
    with pytest.raises(InvalidInput, match="65,536"):
        ilka.update(kept.id, metadata={"b": "x" * 40_000})


def test_a_superseded_memory_can_be_mended_without_coming_back(ilka):
    old = ilka.remember("Ask at gate 1").memory
    ilka.correct(old.id, "Ask at gate 2")
    ilka.update(old.id, metadata={"checked": True})
    assert texts(ilka.list()) == ["Ask at gate 2"]
    assert ilka.get(old.id).metadata == {"checked": True}


def test_another_users_memory_cannot_be_updated(memory, recipe):
    with pytest.raises(NotFound):
        memory.scoped(user="oto").update(recipe.id, content="Mine now")
