"""Several processes consolidate one store at once, are killed meanwhile, and lose and double nothing."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from perdure.testing import ScriptedLanguageModel, answer
from tests.acceptance.processes import Worker, run_together

PLACES = ["harbour", "orchard", "library", "foundry", "quarry", "station"]
TOWNS = ["Oslo", "Turku", "Vejle"]
USERS = ["ilka", "ben"]
LIMIT = "7"


def told(place: str) -> list[str]:
    """Statements that have nothing in common with those about another place, not even syllables."""
    chance = random.Random(place)
    letters = chance.sample("abcdefghijklmnopqrstuvwxyz", 20)
    one, two, three, four = ("".join(chance.choices(letters, k=9)) for _ in range(4))
    return [f"{one} {two} {three}", f"{two} {three} {four}", f"{one} {three} {four}"]


def fill(memory) -> None:
    """Three related memories about each place, and facts to be drawn, for each user."""
    for user in USERS:
        mine = memory.scoped(user=user)
        for position in range(3):
            for place in PLACES:
                mine.remember(told(place)[position], kind="episodic")
            mine.remember(f"I live in {TOWNS[position]}.", kind="episodic")


def of(memory, user: str):
    everything = list(memory.scoped(user=user).list(limit=1000))
    summaries = [item for item in everything if "summary" in item.metadata]
    facts = [item for item in everything if item.predicate is not None]
    return everything, summaries, facts


def assert_done_once(memory) -> None:
    for user in USERS:
        everything, summaries, facts = of(memory, user)
        words = {item.id: item.content for item in everything}
        sources = Counter(name for summary in summaries for name in summary.provenance)
        assert set(sources.values()) == {1}, "a memory is told in two summaries"
        assert sorted(sorted(words[name] for name in item.provenance) for item in summaries) == (
            sorted(sorted(told(place)) for place in PLACES)
        )
        homes = [fact for fact in facts if fact.predicate == "lives_in"]
        assert [fact.object for fact in homes] == TOWNS[-1:]
        for summary in summaries:
            assert all(summary.id in memory.scoped(user=user).get(name).supports
                       for name in summary.provenance)  # fmt: skip
    assert memory.verify(repair=False).problems == ()


@pytest.mark.slow
def test_two_processes_share_the_work(shared_home):
    memory = shared_home.open()
    shared_home.clock.set(datetime.now(UTC))
    fill(memory)
    lines = run_together("consolidate", shared_home.url, LIMIT, processes=2)
    assert all(line.startswith("steps ") for worker in lines for line in worker)
    assert_done_once(memory)
    shared_home.clock.advance(timedelta(minutes=10))
    assert memory.consolidate(everything=True).actions == ()


@pytest.mark.slow
def test_what_comes_meanwhile_is_not_lost(shared_home):
    memory = shared_home.open()
    shared_home.clock.set(datetime.now(UTC))
    worker = Worker("consolidate", shared_home.url, LIMIT, "0")
    for user in USERS:  # so that the worker has something to begin with
        memory.scoped(user=user).remember(told(PLACES[0])[0], kind="episodic")
    worker.go()
    for user in USERS:
        mine = memory.scoped(user=user)
        for position in range(3):
            for place in PLACES:
                mine.remember(told(place)[position], kind="episodic")
            mine.remember(f"I live in {TOWNS[position]}.", kind="episodic")
    worker.finish()
    shared_home.clock.advance(timedelta(minutes=10))
    memory.consolidate(everything=True)
    assert_done_once(memory)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_worker_is_taken_over_from(shared_home, seed):
    chance = random.Random(seed)
    memory = shared_home.open()
    shared_home.clock.set(datetime.now(UTC))
    fill(memory)
    before = {user: {item.id for item in of(memory, user)[0]} for user in USERS}
    worker = Worker("consolidate", shared_home.url, LIMIT, "0")
    worker.go()
    for _ in range(chance.randint(0, 4)):
        worker.output.readline()
    worker.kill()
    for user in USERS:
        assert before[user] - {item.id for item in of(memory, user)[0]} <= {
            item.id
            for item in memory.scoped(user=user).list(limit=1000, include=("superseded", "former"))
        }
    # The dead worker's lease runs out; then another goes on from the mark it left.
    shared_home.clock.advance(timedelta(minutes=10))
    memory.consolidate(everything=True)
    assert_done_once(memory)
    assert memory.consolidate(everything=True).actions == ()


def test_a_worker_whose_lease_ran_out_writes_nothing(shared_home):
    """A language model that answers after so long that another worker has done the work."""
    other = shared_home.open(language_model="off")
    shared_home.clock.set(datetime.now(UTC))
    mine = other.scoped(user="ilka")
    for text in told(PLACES[0]):
        mine.remember(text, kind="episodic")
    left: list[list[str]] = []

    def answer_late(_messages):
        shared_home.clock.advance(timedelta(minutes=10))
        assert mine.consolidate().actions
        left.append(sorted((item.id, item.version) for item in mine.list(limit=1000)))
        return answer()

    slow = shared_home.open(language_model=ScriptedLanguageModel([answer_late]))
    plan = slow.scoped(user="ilka").consolidate()
    assert plan.actions == ()
    assert "another process" in plan.notes[0]
    assert sorted((item.id, item.version) for item in mine.list(limit=1000)) == left[0]
    assert len(of(other, "ilka")[1]) == 1


@pytest.mark.parametrize("lose", ["forget", "update"])
def test_what_is_withdrawn_meanwhile_is_not_told(shared_home, lose):
    """A memory goes while a model is asked for a summary of it: the batch is decided again."""
    other = shared_home.open(language_model="off")
    mine = other.scoped(user="ilka")
    first, *_ = [mine.remember(text, kind="episodic").memory for text in told(PLACES[0])]

    def answer_after_a_loss(_messages):
        if lose == "forget":
            mine.forget(first)
        else:
            mine.update(first, content="Something else altogether.")
        return answer()

    slow = shared_home.open(language_model=ScriptedLanguageModel([answer_after_a_loss]))
    slow.scoped(user="ilka").consolidate()
    assert of(other, "ilka")[1] == []
    assert other.verify(repair=False).problems == ()
