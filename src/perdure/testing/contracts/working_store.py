"""What every store of working memory must do.

Inherit, provide a fixture that opens the store, and let pytest collect the class:

    class TestMyStore(WorkingStoreContract):
        @pytest.fixture
        def opening(self) -> OpeningWorkingStore:
            return MyStore

Called again in the same test, it opens the same data. Each test has a user of its own, so the
store need not be emptied in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.domain.scope import Scope
from perdure.domain.working import TaskKey
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.working_store import StoredTask, WorkingStore
from perdure.testing.builders import NOON

Result = TypeVar("Result")
OpeningWorkingStore = Callable[[], WorkingStore]
HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)

HOSTILE = (
    "a", "A", "a:b", "a}b", "{a}", "a*", "a?b", "[ab]", "a b", "a\nb", "任务", "任務", "👩‍👩‍👧", "é", "e\u0301",
    '"', "\\", "'", "a/b", "0", "null", "a\x01b",
)  # fmt: skip
"""Names that a store might mistake for one another, or for part of its own language."""

_writes = count(1)


class WorkingStand:
    """A store on one event loop, which serves blocking and asynchronous ones alike."""

    def __init__(self, opening: OpeningWorkingStore) -> None:
        self._opening = opening
        self._runner = asyncio.Runner()
        self._opened: list[WorkingStore] = []
        self.store = self.another()
        self.user = uuid4().hex

    def another(self) -> WorkingStore:
        """A second opening of the same data."""
        store = self._opening()
        self._opened.append(store)
        return store

    def close(self) -> None:
        for store in self._opened:
            self.run(store.aclose())
        self._runner.close()

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a call to the store."""
        return self._runner.run(call)

    def together(self, *calls: Coroutine[Any, Any, Result]) -> list[Result]:
        """All calls at once: in threads for a blocking store, else as tasks on the loop."""
        if is_blocking(self.store):
            with ThreadPoolExecutor(len(calls)) as pool:
                return list(pool.map(run_now, calls))

        async def gathered() -> list[Result]:
            return list(await asyncio.gather(*calls))

        return self.run(gathered())

    def key(self, name: str = "trip", **parts: str) -> TaskKey:
        """A key of this test's user."""
        return TaskKey(scope=Scope(**{"user": self.user, **parts}), name=name)

    def task(
        self, name: str = "trip", *, version: int = 1, document: str = '"v"', **parts: Any
    ) -> StoredTask:
        """A task of this test's user that expires in an hour."""
        return StoredTask(
            key=self.key(name, **parts),
            version=version,
            document=document,
            write=f"write {next(_writes)}",
            expires_at=NOON + HOUR,
        )

    def write(self, task: StoredTask, *, expected: int = 0, now: datetime = NOON) -> bool:
        return self.run(self.store.write(task, expected=expected, now=now))

    def keep(self, task: StoredTask, *, expected: int = 0) -> StoredTask:
        """Store a task that must not be refused."""
        assert self.write(task, expected=expected)
        return task

    def load(self, key: TaskKey, *, now: datetime = NOON) -> StoredTask | None:
        return self.run(self.store.load(key, now=now))

    def delete(self, key: TaskKey, *, expected: int | None = None, now: datetime = NOON) -> bool:
        return self.run(self.store.delete(key, expected=expected, now=now))

    def names(self, *, now: datetime = NOON, **parts: Any) -> list[str]:
        """The names a search in this scope of the test's user sees."""
        scope = Scope(**{"user": self.user, **parts})
        return [task.key.name for task in self.run(self.store.tasks(scope, now=now))]


class WorkingStoreContract:
    """Subclass this and give it the fixture `opening`."""

    outlives_closing: ClassVar[bool] = True
    """False for a store whose tasks end with the object that `opening` gave."""

    @pytest.fixture
    def opening(self) -> OpeningWorkingStore:
        """A function without arguments that opens the store of this test."""
        raise NotImplementedError("give your subclass a fixture `opening`")

    @pytest.fixture
    def stand(self, opening: OpeningWorkingStore) -> Iterator[WorkingStand]:
        """The opened store."""
        stand = WorkingStand(opening)
        try:
            yield stand
        finally:
            stand.close()

    def test_it_is_a_working_store(self, stand: WorkingStand) -> None:
        assert isinstance(stand.store, WorkingStore)

    def test_a_task_comes_back_as_it_was_written(self, stand: WorkingStand) -> None:
        assert stand.load(stand.key()) is None
        task = stand.keep(stand.task(document='{"goal":"去格拉茨 👩‍👩‍👧 \\u0001","n":1.0}'))
        assert stand.load(task.key) == task

    def test_a_version_replaces_the_one_before_it(self, stand: WorkingStand) -> None:
        first = stand.keep(stand.task())
        second = stand.keep(replace(stand.task(document='"w"'), version=2), expected=1)
        assert stand.load(first.key) == second

    @pytest.mark.parametrize("expected", [0, 1, 3])
    def test_a_write_for_another_version_changes_nothing(
        self, stand: WorkingStand, expected: int
    ) -> None:
        stand.keep(stand.task())
        second = stand.keep(stand.task(version=2), expected=1)
        assert not stand.write(stand.task(version=expected + 1), expected=expected)
        assert stand.load(second.key) == second

    def test_a_write_to_a_task_that_is_not_there_is_refused(self, stand: WorkingStand) -> None:
        assert not stand.write(stand.task(version=2), expected=1)
        assert stand.load(stand.key()) is None

    def test_of_many_writers_at_once_one_is_first(self, stand: WorkingStand) -> None:
        for version in (1, 2, 3):
            tasks = [stand.task(version=version, document=f'"{n}"') for n in range(12)]
            written = stand.together(
                *(stand.store.write(task, expected=version - 1, now=NOON) for task in tasks)
            )
            assert written.count(True) == 1
            assert stand.load(stand.key()) == tasks[written.index(True)]

    def test_a_write_whose_answer_was_lost_may_be_repeated(self, stand: WorkingStand) -> None:
        task = stand.keep(stand.task())
        assert stand.write(task)
        assert stand.load(task.key) == task
        stand.keep(stand.task(version=2), expected=1)
        assert not stand.write(task)

    def test_equal_documents_of_two_writers_are_two_writes(self, stand: WorkingStand) -> None:
        stand.keep(stand.task(document='"same"'))
        assert not stand.write(stand.task(document='"same"'))

    def test_a_task_is_absent_from_the_moment_it_expires(self, stand: WorkingStand) -> None:
        task = stand.keep(stand.task())
        assert stand.load(task.key, now=task.expires_at - MILLISECOND) == task
        assert stand.names(now=task.expires_at - MILLISECOND) == ["trip"]
        assert stand.load(task.key, now=task.expires_at) is None
        assert stand.names(now=task.expires_at) == []
        assert not stand.delete(task.key, now=task.expires_at)

    def test_the_place_of_an_expired_task_is_free(self, stand: WorkingStand) -> None:
        old = stand.keep(stand.task(version=1))
        new = replace(stand.task(), expires_at=old.expires_at + HOUR)
        assert not stand.write(replace(new, version=2), expected=1, now=old.expires_at)
        assert stand.write(new, expected=0, now=old.expires_at)
        assert stand.load(new.key, now=old.expires_at) == new

    def test_a_write_can_bring_the_end_nearer_and_farther(self, stand: WorkingStand) -> None:
        task = stand.keep(stand.task())
        later = replace(stand.task(version=2), expires_at=task.expires_at + HOUR)
        stand.keep(later, expected=1)
        assert stand.load(task.key, now=task.expires_at) == later
        sooner = replace(stand.task(version=3), expires_at=NOON + MILLISECOND)
        stand.keep(sooner, expected=2)
        assert stand.load(task.key, now=NOON + MILLISECOND) is None

    def test_what_is_deleted_is_gone_once(self, stand: WorkingStand) -> None:
        task = stand.keep(stand.task())
        assert stand.delete(task.key)
        assert not stand.delete(task.key)
        assert stand.load(task.key) is None
        assert stand.names() == []
        stand.keep(stand.task())

    def test_only_the_expected_version_is_deleted(self, stand: WorkingStand) -> None:
        task = stand.keep(stand.task())
        assert not stand.delete(task.key, expected=2)
        assert stand.load(task.key) == task
        assert stand.delete(task.key, expected=1)

    def test_tasks_are_listed_by_agent_session_and_name(self, stand: WorkingStand) -> None:
        for name, agent, session in (
            ("b", "y", ""),
            ("c", "x", "2"),
            ("d", "x", "1"),
            ("a", "x", "2"),
            ("e", "", ""),
        ):
            stand.keep(stand.task(name, agent=agent, session=session))
        assert stand.names() == ["e", "d", "a", "c", "b"]

    def test_agents_and_sessions_narrow_a_listing(self, stand: WorkingStand) -> None:
        stand.keep(stand.task("both", agent="x", session="s"))
        stand.keep(stand.task("agent", agent="x"))
        stand.keep(stand.task("session", session="s"))
        stand.keep(stand.task("neither"))
        assert sorted(stand.names()) == ["agent", "both", "neither", "session"]
        assert sorted(stand.names(agent="x")) == ["agent", "both"]
        assert sorted(stand.names(session="s")) == ["both", "session"]
        assert stand.names(agent="x", session="s") == ["both"]
        assert stand.names(agent="y") == []

    def test_tenants_and_users_are_walls(self, stand: WorkingStand) -> None:
        mine = stand.keep(stand.task())
        others: list[dict[str, Any]] = [
            {"tenant": "t"},
            {"user": f"{stand.user}2"},
            {"user": "", "agent": stand.user},
        ]
        for parts in others:
            assert stand.load(stand.key(**parts)) is None
            assert not stand.delete(stand.key(**parts))
            assert "trip" not in stand.names(**parts)
        assert stand.load(mine.key) == mine

    def test_a_key_means_exactly_one_scope(self, stand: WorkingStand) -> None:
        narrow = stand.keep(stand.task(agent="x", session="s"))
        for parts in ({}, {"agent": "x"}, {"session": "s"}, {"agent": "s", "session": "x"}):
            assert stand.load(stand.key(**parts)) is None
        assert stand.load(narrow.key) == narrow

    def test_names_and_scopes_are_opaque(self, stand: WorkingStand) -> None:
        tasks = [stand.keep(stand.task(name, document=f'"{n}"')) for n, name in enumerate(HOSTILE)]
        tasks += [
            stand.keep(stand.task("a", agent=name, document=f'"agent {n}"'))
            for n, name in enumerate(HOSTILE)
        ]
        tasks += [
            stand.keep(stand.task("a", tenant=name, session="b", document=f'"tenant {n}"'))
            for n, name in enumerate(HOSTILE)
        ]
        for task in tasks:
            assert stand.load(task.key) == task
        assert len(stand.names()) == 2 * len(HOSTILE)
        for name in HOSTILE:
            assert stand.names(tenant=name) == ["a"]

    def test_parts_do_not_run_together(self, stand: WorkingStand) -> None:
        one = stand.keep(stand.task("c", agent="a", session="b"))
        for name, agent, session in (
            ("c", "ab", ""),
            ("bc", "a", ""),
            ("c", "a:b", ""),
            ("b", "a", "c"),
        ):
            assert stand.load(stand.key(name, agent=agent, session=session)) is None
        assert stand.load(one.key) == one

    def test_a_hundred_tasks_and_a_large_one(self, stand: WorkingStand) -> None:
        large = stand.keep(stand.task("large", document='"' + "棋" * 200_000 + '"'))
        for n in range(450):
            stand.keep(stand.task(f"{n:03}"))
        assert stand.load(large.key) == large
        assert stand.names() == [*(f"{n:03}" for n in range(450)), "large"]

    def test_another_opening_sees_the_same_tasks(self, stand: WorkingStand) -> None:
        if not self.outlives_closing:
            pytest.skip("these tasks end with the object")
        task = stand.keep(stand.task())
        other = stand.another()
        assert stand.run(other.load(task.key, now=NOON)) == task
        assert stand.run(other.write(stand.task(version=2), expected=1, now=NOON))
        assert not stand.write(stand.task(version=2), expected=1)

    def test_closing_may_be_repeated(self, stand: WorkingStand) -> None:
        stand.keep(stand.task())
        stand.run(stand.store.aclose())
        stand.run(stand.store.aclose())

    def test_any_sequence_does_what_a_dictionary_does(self, stand: WorkingStand) -> None:
        @settings(max_examples=25, deadline=None, database=None, derandomize=True)
        @given(steps=st.lists(_STEPS, max_size=25))
        def compare(steps: list[tuple[str, str, str, int, int]]) -> None:
            stand.user = uuid4().hex
            _compare(stand, steps)

        compare()


_STEPS = st.tuples(
    st.sampled_from(["write", "write", "write", "delete", "wait", "list"]),
    st.sampled_from(["a", "b"]),  # the name
    st.sampled_from(["", "x"]),  # the agent
    st.integers(-1, 1),  # how far off the expected version is
    st.integers(1, 4),  # hours
)


def _compare(stand: WorkingStand, steps: list[tuple[str, str, str, int, int]]) -> None:
    """Do the same with the store and with a dictionary."""
    model: dict[TaskKey, StoredTask] = {}
    now = NOON
    for step, name, agent, off, hours in steps:
        if step == "wait":
            now += hours * HOUR / 2
        model = {key: task for key, task in model.items() if task.expires_at > now}
        key = stand.key(name, agent=agent)
        version = model[key].version if key in model else 0
        if step == "write":
            _compare_writing(stand, model, key, max(version + off, 0), now + hours * HOUR, now)
        elif step == "delete":
            expected = None if off < 0 else version + off
            may = key in model and expected in (None, version)
            assert stand.delete(key, expected=expected, now=now) is may
            if may:
                del model[key]
        elif step == "list":
            seen = [task for task in model.values() if agent in ("", task.key.scope.agent)]
            names = [task.key.name for task in sorted(seen, key=lambda task: task.order)]
            assert stand.names(now=now, agent=agent) == names
        assert stand.load(key, now=now) == model.get(key)


def _compare_writing(
    stand: WorkingStand,
    model: dict[TaskKey, StoredTask],
    key: TaskKey,
    expected: int,
    expires_at: datetime,
    now: datetime,
) -> None:
    may = expected == (model[key].version if key in model else 0)
    task = replace(stand.task(), key=key, version=expected + 1, expires_at=expires_at)
    assert stand.write(task, expected=expected, now=now) is may
    if may:
        model[key] = task
