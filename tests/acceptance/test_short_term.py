"""A session's short-term memories: a ring of fixed size whose oldest become episodes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from perdure import InvalidInput, Settings
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

SIZE = 4


def tell(session, *numbers):
    for number in numbers:
        session.remember(f"Turn {number}", kind="short_term")


def kinds(session):
    """The numbers of the turns by kind, oldest first."""
    by_kind = {"short_term": [], "episodic": []}
    for item in session.list(limit=500, order="recorded_at"):
        by_kind[item.kind].append(int(item.content.split()[-1]))
    return by_kind


@pytest.fixture
def session(home):
    return home.open(settings=Settings(short_term_size=SIZE)).scoped(user="ilka", session="s1")


def test_the_oldest_become_episodes_when_there_is_no_more_room(session):
    tell(session, *range(10))
    assert kinds(session) == {"short_term": [6, 7, 8, 9], "episodic": [0, 1, 2, 3, 4, 5]}


def test_a_batch_larger_than_the_buffer_leaves_it_exactly_full(session):
    session.remember_many([{"content": f"Turn {n}", "kind": "short_term"} for n in range(11)])
    tell(session, 11)
    assert kinds(session) == {"short_term": [8, 9, 10, 11], "episodic": list(range(8))}


def test_each_session_has_its_own_buffer(home):
    memory = home.open(settings=Settings(short_term_size=SIZE))
    sessions = [
        memory.scoped(user="ilka", session="s1"),
        memory.scoped(user="ilka", session="s2"),
        memory.scoped(user="oto", session="s1"),
        memory.scoped(user="ilka", session="s1", agent="cook"),
    ]
    for number in range(SIZE):
        for session in sessions:
            tell(session, number)
    assert memory.count(everything=True, kinds="episodic") == 0


def test_the_buffer_goes_on_after_reopening(lasting_home):
    settings = Settings(short_term_size=SIZE)
    with lasting_home.open(settings=settings) as memory:
        tell(memory.scoped(user="ilka", session="s1"), 0, 1, 2)
    lasting_home.clock.advance(timedelta(minutes=1))
    session = lasting_home.open(settings=settings).scoped(user="ilka", session="s1")
    tell(session, 3, 4)
    assert kinds(session) == {"short_term": [1, 2, 3, 4], "episodic": [0]}


def test_the_buffer_without_a_session_goes_on_beside_busy_sessions(lasting_home):
    settings = Settings(short_term_size=SIZE)
    with lasting_home.open(settings=settings) as memory:
        tell(memory.scoped(user="ilka"), 0, 1, 2)
        for name in ("s1", "s2", "s3"):
            tell(memory.scoped(user="ilka", session=name), *range(10, 10 + SIZE))
    lasting_home.clock.advance(timedelta(minutes=1))
    memory = lasting_home.open(settings=settings)
    tell(memory.scoped(user="ilka"), 3, 4)
    own = [item for item in memory.scoped(user="ilka").list(limit=100) if not item.scope.session]
    assert sorted(item.content for item in own if item.kind == "short_term") == [
        "Turn 1", "Turn 2", "Turn 3", "Turn 4",
    ]  # fmt: skip


def test_a_smaller_buffer_after_reopening_promotes_what_no_longer_fits(lasting_home):
    with lasting_home.open(settings=Settings(short_term_size=8)) as memory:
        tell(memory.scoped(user="ilka", session="s1"), *range(8))
    lasting_home.clock.advance(timedelta(minutes=1))
    session = lasting_home.open(settings=Settings(short_term_size=3)).scoped(
        user="ilka", session="s1"
    )
    tell(session, 8)
    assert kinds(session) == {"short_term": [6, 7, 8], "episodic": [0, 1, 2, 3, 4, 5]}


def test_what_was_forgotten_makes_room(session):
    tell(session, 0, 1, 2, 3)
    [middle] = [item for item in session.list() if item.content == "Turn 2"]
    session.forget(middle.id)
    tell(session, 4)
    assert kinds(session) == {"short_term": [0, 1, 3, 4], "episodic": []}


def test_a_repeated_turn_takes_no_second_place(session):
    tell(session, 0, 1, 2, 3, 3, 3)
    assert kinds(session) == {"short_term": [0, 1, 2, 3], "episodic": []}


def test_recall_finds_the_buffer_and_the_rest_alike(session):
    tell(session, *range(6))
    session.remember("Turn up the heating in the hall", kind="semantic")
    found = session.recall("turn", limit=20)
    assert {hit.memory.kind for hit in found} == {"short_term", "episodic", "semantic"}
    assert len(found) == 7


def test_a_promotion_stands_in_the_history_and_keeps_everything_else(session):
    first = session.remember(
        "Turn 0", kind="short_term", importance=0.9, metadata={"a": 1}, source={"role": "user"}
    ).memory
    tell(session, 1, 2, 3, 4)
    after = session.get(first.id)
    assert (after.kind, after.metadata, after.importance, after.source) == (
        "episodic", first.metadata, 0.9, first.source,
    )  # fmt: skip
    assert [step.operation for step in session.history(first.id)] == ["created", "promoted"]


# --- without long-term memory ---------------------------------------------------------------------


@pytest.fixture
def fleeting(home):
    return home.open(settings=Settings(short_term_size=SIZE, long_term=False)).scoped(session="s1")


def test_without_long_term_memory_what_leaves_the_buffer_is_forgotten(fleeting):
    for number in range(7):
        fleeting.remember(f"Turn {number}")
    assert texts(fleeting.list()) == ["Turn 3", "Turn 4", "Turn 5", "Turn 6"]
    assert len(fleeting.recall("turn", limit=20)) == 4


@decided_by_the_engine
@pytest.mark.parametrize("kind", ["long_term", "episodic", "semantic"])
def test_without_long_term_memory_a_deliberate_long_term_write_is_refused(fleeting, kind):
    with pytest.raises(InvalidInput, match="long_term"):
        fleeting.remember("For good", kind=kind)
    assert fleeting.count() == 0


def test_without_long_term_memory_a_large_batch_leaves_the_newest(fleeting):
    fleeting.remember_many([{"content": f"Turn {number}"} for number in range(9)])
    assert texts(fleeting.list()) == ["Turn 5", "Turn 6", "Turn 7", "Turn 8"]


def test_threads_of_one_session_fill_its_buffer_and_no_more(session):
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: tell(session, number), range(30)))
    tell(session, 30)
    found = kinds(session)
    assert (len(found["short_term"]), len(found["episodic"])) == (SIZE, 31 - SIZE)
