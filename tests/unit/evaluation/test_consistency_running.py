"""Scenarios are played as the card of the suite says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from perdure.domain.ranking import Explanation
from perdure.domain.records import Kind, Memory, Source
from perdure.domain.results import Decision, Hit, Observed
from perdure.domain.scope import Scope
from perdure.errors import InvalidInput
from perdure.evaluation.clock import SetClock
from perdure.evaluation.consistency.figures import (
    CHECKS,
    HEADLINE,
    PASSED,
    Played,
    Verdict,
    every_time,
    report,
)
from perdure.evaluation.consistency.running import decided_on, play
from perdure.evaluation.consistency.scenarios import (
    DecisionCheck,
    Scenario,
    Turn,
    read_scenarios,
)
from perdure.sync import MemoryManager
from tests.unit.evaluation.conversing import PlayedBack

NOON = datetime(2031, 5, 5, 12, tzinfo=UTC)
LINE: dict[str, Any] = {
    "id": "one",
    "lang": "en",
    "kind": "value_change",
    "turns": [
        {"role": "user", "content": "I bank with Lark.", "time": "2031-05-05T14:00:00+02:00"},
        {"role": "assistant", "content": "Lark, fine.", "time": "2031-05-05T14:01:00+02:00"},
        {
            "role": "user",
            "speaker": "Ann",
            "content": "Now it's Heron.",
            "time": "2031-05-06T14:00:00+02:00",
        },
    ],
    "checks": [
        {"type": "decision", "turn": 2, "expect": ["update"]},
        {"type": "current", "query": "Bank?", "expect_any": ["Heron"], "reject": ["Lark"], "k": 3},
        {
            "type": "as_of",
            "query": "Bank then?",
            "as_of": "2031-05-05T18:00:00+02:00",
            "expect_any": ["Lark"],
            "reject": [],
            "k": 3,
        },
        {
            "type": "live_facts",
            "query": "Bank?",
            "contains": "Lark",
            "min": 0,
            "max": 0,
            "count": "any",
        },
    ],
}


def scenario(**changes: object) -> Scenario:
    return read_scenarios([json.dumps({**LINE, **changes})])[0]


def memory(content: str, *, turn: str = "0", **more: Any) -> Memory:
    settings: dict[str, Any] = {
        "id": content,
        "content": content,
        "scope": Scope(),
        "occurred_at": NOON,
        "recorded_at": NOON,
        "valid_from": NOON,
        "source": Source(role="user", message_ids=(turn,)),
    }
    return Memory(**{**settings, **more})


def hit(content: str, *, status: Any = "current", **more: Any) -> Hit:
    explanation = Explanation(components={}, score=0.5, config_hash="")
    return Hit(memory=memory(content, **more), score=0.5, status=status, explanation=explanation)


def told(operation: Any, *memories: Memory) -> Observed:
    return Observed(decisions=(Decision(operation=operation, reason="", memories=memories),))


def played(memory: PlayedBack, one: Scenario) -> Played:
    return play(cast(MemoryManager, memory), memory.clock, one)


@pytest.fixture
def back() -> PlayedBack:
    return PlayedBack(
        clock=SetClock(NOON),
        answers={"Now it's Heron.": told("update")},
        hits={
            "Bank?": [hit("I bank with Lark.", status="former"), hit("Now it's Heron.", turn="2")],
            "Bank then?": [hit("I bank with Lark.", status="former")],
        },
    )


def test_every_turn_is_told_at_its_time_with_who_said_it(back: PlayedBack) -> None:
    played(back, scenario())
    assert [(now, message["role"], message.get("name")) for now, message in back.heard] == [
        (NOON, "user", None),
        (NOON + timedelta(minutes=1), "assistant", None),
        (NOON + timedelta(days=1), "user", "Ann"),
    ]


def test_the_questions_come_a_minute_after_the_last_turn(back: PlayedBack) -> None:
    played(back, scenario())
    then = datetime.fromisoformat("2031-05-05T18:00:00+02:00")
    after = NOON + timedelta(days=1, minutes=1)
    assert back.asked == [
        (after, "Bank?", 10, None),
        (after, "Bank then?", 10, then),
        (after, "Bank?", 10, None),
    ]


def test_nothing_is_shown_but_the_words(back: PlayedBack) -> None:
    played(back, scenario(variant="explicit"))
    assert {name for _, message in back.heard for name in message} == {
        "role",
        "content",
        "time",
        "name",
        "id",
    }


def test_a_scenario_passes_when_all_its_checks_do(back: PlayedBack) -> None:
    assert played(back, scenario()).passed
    back.answers = {}
    one = played(back, scenario())
    assert [verdict.passed for verdict in one.verdicts] == [False, True, True, True]
    assert not one.passed


def counted(back: PlayedBack, contents: Hit) -> bool:
    """Whether one hit counts where at most none may."""
    back.hits = {"Bank?": [contents]}
    return not played(back, scenario(checks=[LINE["checks"][3]])).passed


def test_words_count_when_their_turn_was_a_users_and_decided_something(back: PlayedBack) -> None:
    back.answers = {"I bank with Lark.": told("create"), "Lark, fine.": told("create")}
    assert counted(back, hit("I bank with Lark.", turn="0"))
    assert not counted(back, hit("Lark, fine.", turn="1"))
    back.answers = {"I bank with Lark.": told("none")}
    assert not counted(back, hit("I bank with Lark.", turn="0"))


def test_words_without_an_id_are_traced_to_the_turn_that_holds_them(back: PlayedBack) -> None:
    back.answers = {"I bank with Lark.": told("create")}
    assert counted(back, hit("bank with Lark", source=Source(role="user")))
    assert not counted(back, hit("Lark, fine", source=Source(role="assistant")))


def test_a_fact_counts_whatever_it_was_drawn_from(back: PlayedBack) -> None:
    back.answers = {}
    fact = hit("The user's bank is Lark.", subject="user", object="Lark", turn="1")
    assert counted(back, fact)


@pytest.mark.parametrize(
    ("role", "observed", "decided"),
    [
        ("user", Observed(), "none"),
        ("user", told("consolidate"), "none"),
        ("user", told("create"), "create"),
        ("system", told("create", memory("recalled words")), "none"),
        ("system", told("create", memory("a fact", kind=Kind.SEMANTIC)), "create"),
    ],
)
def test_what_was_decided_is_told_in_the_words_of_the_checks(
    role: str, observed: Observed, decided: str
) -> None:
    assert decided_on(Turn(role=role, content="…", time=NOON), observed) == {decided}


# --- Adding up -----------------------------------------------------------------------------------


def result(kind: str, *passed: bool, language: str = "en") -> Played:
    check = DecisionCheck(turn=0, expect=("none",))
    one = scenario(id=f"{kind}{passed}{language}", kind=kind, lang=language)
    return Played(
        scenario=one,
        verdicts=tuple(
            Verdict(check=check, passed=each, asked="", expected="", came="") for each in passed
        ),
    )


def test_the_headline_is_the_mean_over_kinds() -> None:
    made = report(
        [
            result("recap", True, True),
            result("recap", True, False),
            result("recap", False, False),
            result("recap", True),
            result("late_news", True),
        ]
    )
    headline, passed, checks = (
        made.figure(name, language="en") for name in (HEADLINE, PASSED, CHECKS)
    )
    assert headline is not None
    assert passed is not None
    assert checks is not None
    assert headline.value == pytest.approx((2 / 4 + 1 / 1) / 2)
    assert (passed.hits, passed.cases) == (3, 5)
    assert (checks.hits, checks.cases) == (5, 8)


def test_languages_are_apart_and_together() -> None:
    made = report([result("recap", True), result("recap", False, language="zh")])
    values = {
        language: figure.value
        for language in made.languages
        if (figure := made.figure(HEADLINE, language=language)) is not None
    }
    assert values == {"en": 1.0, "zh": 0.0, "all": 0.5}


def test_of_several_rounds_the_worst_counts() -> None:
    good, bad = result("recap", True), result("recap", False)
    assert every_time([[good, good], [bad, good]]) == [bad, good]


def test_every_failed_check_is_listed() -> None:
    made = report([result("recap", True, False, False)])
    assert [failure.group for failure in made.failures] == ["recap · decision"] * 2


# --- Reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": []}, "no turns"),
        ({"turns": LINE["turns"][::-1]}, "order of time"),
        ({"checks": []}, "no checks"),
        ({"checks": [{"type": "decision", "turn": 3, "expect": ["none"]}]}, "does not exist"),
        ({"checks": [{"type": "later"}]}, '"type" is none of'),
        ({"checks": [{**LINE["checks"][1], "k": 0}]}, "from 1 up"),
        ({"checks": [{**LINE["checks"][3], "min": 1}]}, "more than"),
        ({"checks": [{**LINE["checks"][3], "count": "all"}]}, '"count"'),
        ({"turns": [{**LINE["turns"][0], "time": "2031-05-05T14:00:00"}]}, "no offset"),
        ({"turns": [{**LINE["turns"][0], "role": "tool"}]}, '"role"'),
    ],
)
def test_a_line_of_another_format_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        scenario(**change)
    assert "line 1" in str(raised.value)
    assert message in str(raised.value)
