"""What is forgotten is gone from every read, and nothing else is."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

import perdure
from perdure import InvalidInput, NotFound, Outcome, Scope, State
from tests.acceptance.embedders import CountingEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import everything_in, ids, texts

USERS = ("ilka", "oto", "100%")


@pytest.fixture
def people(memory):
    """Twelve notes for each of three users, half of them in each of two sessions."""
    memory.remember_many(
        [
            {
                "content": f"Note {number} about the orchard",
                "scope": Scope(user=user, session=f"s{number % 2}"),
                "understand": False,
            }
            for user in USERS
            for number in range(12)
        ]
    )
    return memory


def counts(memory):
    return [memory.scoped(user=user).count() for user in USERS]


def test_a_forgotten_memory_is_in_no_read(ilka):
    note = ilka.remember("Grandmother's ring is under the loose board", key="ring").memory
    given = ilka.forget(note.id)
    assert given.ids == (note.id,)
    assert texts(ilka.recall("ring loose board", include=("superseded", "former"))) == []
    assert ilka.recall_context("ring loose board") == ""
    assert texts(ilka.list(include=("superseded", "former", "archived", "expired"))) == []
    assert ilka.count(include=("superseded", "former")) == 0
    with pytest.raises(NotFound):
        ilka.get(note.id)
    with pytest.raises(NotFound):
        ilka.update(note.id, content="Still here?")


def test_a_forgotten_memory_stays_forgotten_after_reopening(lasting_home):
    with lasting_home.open() as memory:
        note = memory.remember("钥匙在蓝色花盆下面").memory
        memory.forget(note.id)
    memory = lasting_home.open()
    assert texts(memory.recall("钥匙在哪里")) == []
    assert memory.count() == 0


def test_history_of_a_forgotten_memory_ends_with_the_forgetting(ilka, clock):
    note = ilka.remember("A passing remark").memory
    clock.advance(timedelta(days=1))
    ilka.forget(note.id, reason="asked to", actor="ilka")
    last = ilka.history(note.id)[-1]
    assert (last.operation, last.at, last.reason, last.actor) == (
        "forgotten", clock.now(), "asked to", "ilka",
    )  # fmt: skip
    assert last.memory.state is State.FORGOTTEN


def test_forgetting_again_is_no_error_and_tells_that_nothing_was_left(ilka):
    note = ilka.remember("Once").memory
    ilka.forget(note.id)
    assert ilka.forget(note.id).ids == ()


def test_forgetting_several_is_all_or_nothing(ilka):
    kept = [ilka.remember(f"Page {number}").memory.id for number in range(3)]
    with pytest.raises(NotFound):
        ilka.forget([*kept, "01983fd0-0000-7000-8000-00000000dead"])
    assert ilka.count() == 3
    assert set(ilka.forget(kept).ids) == set(kept)


@decided_by_the_engine
@pytest.mark.parametrize("targets", [[], "", None, 7, [""], [None]])
def test_forgetting_nothing_in_particular_is_refused(ilka, targets):
    ilka.remember("Keep me")
    with pytest.raises(InvalidInput):
        ilka.forget(targets)
    assert ilka.count() == 1


def test_one_user_cannot_forget_another_users_memory(memory):
    theirs = memory.scoped(user="oto").remember("Oto's ladder").memory
    with pytest.raises(NotFound):
        memory.scoped(user="ilka").forget(theirs.id)
    assert memory.scoped(user="oto").count() == 1


def test_forgetting_one_session_leaves_the_other_and_everybody_else(people):
    given = people.forget_all(scope=Scope(user="ilka", session="s0"))
    assert (len(given), counts(people)) == (6, [6, 12, 12])


def test_forgetting_one_user_leaves_everybody_else(people):
    people.forget_all(scope=Scope(user="100%"))
    assert counts(people) == [12, 12, 0]
    found = people.scoped(user="oto").recall("orchard note", limit=50)
    assert len(found) == 12


def test_forgetting_without_a_scope_is_refused(people):
    for call in (people.forget_all, lambda: people.scoped(tenant="").forget_all()):
        with pytest.raises(InvalidInput, match="everything=True"):
            call()
    assert counts(people) == [12, 12, 12]


def test_everything_forgets_all_users_of_the_tenant_only(people):
    people.remember("Another tenant's", scope=Scope(tenant="north", user="ilka"))
    assert len(people.forget_all(everything=True)) == 36
    assert counts(people) == [0, 0, 0]
    assert people.count(scope=Scope(tenant="north", user="ilka")) == 1


def test_a_filter_narrows_what_is_forgotten(ilka):
    for number in range(6):
        ilka.remember(f"Draft {number}", metadata={"draft": number % 2 == 0})
    ilka.forget_all(filters={"draft": True})
    assert texts(ilka.list()) == ["Draft 1", "Draft 3", "Draft 5"]


def test_forgetting_a_user_takes_superseded_and_expired_memories_along(ilka, clock, home):
    old = ilka.remember("Old rent is 500").memory
    new = ilka.correct(old.id, "New rent is 650").memory
    brief = ilka.remember("Parking disc until noon", expires_at=timedelta(minutes=5)).memory
    clock.advance(timedelta(hours=1))
    assert set(ilka.forget_all().ids) == {old.id, new.id, brief.id}
    assert ilka.count(include=("superseded", "former", "expired", "archived")) == 0
    with pytest.raises(NotFound):
        ilka.get(old.id)


def test_an_import_does_not_bring_back_what_was_forgotten(ilka, tmp_path):
    note = ilka.remember("The spare fob hangs behind the clock").memory
    ilka.export(tmp_path / "before.jsonl")
    ilka.forget(note.id)
    given = ilka.import_(tmp_path / "before.jsonl")
    assert (given.withheld, given.added, given.skipped) == (1, 0, 0)
    assert texts(ilka.recall("spare fob clock")) == []


@pytest.mark.parametrize("on_conflict", ["skip", "replace", "error"])
def test_no_conflict_policy_brings_back_what_was_forgotten(ilka, tmp_path, on_conflict):
    note = ilka.remember("备用卡在钟后面").memory
    ilka.export(tmp_path / "before.jsonl")
    ilka.forget(note.id)
    assert ilka.import_(tmp_path / "before.jsonl", on_conflict).withheld == 1
    assert ilka.count() == 0


def test_a_forgotten_statement_may_be_told_again_on_purpose(ilka):
    note = ilka.remember("The spare fob hangs behind the clock").memory
    ilka.forget(note.id)
    again = ilka.remember("The spare fob hangs behind the clock")
    assert again.outcome is Outcome.STORED
    assert again.memory.id != note.id
    assert ids(ilka.recall("spare fob")) == [again.memory.id]


@decided_by_the_engine
def test_bulk_forgetting_needs_no_embedder(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    memory.remember_many([{"content": f"Entry {n}", "scope": Scope(user="u")} for n in range(40)])
    before = embedder.calls
    assert len(memory.forget_all(scope=Scope(user="u"))) == 40
    assert embedder.calls == before


@pytest.mark.slow
def test_bulk_forgetting_is_one_operation(lasting_home):
    memory = lasting_home.open(embedder="off").scoped(user="ilka")
    for start in range(0, 800, 200):
        memory.remember_many(
            [{"content": f"Line {start + n} of the log", "understand": False} for n in range(200)]
        )
    kept = [memory.remember(f"Single {number}", key=f"k{number}").memory.id for number in range(20)]

    def time_of(call, *arguments, **options):
        begun = time.perf_counter()
        call(*arguments, **options)
        return time.perf_counter() - begun

    one_by_one = sum(time_of(memory.forget, memory_id) for memory_id in kept[:10])
    at_once = time_of(memory.forget_all, filters={"memory.key": {"exists": False}})
    one_by_one += sum(time_of(memory.forget, memory_id) for memory_id in kept[10:])
    assert memory.count() == 0
    # 800 memories are 40 times 20, so a call each would take about 40 times as long; about 5 is
    # usual, and the rest is room for a busy machine.
    assert at_once < 25 * one_by_one


@pytest.mark.slow
def test_more_memories_than_one_transaction_takes_can_be_forgotten_at_once():
    memory = perdure.open("memory://", embedder="off").scoped(user="ilka")
    memory.remember_many(
        [{"content": f"Row {number}", "understand": False} for number in range(5_200)]
    )
    assert len(memory.forget_all()) == 5_200
    assert memory.count() == 0


def test_forgetting_an_agents_memories_leaves_what_is_shared(memory):
    shared = memory.scoped(user="ilka").remember("House rule: shoes off").memory
    memory.scoped(user="ilka", agent="tutor").remember("Tutor: uses flash cards")
    memory.scoped(user="ilka", agent="cook").remember("Cook: no coriander")
    memory.scoped(user="ilka", agent="tutor").forget_all()
    assert memory.scoped(user="ilka").get(shared.id).content == "House rule: shoes off"
    assert texts(memory.scoped(user="ilka").list()) == [
        "House rule: shoes off",
        "Cook: no coriander",
    ]
    assert texts(memory.scoped(user="ilka", agent="cook").list()) == ["Cook: no coriander"]


def test_a_session_can_be_used_again_at_once_after_it_was_forgotten(memory):
    session = memory.scoped(user="ilka", session="call-1")
    for number in range(5):
        session.remember(f"Said before {number}", kind="short_term")
    session.forget_all()
    session.remember("Said afterwards", kind="short_term")
    assert texts(everything_in(session)) == ["Said afterwards"]
    assert texts(session.recall("said")) == ["Said afterwards"]
