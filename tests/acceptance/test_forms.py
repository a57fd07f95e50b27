"""The blocking and the asynchronous client are one client."""

from __future__ import annotations

import inspect
from datetime import timedelta

import pytest

import perdure
from perdure import AsyncMemoryManager, MemoryManager
from perdure.context import AsyncContext, Context
from perdure.graph import AsyncGraph, Graph
from perdure.working import AsyncWorking, Working
from tests.acceptance.reading import everything_in, ids, texts


def public(client):
    return {
        name: member
        for name, member in inspect.getmembers(client)
        if not name.startswith("_") or name in ("__init__",)
    }


PROPERTIES = {"scope", "graph"}
VIEWS = {"scoped", "context", "working"}
"""Methods that give a view and do nothing yet."""
METHODS = sorted(public(AsyncMemoryManager).keys() - {"__init__"} - PROPERTIES)


def test_both_clients_have_the_same_methods():
    assert set(public(AsyncMemoryManager)) == set(public(MemoryManager))


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_and_gives_the_same_in_both(name):
    asynchronous = inspect.signature(getattr(AsyncMemoryManager, name))
    blocking = inspect.signature(getattr(MemoryManager, name))
    assert list(blocking.parameters) == list(asynchronous.parameters)
    for parameter in asynchronous.parameters.values():
        other = blocking.parameters[parameter.name]
        assert (other.kind, other.default, other.annotation) == (
            parameter.kind, parameter.default, parameter.annotation,
        ), parameter.name  # fmt: skip
    given = asynchronous.return_annotation.replace("Async", "")
    assert blocking.return_annotation == given


@pytest.mark.parametrize("name", METHODS)
def test_only_the_asynchronous_client_is_awaited(name):
    if name in VIEWS:
        return
    assert inspect.iscoroutinefunction(getattr(AsyncMemoryManager, name))
    assert not inspect.iscoroutinefunction(getattr(MemoryManager, name))


@pytest.mark.parametrize(
    ("asynchronous", "blocking"),
    [(AsyncGraph, Graph), (AsyncWorking, Working), (AsyncContext, Context)],
)
def test_both_forms_of_a_part_have_the_same_methods(asynchronous, blocking):
    names = {name for name in dir(asynchronous) if not name.startswith("_")}
    assert names == {name for name in dir(blocking) if not name.startswith("_")}
    for name in names:
        if isinstance(getattr(asynchronous, name), property):
            continue
        taken = inspect.signature(getattr(asynchronous, name))
        assert inspect.signature(getattr(blocking, name)) == taken, name
        assert inspect.getdoc(getattr(asynchronous, name))
        assert inspect.iscoroutinefunction(getattr(asynchronous, name))
        assert not inspect.iscoroutinefunction(getattr(blocking, name))


def test_open_takes_the_same_in_both_forms():
    assert inspect.signature(perdure.open).parameters == (
        inspect.signature(perdure.open_async).parameters
    )


def test_every_name_offered_exists_and_is_documented():
    for name in perdure.__all__:
        assert getattr(perdure, name).__doc__, name


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_documented(name):
    assert inspect.getdoc(getattr(AsyncMemoryManager, name))
    assert inspect.getdoc(getattr(MemoryManager, name))


def test_every_call_works_in_every_form(every_home, tmp_path):
    with every_home.open() as whole:
        memory = whole.scoped(tenant="t", user="ilka").scoped(agent="a", session="s")
        clock = every_home.clock
        first = memory.remember("The chapel bell rings at seven", metadata={"n": 1}).memory
        memory.remember_many(
            [{"content": "钟声在七点响起"}, {"content": "Turn", "kind": "short_term"}]
        )
        clock.advance(timedelta(hours=1))
        assert memory.update(first.id, metadata={"n": 2}, expected_version=1).version == 2
        new = memory.correct("chapel bell", "The chapel bell rings at eight").memory
        assert ids(memory.recall("chapel bell")) == [new.id]
        assert "rings at eight" in memory.recall_context("chapel bell")
        assert memory.get(first.id).superseded_by == new.id
        assert memory.count() == len(everything_in(memory, limit=1)) == 3
        assert memory.count(known_as_of=first.recorded_at, as_of=first.valid_from) == 3
        assert [item.importance for item in memory.feedback(new.id, helpful=True)] > [0.5]
        memory.forget(new.id)
        memory.restore(first.id)
        assert "The chapel bell rings at seven" in texts(memory.list())
        assert [step.operation for step in memory.history(first.id)] == [
            "created", "updated", "superseded", "restored",
        ]  # fmt: skip
        assert len(memory.changes(3)) == len(memory.changes()) - 3
        assert sum(memory.stats().memories.values()) == 4
        assert memory.export(tmp_path / "x.jsonl").memories == 3
        again = memory.import_(tmp_path / "x.jsonl")
        assert (again.skipped, again.withheld) == (3, 1)
        assert memory.reembed().remaining == 0
        assert memory.verify().ok
        assert len(memory.forget_all()) == 3
        assert memory.scope.session == "s"
        if every_home.store == "sqlite":
            assert whole.backup(tmp_path / "copy.db").exists()
        else:
            with pytest.raises(perdure.Misconfigured):
                whole.backup(tmp_path / "copy.db")
