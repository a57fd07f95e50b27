"""Each check passes and fails as the card of the suite says."""

from __future__ import annotations

from datetime import datetime

import pytest

from perdure.evaluation.consistency.checks import (
    Found,
    absent_passes,
    as_of_passes,
    attributed_passes,
    conflict_passes,
    contains,
    current_passes,
    decision_passes,
    live_facts_passes,
    normal,
    time_passes,
)
from perdure.evaluation.consistency.scenarios import (
    AbsentCheck,
    AsOfCheck,
    AttributedCheck,
    ConflictCheck,
    Counted,
    CurrentCheck,
    LiveFactsCheck,
    TimeCheck,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def said(text: str, **more: object) -> Found:
    return Found(id=text, text=text, **more)  # type: ignore[arg-type]


def fact(text: str, object_: str | None = None, *, subject: str = "user", **more: object) -> Found:
    return said(text, subject=subject, object=object_, **more)


# --- Text ----------------------------------------------------------------------------------------


def test_width_case_and_white_space_do_not_matter() -> None:
    assert normal("Ｒｏｏｍ\u3000 12 Ｂ") == "room12b"
    assert contains("会议室 １２Ｂ", "12b")
    assert contains("STRASSE", "straße")
    assert not contains(None, "x")


# --- Decisions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decided", "expect", "passes"),
    [
        (["create"], ["create"], True),
        (["create"], ["update"], False),
        ([], ["none"], True),
        ([], ["create"], False),
        (["none"], ["none", "create"], True),
        (["none", "create"], ["create"], True),
        (["none", "create"], ["none"], False),
        (["create", "update"], ["update"], True),
        (["create", "update"], ["create"], False),
        (["create", "delete"], ["delete"], True),
        (["update", "delete"], ["delete"], True),
        (["update", "delete"], ["update"], False),
        (["create", "update", "delete"], ["delete"], True),
        (["update"], ["delete"], False),
        (["update", "create"], ["none", "update"], True),
    ],
)
def test_what_may_stand_beside_what(decided: list[str], expect: list[str], passes: bool) -> None:
    assert decision_passes(decided, expect) is passes


# --- What holds ----------------------------------------------------------------------------------

CURRENT = CurrentCheck(query="?", expect_any=("Heron", "Wren"), reject=("Lark",), k=2)


def test_one_hit_says_what_holds_and_none_what_does_not() -> None:
    assert current_passes(CURRENT, [said("other"), said("at heron")])
    assert not current_passes(CURRENT, [said("at Lark"), said("at Heron")])
    assert not current_passes(CURRENT, [said("other")])


def test_marked_hits_are_dropped_before_the_first_are_taken() -> None:
    marked = [said("at Lark", is_marked=True), said("at Lark once", is_marked=True)]
    assert current_passes(CURRENT, [*marked, said("at Heron")])


def test_what_comes_later_than_k_does_not_count() -> None:
    assert not current_passes(CURRENT, [said("a"), said("b"), said("Heron")])
    assert current_passes(CURRENT, [said("a"), said("Heron"), said("Lark")])


def test_a_statement_that_names_the_old_value_beside_the_new_fails() -> None:
    assert not current_passes(CURRENT, [said("moved from Lark to Heron")])


def test_as_of_looks_at_marked_hits_too() -> None:
    check = AsOfCheck(
        query="?", as_of=at("2031-01-01T00:00+00:00"), expect_any=("Lark",), reject=("Heron",), k=2
    )
    assert as_of_passes(check, [said("at Lark", is_marked=True)])
    assert not as_of_passes(check, [said("at Lark"), said("at Heron", is_marked=True)])


def test_absent_means_marked_or_not() -> None:
    check = AbsentCheck(query="?", reject=("4711",), k=2)
    assert absent_passes(check, [said("a"), said("b"), said("4711")])
    assert not absent_passes(check, [said("47 11", is_marked=True)])
    assert absent_passes(check, [])


# --- Times ---------------------------------------------------------------------------------------

FRIDAY = (at("2031-01-03T00:00+08:00"), at("2031-01-03T23:59:59+08:00"))
DATED = TimeCheck(query="?", contains="ran", interval=FRIDAY)


def span(start: str, end: str) -> tuple[datetime, datetime]:
    return at(start), at(end)


@pytest.mark.parametrize(
    ("time", "passes"),
    [
        (span("2031-01-03T09:00+08:00", "2031-01-03T09:00+08:00"), True),
        (span("2031-01-02T16:00+00:00", "2031-01-03T16:00+00:00"), True),
        (span("2031-01-05T09:00+08:00", "2031-01-05T09:00+08:00"), False),
        # Both ends are included.
        (span("2031-01-02T00:00+08:00", "2031-01-03T00:00+08:00"), True),
        (span("2031-01-03T23:59:59+08:00", "2031-01-04T23:00+08:00"), True),
        (span("2031-01-04T00:00+08:00", "2031-01-04T23:00+08:00"), False),
        # No more than four times as wide.
        (span("2031-01-01T00:00+08:00", "2031-01-04T23:59:56+08:00"), True),
        (span("2031-01-01T00:00+08:00", "2031-01-05T00:00:00+08:00"), False),
    ],
)
def test_the_time_of_the_event_overlaps_and_is_narrow(
    time: tuple[datetime, datetime], passes: bool
) -> None:
    assert time_passes(DATED, [said("I ran", times=(time,))]) is passes


def test_any_time_of_a_hit_may_serve_also_of_a_marked_one() -> None:
    times = (span("2031-01-06T08:00+00:00", "2031-01-06T08:00+00:00"), FRIDAY)
    assert time_passes(DATED, [said("I ran", is_marked=True, times=times)])


def test_three_hits_about_it_are_looked_at() -> None:
    others = [said(f"swam {n}") for n in range(5)]
    undated = [said(f"ran {n}") for n in range(3)]
    dated = said("I ran", times=(FRIDAY,))
    assert time_passes(DATED, [*others, *undated[:2], dated])
    assert not time_passes(DATED, [*undated, dated])


# --- How often something is held -----------------------------------------------------------------


def held(least: int, most: int, count: Counted = "any", contains: str = "cello") -> LiveFactsCheck:
    return LiveFactsCheck(query="?", contains=contains, least=least, most=most, count=count)


def test_the_larger_of_facts_and_sentences_is_enough() -> None:
    assert live_facts_passes(held(2, 2), [said("cello one"), said("cello two")])
    assert live_facts_passes(
        held(2, 2), [said("cello"), fact("a", "cello", subject="x"), fact("b", "cello")]
    )
    assert not live_facts_passes(held(2, 2), [said("cello"), fact("a", "cello")])


def test_beside_a_fact_sentences_do_not_count_as_repetition() -> None:
    sentences = [said(f"cello {n}") for n in range(4)]
    assert live_facts_passes(held(1, 1), [*sentences, fact("plays the cello", "cello")])
    assert not live_facts_passes(held(1, 1), sentences)


def test_no_single_subject_has_too_many() -> None:
    one_each = [fact("plays the cello", "cello"), fact("Ann: cello", "cello", subject="Ann")]
    assert live_facts_passes(held(1, 1), one_each)
    two = [fact("plays the cello", "cello"), fact("has a cello", "old cello")]
    assert not live_facts_passes(held(1, 1), two)


def test_the_upper_bound_looks_at_the_object_where_there_is_one() -> None:
    beside = fact("user plays the cello with Ann", "Ann")
    assert live_facts_passes(held(1, 1), [beside, fact("plays", "cello")])
    without = fact("user has a cello")
    assert not live_facts_passes(held(1, 1), [without, fact("plays", "cello")])


def test_sentences_of_assistants_and_undecided_turns_are_left_out_but_facts_are_not() -> None:
    assert not live_facts_passes(held(1, 1), [said("cello", is_counted=False)])
    assert live_facts_passes(held(1, 1), [fact("cello", "cello", is_counted=False)])


def test_marked_hits_are_not_live() -> None:
    assert not live_facts_passes(held(1, 1), [fact("cello", "cello", is_marked=True)])
    assert live_facts_passes(held(0, 0), [fact("cello", "cello", is_marked=True)])


def test_only_facts_that_assert_it_in_their_object_count_as_facts() -> None:
    none = held(0, 0, "facts")
    assert live_facts_passes(none, [said("cello")])
    assert live_facts_passes(none, [fact("no cello", "cello", polarity="-")])
    assert live_facts_passes(none, [fact("the cello teacher", "Ann")])
    assert not live_facts_passes(none, [fact("plays", "the Cello")])
    assert not live_facts_passes(none, [fact("plays the cello")])
    assert not live_facts_passes(held(1, 2, "facts"), [said("cello")])


def test_the_lower_bound_of_any_counts_negative_facts() -> None:
    assert live_facts_passes(held(1, 1), [fact("dislikes the cello", "cello", polarity="-")])


# --- Disputes ------------------------------------------------------------------------------------

SIDES = ConflictCheck(query="?", expect_all=("nine", "ten"))


def test_every_side_is_told_and_shown_as_contested() -> None:
    nine, ten = said("at nine", is_contested=True), said("at ten", is_contested=True)
    assert conflict_passes(SIDES, [nine, ten])
    assert not conflict_passes(SIDES, [nine])
    assert not conflict_passes(SIDES, [nine, said("at ten")])
    assert not conflict_passes(SIDES, [nine, said("at ten", is_contested=True, is_marked=True)])


def test_a_contradiction_between_the_hits_is_a_flag_too() -> None:
    nine = said("at nine", disputes=frozenset({"at ten"}))
    ten = said("at ten", disputes=frozenset({"at nine"}))
    assert conflict_passes(SIDES, [nine, ten])
    assert not conflict_passes(SIDES, [nine, said("at ten", disputes=frozenset({"elsewhere"}))])


# --- Whose it is ---------------------------------------------------------------------------------

HIS = AttributedCheck(query="?", contains="oboe", names=("Goran",))


@pytest.mark.parametrize(
    ("hit", "passes"),
    [
        (fact("Goran plays the oboe", "oboe", subject="Goran"), True),
        (fact("lives with Goran who plays the oboe", "Goran"), True),
        (fact("user plays the oboe", "oboe"), False),
        (fact("user: Goran plays the oboe"), True),
        (fact("user plays the oboe"), False),
        (said("Goran has taken up the oboe"), True),
        (said("has taken up the oboe"), False),
        (said("nothing of it"), True),
        (fact("user plays the oboe", "oboe", is_marked=True), True),
    ],
)
def test_it_is_said_of_somebody_else(hit: Found, passes: bool) -> None:
    assert attributed_passes(HIS, [hit]) is passes


def test_only_the_first_five_unmarked_hits_are_looked_at() -> None:
    others = [said(f"other {n}") for n in range(5)]
    wrong = fact("user plays the oboe", "oboe")
    assert attributed_passes(HIS, [*others, wrong])
    assert not attributed_passes(HIS, [*others[:4], said("x", is_marked=True), wrong])
