"""What `neighbours` promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.filters import parse_filter
from perdure.domain.query import Condition
from perdure.domain.records import Kind, Memory
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.domain.walking import Walk
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, a_memory, forgotten
from perdure.testing.contracts._store_stand import Stand, looking
from perdure.testing.contracts._store_writing import ODD_NAMES

MINUTE = timedelta(minutes=1)


def a_fact(subject: str, value: str, *, minutes: int = 0, scope: Scope = ILKA) -> Memory:
    """A fact that says the one knows the other, learnt so many minutes after noon."""
    return replace(
        a_memory(f"{subject} knows {value}", scope=scope, kind=Kind.SEMANTIC),
        subject=subject, predicate="knows", object=value, polarity="+",
        recorded_at=NOON + minutes * MINUTE, occurred_at=NOON, valid_from=NOON,
    )  # fmt: skip


def walked(
    stand: Stand, *names: str, hops: int = 1, condition: Condition | None = None
) -> list[str]:
    """What a walk finds, as "subject>object"."""
    condition = condition or looking()
    facts = stand.run(stand.store.neighbours(Walk(condition=condition, names=names, hops=hops)))
    return [f"{fact.subject}>{fact.object}" for fact in facts]


class WalksAlongFacts:
    """`neighbours`."""

    def test_a_step_finds_the_facts_that_name_it_at_either_end(self, stand: Stand) -> None:
        for place, (one, other) in enumerate([("a", "b"), ("c", "a"), ("c", "d")]):
            stand.keep(a_fact(one, other, minutes=place))
        assert walked(stand, "a") == ["a>b", "c>a"]
        assert walked(stand, "b", "d") == ["a>b", "c>d"]
        assert walked(stand) == walked(stand, "nobody") == []

    def test_further_steps_come_later_and_each_fact_once(self, stand: Stand) -> None:
        stand.keep(a_fact("c", "d", minutes=0))
        stand.keep(a_fact("b", "c", minutes=1))
        stand.keep(a_fact("a", "b", minutes=2))
        stand.keep(a_fact("b", "a", minutes=3))
        stand.keep(a_fact("d", "e", minutes=4))
        assert walked(stand, "a", hops=2) == ["a>b", "b>a", "b>c"]
        assert walked(stand, "a", hops=3) == ["a>b", "b>a", "b>c", "c>d"]
        assert walked(stand, "a", hops=8) == ["a>b", "b>a", "b>c", "c>d", "d>e"]

    def test_facts_learnt_at_once_are_ordered_by_id(self, stand: Stand) -> None:
        facts = [stand.keep(a_fact("a", value)) for value in "zyx"]
        found = stand.run(stand.store.neighbours(Walk(condition=looking(), names=("a",))))
        assert found == sorted(facts, key=lambda fact: fact.id)

    def test_what_is_no_fact_is_not_walked(self, stand: Stand) -> None:
        stand.keep(a_memory("a"))
        assert walked(stand, "a") == []

    @pytest.mark.parametrize("name", sorted({*ODD_NAMES} - {"", "b"}))
    def test_names_are_compared_as_they_are_written(self, stand: Stand, name: str) -> None:
        stand.keep(a_fact(name, "x"))
        stand.keep(a_fact("b", "y"))
        assert walked(stand, name) == [f"{name}>x"]
        assert walked(stand, "B") == []

    def test_a_name_may_be_long(self, stand: Stand) -> None:
        name = "né" * 5_000
        stand.keep(a_fact(name, "x"))
        assert walked(stand, "x") == [f"{name}>x"]

    def test_nobody_walks_through_walls(self, stand: Stand) -> None:
        stand.keep(a_fact("a", "b"))
        stand.keep(a_fact("b", "secret", scope=Scope(user="ben")))
        stand.keep(a_fact("b", "secret", scope=Scope(user="ilka", tenant="other")))
        assert walked(stand, "a", hops=3) == ["a>b"]

    def test_everything_spans_the_users_of_the_tenant(self, stand: Stand) -> None:
        stand.keep(a_fact("a", "b", minutes=2))
        stand.keep(a_fact("b", "a", minutes=1, scope=Scope(user="ben")))
        view = View(scope=Scope(), now=NOON + timedelta(days=1), everything=True)
        assert walked(stand, "a", condition=Condition(view=view)) == ["b>a", "a>b"]

    def test_the_condition_bounds_every_step(self, stand: Stand) -> None:
        stand.keep(a_fact("a", "b"))
        ended = replace(
            a_fact("b", "c", minutes=1), valid_from=NOON - 2 * MINUTE, valid_to=NOON - MINUTE
        )
        stand.keep(ended)
        stand.keep(replace(a_fact("b", "d", minutes=2), importance=0.1))
        assert walked(stand, "a", hops=2) == ["a>b", "b>d"]
        former = looking(include=frozenset({"former"}))
        assert walked(stand, "a", hops=2, condition=former) == ["a>b", "b>c", "b>d"]
        weighty = replace(former, filter=parse_filter({"memory.importance": {"gt": 0.3}}))
        assert walked(stand, "a", hops=2, condition=weighty) == ["a>b", "b>c"]

    def test_what_was_forgotten_is_a_way_for_nobody(self, stand: Stand) -> None:
        stand.keep(a_fact("a", "b"))
        gone = stand.keep(a_fact("b", "c", minutes=1))
        stand.keep(a_fact("c", "d", minutes=2))
        stand.write(a_change_set(a_change(forgotten(gone), before=gone)))
        assert walked(stand, "a", hops=5) == ["a>b"]
