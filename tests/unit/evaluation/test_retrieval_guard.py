"""No figures of anything but the shipped package."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from perdure import Settings, sync
from perdure.errors import Misconfigured
from perdure.evaluation.clock import SetClock
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.running import Setting
from perdure.sync import MemoryManager
from tests.unit.evaluation.asking import pottery


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned(Setting):
    """Somebody's own idea of a memory."""

    @contextmanager
    def opened(self, moment):
        settings = Settings(ranking="seed_weighted")
        clock = SetClock(moment)
        with sync.open("memory://", embedder="off", settings=settings, clock=clock) as memory:
            yield memory, clock


def test_another_configuration_fails_the_run():
    with pytest.raises(Misconfigured, match="shipped configuration"):
        evaluate(pottery(), Tuned(embedder="off"))


def test_another_call_fails_the_run(monkeypatch):
    def recall(self, query, **_):
        raise AssertionError("never asked")

    monkeypatch.setattr(MemoryManager, "recall", recall)
    with pytest.raises(Misconfigured, match="recall is another's"):
        evaluate(pottery(), Setting(embedder="off"))


def test_a_manager_of_another_kind_fails_the_run():
    class Better(MemoryManager):
        """Knows the answers."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Replaced(Setting):
        @contextmanager
        def opened(self, moment):
            clock = SetClock(moment)
            with sync.open("memory://", embedder="off", clock=clock) as memory:
                yield Better(memory._core, memory._portal), clock

    with pytest.raises(Misconfigured, match="public calls"):
        evaluate(pottery(), Replaced(embedder="off"))
