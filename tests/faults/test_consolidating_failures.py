"""Every single call of the store fails once during a consolidation; repeated, it comes to the same."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

import perdure
from perdure import Unavailable
from perdure.testing import FakeClock, HashingEmbedder

TOLD = [
    "The boat has a leak near the keel.",
    "We found the leak in the boat near the keel.",
    "Another leak of the boat near the keel.",
    "猫咪豆豆的牙坏了。",
    "带猫咪豆豆去医院看牙。",
    "猫咪豆豆的牙拔了。",
    "I live in Oslo.",
    "I live in Turku now.",
    "The well ran dry.",
    "So the garden died.",
    "Kestrel trams stop at pier nine.",
    "Kestrel trams stop at pier nine!",
]
LATER = timedelta(minutes=10)


class FailingStore:
    """A store of which one call fails: before it did anything, or after all of it was done."""

    def __init__(self, store: Any, nth: int, *, is_done: bool) -> None:
        self._store, self._nth, self._is_done = store, nth, is_done
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._store, name)
        if not inspect.iscoroutinefunction(attribute):
            return attribute

        async def call(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            fails = self.calls == self._nth
            if fails and not self._is_done:
                raise Unavailable(f"call {self._nth}, {name}, fails")
            result = await attribute(*args, **kwargs)
            if fails:
                raise Unavailable(f"the answer to call {self._nth}, {name}, is lost")
            return result

        return call


def failing(memory: Any, nth: int, *, is_done: bool) -> FailingStore:
    """Let a store call of the memory fail from now on."""
    manager = memory._core
    store = FailingStore(manager._core.store, nth, is_done=is_done)
    manager._core = replace(manager._core, store=store)
    return store


def outcome(memory: Any) -> list[Any]:
    """Everything that is held, told by its words instead of by ids."""
    items = list(memory.list(limit=1000, include=("superseded", "former")))
    words = {item.id: item.content for item in items}
    return sorted(
        (
            item.content,
            item.kind.value,
            item.state.value,
            round(item.importance, 6),
            round(item.confidence, 6),
            sorted(words[name] for name in item.provenance),
            sorted(words[name] for name in item.supports),
            sorted(words[name] for name in item.causes),
            words.get(item.superseded_by or ""),
        )
        for item in items
    )


def filled(url: str) -> tuple[Any, FakeClock]:
    clock = FakeClock("2031-03-10T09:00:00+00:00")
    memory = perdure.open(url, clock=clock, embedder=HashingEmbedder()).scoped(user="ilka")
    for text in TOLD:
        memory.remember(text, kind="episodic")
        clock.advance(timedelta(minutes=1))
    return memory, clock


@pytest.fixture(scope="module")
def undisturbed() -> list[Any]:
    memory, _ = filled("memory://")
    memory.consolidate()
    result = outcome(memory)
    assert Counter(kind for _, kind, *_ in result)["semantic"] >= 4
    memory.close()
    return result


def run_through(memory: Any, clock: FakeClock, nth: int, *, is_done: bool) -> bool:
    """Consolidate in small steps while call `nth` fails, then go on; whether it did fail."""
    whole = memory._core._core
    store = failing(memory, nth, is_done=is_done)
    while True:
        try:
            plan = memory.consolidate(limit=5)
        except Unavailable:
            clock.advance(LATER)  # until the lease, which may not have been given back, has run out
            continue
        if not plan.actions and not plan.notes:
            memory._core._core = whole
            return store.calls >= nth


@pytest.mark.slow
@pytest.mark.parametrize("is_done", [False, True], ids=["nothing done", "answer lost"])
@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_failure_at_any_point_loses_and_doubles_nothing(tmp_path, undisturbed, store, is_done):
    for nth in count(1):
        url = "memory://" if store == "memory" else str(tmp_path / f"{nth}.db")
        memory, clock = filled(url)
        has_failed = run_through(memory, clock, nth, is_done=is_done)
        assert outcome(memory) == undisturbed, f"call {nth}"
        assert memory.verify(repair=False).problems == ()
        memory.close()
        if not has_failed:
            assert nth > 30
            return


@pytest.mark.slow
@pytest.mark.parametrize("is_done", [False, True], ids=["nothing done", "answer lost"])
@pytest.mark.parametrize("nth", [3, 11, 24, 38])
def test_the_same_on_a_server(postgres_url, undisturbed, nth, is_done):
    memory, clock = filled(f"{postgres_url}?schema=failing_{nth}_{is_done}")
    run_through(memory, clock, nth, is_done=is_done)
    assert outcome(memory) == undisturbed
    assert memory.verify(repair=False).problems == ()
    memory.close()
