"""A refusal says what to do next, as a newcomer meets it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

import perdure
from perdure import Conflict, InvalidInput, NotFound
from tests.acceptance.home import decided_by_the_engine

USES = {
    "feedback": lambda bound, note: bound.feedback(note, used=True),
    "correct": lambda bound, note: bound.correct(note, "The kiln is repaired on Monday."),
    "update": lambda bound, note: bound.update(note, held=False),
    "get": lambda bound, note: bound.get(note),
    "archive": lambda bound, note: bound.archive(note),
}


@decided_by_the_engine
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_what_is_forgotten_is_said_to_be_so_with_the_way_back(memory, use):
    ilka = memory.scoped(user="ilka")
    plain = ilka.remember("The kiln is repaired on Friday.").memory
    held = ilka.remember("窑周五修好。", held=True).memory
    ilka.forget([plain, held])
    with pytest.raises(NotFound, match=r"was forgotten; restore\('") as refusal:
        use(ilka, plain)
    assert "legal hold" not in str(refusal.value)
    with pytest.raises(NotFound, match=r"restore\('.*legal hold, which update\(.*held=False\)"):
        use(ilka, held)
    with pytest.raises(NotFound, match="is visible in this scope"):
        use(memory.scoped(user="bren"), plain)


@decided_by_the_engine
def test_a_hold_on_what_is_forgotten_ends_as_the_refusal_says(memory):
    ilka = memory.scoped(user="ilka")
    note = ilka.remember("The kiln is repaired on Friday.", held=True).memory
    ilka.forget(note)
    with pytest.raises(Conflict, match=r"restore\(.*update\(.*held=False\)"):
        ilka.erase(note)
    ilka.restore(note)
    ilka.update(note, held=False)
    assert len(ilka.erase(note)) == 1
    with pytest.raises(NotFound, match="was erased"):
        ilka.get(note)


@decided_by_the_engine
def test_a_certificate_of_another_user_names_the_remedy(memory):
    ilka = memory.scoped(user="ilka")
    certificate = ilka.erase(ilka.remember("The kiln is repaired on Friday.").memory)
    [problem] = memory.scoped(user="bren").verify(certificate).problems
    assert "another user" in problem.problem
    assert "scoped(user=" in problem.problem


REFUSED = {
    "a number as a query": (lambda bound: bound.recall(5), "text, or a vector of numbers.* 5"),
    "bytes as a query": (lambda bound: bound.recall(b"kiln"), "text, or a vector of numbers"),
    "a mapping as a query": (lambda bound: bound.recall({"q": "x"}), "text, or a vector"),
    "bytes as an id": (lambda bound: bound.forget(b"abc"), "an id .* of type bytes"),
    "a mapping as an id": (lambda bound: bound.forget({"id": "x"}), "an id .* of type dict"),
    "a hit as a memory": (lambda bound: bound.forget(bound.recall("kiln")[0]), "pass its .memory"),
    "hits as memories": (lambda bound: bound.forget(bound.recall("kiln")), "pass its .memory"),
    "a message as words": (lambda bound: bound.remember({"role": "user"}), r"observe\(\) takes"),
    "an empty user": (lambda bound: bound.scoped(user=""), "user is empty.* leave user out"),
    "a message as a role": (
        lambda bound: bound.context("s1").append({"role": "user", "content": "x"}),
        "extend takes whole messages",
    ),
    "a message of nothing": (
        lambda bound: bound.observe([object()]),
        "message 0: .* with role and content",
    ),
    "no period": (
        lambda bound: bound.start_maintenance(timedelta(0)),
        r"longer than nothing, not 0:00:00.*stop_maintenance\(\)",
    ),
    "a number as a period": (lambda bound: bound.start_maintenance(5), r"timedelta\(hours=6\)"),
}  # fmt: skip


@decided_by_the_engine
@pytest.mark.parametrize(("call", "told"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_value_is_answered_with_a_right_one(memory, call, told):
    memory.remember("The kiln is in Hall 2.")
    with pytest.raises(InvalidInput, match=told):
        call(memory)
    assert memory.count() == 1


@dataclass
class Typed:
    """A message, or a part of one, as client libraries give them."""

    role: str | None = None
    content: object = None
    type: str | None = None
    text: str | None = None


@decided_by_the_engine
def test_typed_messages_are_observed_like_mappings(memory):
    parts = [Typed(type="text", text="I live in Lisbon."), Typed(type="image")]
    for place, content in enumerate(("I live in Lisbon.", parts, [{"text": "I live in Lisbon."}])):
        user = memory.scoped(user=f"u{place}")
        user.observe([Typed(role="user", content=content)])
        assert [fact.object for fact in user.graph.facts(predicate="lives_in")] == ["Lisbon"]


@decided_by_the_engine
def test_a_part_that_is_none_is_a_part_left_out(memory):
    assert memory.scoped(user="ilka", session=None).scope == perdure.Scope(user="ilka")
