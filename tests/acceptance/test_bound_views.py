"""A bound manager has the same methods and never leaves its scope."""

from __future__ import annotations

import pytest

from perdure import InvalidInput, NotFound, PermissionDenied, Scope
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

PARTS = ("tenant", "user", "agent", "session")


@decided_by_the_engine
@pytest.mark.parametrize("part", PARTS)
def test_another_scope_is_refused_in_every_call(memory, part, tmp_path):
    bound = memory.scoped(**{part: "mine"})
    mine = bound.remember("Mine").memory
    other = Scope(**{part: "theirs"})
    calls = [
        lambda: bound.remember("x", scope=other),
        lambda: bound.remember_many([{"content": "x", "scope": other}]),
        lambda: bound.recall("x", scope=other),
        lambda: bound.recall_context("x", scope=other),
        lambda: bound.get(mine.id, scope=other),
        lambda: bound.list(scope=other),
        lambda: bound.count(scope=other),
        lambda: bound.update(mine.id, importance=0.1, scope=other),
        lambda: bound.correct(mine.id, "x", scope=other),
        lambda: bound.forget(mine.id, scope=other),
        lambda: bound.forget_all(scope=other),
        lambda: bound.restore(mine.id, scope=other),
        lambda: bound.history(mine.id, scope=other),
        lambda: bound.changes(scope=other),
        lambda: bound.feedback(mine.id, scope=other),
        lambda: bound.stats(scope=other),
        lambda: bound.export(tmp_path / "x.jsonl", scope=other),
        lambda: bound.scoped(**{part: "theirs"}),
    ]
    for call in calls:
        with pytest.raises(PermissionDenied, match=part):
            call()
    assert bound.get(mine.id) == mine


@decided_by_the_engine
@pytest.mark.parametrize("part", PARTS[1:])
def test_everything_is_refused_below_the_tenant(memory, part, tmp_path):
    bound = memory.scoped(**{part: "mine"})
    bound.remember("Mine")
    for call in (
        lambda: bound.count(everything=True),
        lambda: bound.changes(everything=True),
        lambda: bound.stats(everything=True),
        lambda: bound.export(tmp_path / "x.jsonl", everything=True),
        lambda: bound.forget_all(everything=True),
    ):
        with pytest.raises(PermissionDenied):
            call()
    assert bound.count() == 1


@decided_by_the_engine
@pytest.mark.parametrize("part", PARTS)
def test_an_import_does_not_leave_the_bound_scope(memory, part, tmp_path):
    theirs = memory.scoped(**{part: "theirs"})
    theirs.remember("Brought in from elsewhere")
    theirs.export(tmp_path / "theirs.jsonl")
    theirs.forget_all(**({"everything": True} if part == "tenant" else {}))
    with pytest.raises(InvalidInput):
        memory.scoped(**{part: "mine"}).import_(tmp_path / "theirs.jsonl")
    assert memory.scoped(**{part: "mine"}).count() == 0


@decided_by_the_engine
@pytest.mark.parametrize("part", PARTS)
def test_a_bound_manager_may_narrow_and_keeps_its_own_parts(memory, part):
    others = {name: "n" for name in PARTS if name != part}
    narrowed = memory.scoped(**{part: "mine"}).scoped(**others)
    assert narrowed.scope == Scope(**{part: "mine"}, **others)
    kept = memory.scoped(**{part: "mine"}).remember("Here", scope=Scope(**others)).memory
    assert kept.scope == narrowed.scope


@decided_by_the_engine
def test_binding_to_the_same_again_is_fine(memory):
    bound = memory.scoped(user="mine").scoped(user="mine")
    bound.remember("Twice bound", scope=Scope(user="mine"))
    assert texts(bound.list()) == ["Twice bound"]


@decided_by_the_engine
def test_a_view_shares_the_store_with_the_manager_it_came_from(memory):
    memory.scoped(user="mine").remember("Seen from both")
    assert texts(memory.list(scope=Scope(user="mine"))) == ["Seen from both"]


@pytest.mark.parametrize("part", ["agent", "session"])
def test_an_id_names_one_memory_of_the_user_whatever_the_agent_or_session(memory, part):
    kept = memory.scoped(user="mine", **{part: "one"}).remember("Known by its id").memory
    assert memory.scoped(user="mine", **{part: "two"}).get(kept.id) == kept
    with pytest.raises(NotFound):
        memory.scoped(user="other", **{part: "one"}).get(kept.id)


@decided_by_the_engine
@pytest.mark.parametrize("value", [7, ["x"], True, b"x"])
def test_binding_to_something_that_is_no_text_is_refused(memory, value):
    with pytest.raises(InvalidInput):
        memory.scoped(user=value)
