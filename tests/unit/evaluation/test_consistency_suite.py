"""Every scenario of the project's own consistency suites keeps the rules its checks are read by.

No memory is run here: a check that is wrong in itself would blame the package for a mistake of
the suite. The rules are told in the card beside the suite.
"""

from __future__ import annotations

import copy
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import resources
from typing import Any

import pytest

KINDS = (
    "value_change retraction preference_reversal many_valued_addition temporary_state "
    "hypothetical_or_question third_party assistant_words recap late_news correction_of_detail "
    "duplicate_restatement near_duplicate_distinct relative_time small_talk multi_fact_turn "
    "alias_entity contradiction_unsettled forget_scope procedural_preference"
).split()

# The check without which a scenario of this kind would not show what it is for.
NEEDS = {
    "retraction": "absent",
    "forget_scope": "absent",
    "relative_time": "time",
    "contradiction_unsettled": "conflict",
    "third_party": "attributed",
    "recap": "live_facts",
    "late_news": "as_of",
    "duplicate_restatement": "live_facts",
}

FIELDS = {
    "decision": {"turn", "expect"},
    "current": {"query", "expect_any", "reject", "k"},
    "absent": {"query", "reject", "k"},
    "as_of": {"query", "as_of", "expect_any", "reject", "k"},
    "time": {"query", "contains", "interval"},
    "live_facts": {"subject", "predicate_hint", "query", "contains", "min", "max", "count"},
    "conflict": {"query", "expect_all"},
    "attributed": {"query", "contains", "not_subject", "names"},
}

HAN = re.compile(r"[\u3400-\u9fff]")
LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
TRADITIONAL = re.compile("[們這說個現對學國時來過還買課號機給點開]")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？…])")

Scenario = dict[str, Any]


def normal(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def sentences(text: str) -> list[str]:
    return [normal(s) for s in SENTENCE_END.split(text) if s and s.strip()]


def read(name: str) -> list[Scenario]:
    path = resources.files("perdure.evaluation") / "suites" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def aware(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.utcoffset() is None:
        raise ValueError(f"{text} has no offset")
    return moment


def holders(scenario: Scenario, string: str, *roles: str) -> list[tuple[int, str]]:
    """The sentences that contain the string, with the number of their turn."""
    return [
        (number, sentence)
        for number, turn in enumerate(scenario["turns"])
        if turn["role"] in roles
        for sentence in sentences(turn["content"])
        if normal(string) in sentence
    ]


def deciding(scenario: Scenario, *intents: str) -> list[int]:
    return [
        check["turn"]
        for check in scenario["checks"]
        if check["type"] == "decision" and set(check["expect"]) & set(intents)
    ]


def problems(scenario: Scenario) -> list[str]:
    """What is wrong with one scenario, in words; nothing if it is sound."""
    try:
        return [*frame(scenario), *(p for c in scenario["checks"] for p in judge(scenario, c))]
    except (KeyError, TypeError, ValueError) as fault:
        return [f"malformed: {fault!r}"]


def frame(scenario: Scenario) -> Iterator[str]:
    extra = set(scenario) - {"id", "lang", "kind", "variant", "turns", "checks"}
    if extra:
        yield f"unknown fields {extra}"
    lang, kind, turns = scenario["lang"], scenario["kind"], scenario["turns"]
    if kind not in KINDS:
        yield f"unknown kind {kind}"
    if not scenario["id"].startswith(f"own-{kind}-{lang}-"):
        yield "the id does not tell kind and language"
    words = " ".join(turn["content"] for turn in turns)
    fits = {
        "en": not HAN.search(words),
        "zh": bool(HAN.search(words)),
        "mix": bool(HAN.search(words) and LATIN_WORD.search(words)),
    }
    if not fits[lang]:
        yield f"does not read as {lang}"
    before = None
    for turn in turns:
        if set(turn) - {"role", "speaker", "content", "time"}:
            yield f"unknown fields in a turn: {sorted(turn)}"
        if turn["role"] not in ("user", "assistant", "system"):
            yield f"unknown role {turn['role']}"
        if "speaker" in turn and turn["role"] != "user":
            yield "a speaker beside a turn that is not a user's"
        if not turn["content"].strip():
            yield "an empty turn"
        now = aware(turn["time"])
        if before is not None and now <= before:
            yield f"{turn['time']} does not come after the turn before it"
        before = now
    types = {check["type"] for check in scenario["checks"]}
    if NEEDS.get(kind, "decision") not in types and not types - {"decision"}:
        yield "nothing is checked but decisions"
    if kind in NEEDS and NEEDS[kind] not in types:
        yield f"{kind} without {NEEDS[kind]}"
    decided = [c["turn"] for c in scenario["checks"] if c["type"] == "decision"]
    if len(decided) != len(set(decided)):
        yield "two decisions checked on one turn"


def judge(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    kind = check["type"]
    if set(check) - {"type"} != FIELDS[kind]:
        yield f"{kind}: fields {sorted(check)}"
        return
    if "k" in check and not 1 <= check["k"] <= 10:
        yield f"{kind}: k is {check['k']}"
    if "query" in check and not check["query"].strip():
        yield f"{kind}: no query"
    strings = [*check.get("expect_any", ()), *check.get("expect_all", ()), *check.get("reject", ())]
    if "contains" in check:
        strings.append(check["contains"])
    if not all(normal(s) for s in strings):
        yield f"{kind}: an empty string is contained in everything"
    yield from JUDGES[kind](scenario, check)


def judge_decision(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    if not 0 <= check["turn"] < len(scenario["turns"]):
        yield f"decision: there is no turn {check['turn']}"
        return
    expect = check["expect"]
    known = {"create", "update", "delete", "none"}
    if not expect or len(expect) != len(set(expect)) or set(expect) - known:
        yield f"decision: expects {expect}"
    if scenario["turns"][check["turn"]]["role"] != "user" and expect != ["none"]:
        yield "decision: only users tell news"


def judge_held(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    """What ``current`` and ``as_of`` have in common."""
    name = check["type"]
    if not check["expect_any"]:
        yield f"{name}: expects nothing"
    # What the assistant guessed counts as said where the user confirmed it.
    said_by = ("user", "assistant") if scenario["kind"] == "assistant_words" else ("user",)
    rejects = [normal(rejected) for rejected in check["reject"]]
    for expected in check["expect_any"]:
        places = holders(scenario, expected, *said_by)
        if not places:
            yield f"{name}: nobody says {expected!r}"
        elif all(any(r in sentence for r in rejects) for _, sentence in places):
            yield f"{name}: {expected!r} is never said without what is rejected"
    for rejected in check["reject"]:
        if not holders(scenario, rejected, "user"):
            yield f"{name}: no user says {rejected!r}"


def judge_current(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    yield from judge_held(scenario, check)
    changes = deciding(scenario, "update", "delete")
    for rejected in check["reject"]:
        if holders(scenario, rejected, "assistant", "system"):
            yield f"current: {rejected!r} is echoed, and an echo cannot be marked"
        last = max((turn for turn, _ in holders(scenario, rejected, "user")), default=-1)
        if not any(turn > last for turn in changes):
            yield f"current: nothing after turn {last} takes {rejected!r} back"


def judge_as_of(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    yield from judge_held(scenario, check)
    if aware(check["as_of"]) > aware(scenario["turns"][-1]["time"]):
        yield "as_of: lies in the future"


def judge_absent(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    requests = deciding(scenario, "delete")
    if not requests:
        yield "absent: nobody asks to forget"
        return
    if not check["reject"]:
        yield "absent: rejects nothing"
    for rejected in check["reject"]:
        if not holders(scenario, rejected, "user"):
            yield f"absent: no user says {rejected!r}"
        if any(
            t >= max(requests)
            for t, _ in holders(scenario, rejected, "user", "assistant", "system")
        ):
            yield f"absent: {rejected!r} is said in the request or after it"


def judge_time(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    first, last = map(aware, check["interval"])
    if first >= last:
        yield "time: the interval is empty"
    places = holders(scenario, check["contains"], "user")
    if not places:
        yield f"time: no user says {check['contains']!r}"
    for number, _ in places:
        said = aware(scenario["turns"][number]["time"])
        if first <= said <= last:
            yield "time: the message lies inside the interval"
        if said.utcoffset() != first.utcoffset() or said.utcoffset() != last.utcoffset():
            yield "time: the interval is not in the zone of the message"


def judge_live_facts(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    low, high = check["min"], check["max"]
    if check["count"] not in ("any", "facts"):
        yield f"live_facts: counts {check['count']!r}"
    if not 0 <= low <= high:
        yield f"live_facts: from {low} to {high}"
    if check["count"] == "any" and high == 0:
        yield "live_facts: the words themselves may be kept"
    if not check["subject"] or not check["predicate_hint"]:
        yield "live_facts: says not what about"
    if not holders(scenario, check["contains"], "user", "assistant"):
        yield f"live_facts: nobody says {check['contains']!r}"
    held_again = [c for c in scenario["checks"] if c["type"] == "current"]
    if high == 0 and any(
        normal(check["contains"]) in normal(expected)
        for c in held_again
        for expected in c["expect_any"]
    ):
        yield f"live_facts: {check['contains']!r} both holds and does not"


def judge_conflict(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    if len(check["expect_all"]) < 2:
        yield "conflict: takes two"
    places = [holders(scenario, s, "user") for s in check["expect_all"]]
    if not all(places):
        yield "conflict: one side is not told"
    told = [place for found in places for place in found]
    if len(told) != len(set(told)):
        yield "conflict: both sides in one sentence"


def judge_attributed(scenario: Scenario, check: dict[str, Any]) -> Iterator[str]:
    if check["not_subject"] != "user" or not check["names"]:
        yield "attributed: to whom?"
    places = holders(scenario, check["contains"], "user")
    if not places:
        yield f"attributed: no user says {check['contains']!r}"
    for _, sentence in places:
        if not any(normal(name) in sentence for name in check["names"]):
            yield f"attributed: kept word for word, {sentence!r} names nobody"


JUDGES: dict[str, Callable[[Scenario, dict[str, Any]], Iterator[str]]] = {
    "decision": judge_decision,
    "current": judge_current,
    "as_of": judge_as_of,
    "absent": judge_absent,
    "time": judge_time,
    "live_facts": judge_live_facts,
    "conflict": judge_conflict,
    "attributed": judge_attributed,
}


SUITE = read("consistency.jsonl")
SECOND = read("consistency_second.jsonl")
BOTH = [*SUITE, *SECOND]


@pytest.mark.parametrize("scenario", BOTH, ids=[s["id"] for s in BOTH])
def test_is_sound(scenario: Scenario) -> None:
    assert problems(scenario) == []


def test_covers_every_kind_in_both_languages() -> None:
    counts = Counter((s["kind"], s["lang"]) for s in SUITE)
    assert {
        (k, lang): n for k in KINDS for lang in ("en", "zh") if (n := counts[k, lang]) < 3
    } == {}
    languages = Counter(s["lang"] for s in SUITE)
    assert len(SUITE) >= 120
    assert languages["mix"] >= 10
    assert abs(languages["en"] - languages["zh"]) <= 6


def test_both_halves_of_the_second_suite_have_fifteen_of_each_language() -> None:
    assert Counter(s["kind"] for s in SECOND) == dict.fromkeys(KINDS, 3)
    for half in (SECOND[::2], SECOND[1::2]):
        assert Counter(s["lang"] for s in half) == {"en": 15, "zh": 15}


def test_some_chinese_is_traditional() -> None:
    chinese = [s for s in SUITE if s["lang"] == "zh"]
    traditional = [
        s for s in chinese if TRADITIONAL.search("".join(t["content"] for t in s["turns"]))
    ]
    assert 0.08 <= len(traditional) / len(chinese) <= 0.15


def test_nothing_is_told_twice() -> None:
    assert len({s["id"] for s in BOTH}) == len(BOTH)
    told = Counter(normal(t["content"]) for s in BOTH for t in s["turns"] if t["role"] == "user")
    assert [words for words, n in told.items() if n > 1] == []


def test_the_card_counts_right() -> None:
    card = (resources.files("perdure.evaluation") / "suites" / "README.md").read_text("utf-8")
    counts = Counter((s["kind"], s["lang"]) for s in SUITE)
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|", card, re.MULTILINE)
    assert rows == [(k, *(str(counts[k, lang]) for lang in ("en", "zh", "mix"))) for k in KINDS]


# --- The rules above can fail ---------------------------------------------------------------------

EXAMPLE: Scenario = {
    "id": "own-retraction-en-00",
    "lang": "en",
    "kind": "retraction",
    "turns": [
        {"role": "user", "content": "I bank with Lark.", "time": "2025-01-06T09:00:00+01:00"},
        {"role": "user", "content": "Moved to Heron.", "time": "2025-02-03T09:00:00+01:00"},
        {"role": "user", "content": "The PIN is 99.", "time": "2025-02-03T09:01:00+01:00"},
        {"role": "user", "content": "Drop the code.", "time": "2025-02-03T09:02:00+01:00"},
        {"role": "assistant", "content": "Dropped.", "time": "2025-02-03T09:03:00+01:00"},
        {
            "role": "user",
            "content": "My friend Ann ran yesterday.",
            "time": "2025-02-04T09:00:00+01:00",
        },
        {"role": "user", "content": "Bo says she walked.", "time": "2025-02-04T09:01:00+01:00"},
    ],
    "checks": [
        {"type": "decision", "turn": 1, "expect": ["update"]},
        {"type": "decision", "turn": 3, "expect": ["delete"]},
        {"type": "current", "query": "Bank?", "expect_any": ["Heron"], "reject": ["Lark"], "k": 3},
        {
            "type": "as_of",
            "query": "Bank?",
            "as_of": "2025-01-20T09:00:00+01:00",
            "expect_any": ["Lark"],
            "reject": ["Heron"],
            "k": 3,
        },
        {"type": "absent", "query": "PIN?", "reject": ["99"], "k": 10},
        {
            "type": "time",
            "query": "When?",
            "contains": "ran",
            "interval": ["2025-02-03T00:00:00+01:00", "2025-02-03T23:59:59+01:00"],
        },
        {
            "type": "live_facts",
            "subject": "user",
            "predicate_hint": "bank",
            "query": "Bank?",
            "contains": "Lark",
            "min": 0,
            "max": 0,
            "count": "facts",
        },
        {"type": "conflict", "query": "What did Ann do?", "expect_all": ["ran", "walked"]},
        {
            "type": "attributed",
            "query": "Who ran?",
            "contains": "ran",
            "not_subject": "user",
            "names": ["Ann"],
        },
    ],
}


def test_the_example_is_sound() -> None:
    assert problems(EXAMPLE) == []


def broken(*path: str | int, to: object) -> tuple[tuple[str | int, ...], object]:
    return path, to


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (broken("kind", to="gossip"), "unknown kind"),
        (broken("id", to="dev-1"), "the id does not tell"),
        (broken("lang", to="zh"), "does not read as zh"),
        (broken("lang", to="fr"), "malformed"),
        (broken("note", to="x"), "unknown fields"),
        (broken("turns", 1, "time", to="2025-01-06T09:00:00+01:00"), "does not come after"),
        (broken("turns", 1, "time", to="2025-02-03T09:00:00"), "no offset"),
        (broken("turns", 1, "role", to="tool"), "unknown role"),
        (broken("turns", 4, "speaker", to="Ann"), "a speaker beside"),
        (broken("turns", 4, "content", to=" "), "an empty turn"),
        (broken("turns", 4, "content", to="Lark it was."), "an echo cannot be marked"),
        (broken("turns", 4, "content", to="Dropped 99."), "in the request or after it"),
        (broken("turns", 3, "content", to="Drop the PIN 99."), "in the request or after it"),
        (broken("turns", 1, "content", to="Moved from Lark to Heron."), "never said without"),
        (broken("turns", 6, "content", to="Was it Lark?"), "takes 'Lark' back"),
        (broken("turns", 6, "content", to="Bo says she only ran."), "names nobody"),
        (broken("turns", 6, "content", to="Bo says nothing."), "one side is not told"),
        (broken("turns", 5, "content", to="Ann ran or walked."), "both sides in one sentence"),
        (broken("checks", 0, "turn", to=7), "there is no turn 7"),
        (broken("checks", 0, "turn", to=3), "two decisions checked"),
        (broken("checks", 0, "turn", to=4), "only users tell news"),
        (broken("checks", 0, "expect", to=["maybe"]), "expects ['maybe']"),
        (broken("checks", 0, "expect", to=[]), "expects []"),
        (broken("checks", 1, "expect", to=["none"]), "nobody asks to forget"),
        (broken("checks", 2, "expect_any", to=["Wren"]), "nobody says 'Wren'"),
        (broken("checks", 2, "expect_any", to=[]), "expects nothing"),
        (broken("checks", 2, "expect_any", to=[" "]), "an empty string"),
        (broken("checks", 2, "expect_any", to=["Lark"]), "both holds and does not"),
        (broken("checks", 2, "reject", to=["Wren"]), "no user says 'Wren'"),
        (broken("checks", 2, "k", to=0), "k is 0"),
        (broken("checks", 2, "query", to=""), "no query"),
        (broken("checks", 2, "hint", to="x"), "fields"),
        (broken("checks", 2, "type", to="later"), "malformed"),
        (broken("checks", 3, "as_of", to="2026-01-20T09:00:00+01:00"), "in the future"),
        (broken("checks", 4, "reject", to=[]), "rejects nothing"),
        (broken("checks", 5, "interval", 1, to="2025-02-04T23:59:59+01:00"), "inside the interval"),
        (broken("checks", 5, "interval", 0, to="2025-02-04T00:00:00+01:00"), "is empty"),
        (broken("checks", 5, "interval", 0, to="2025-02-03T00:00:00+02:00"), "the zone of"),
        (broken("checks", 5, "contains", to="swam"), "no user says 'swam'"),
        (broken("checks", 6, "min", to=1), "from 1 to 0"),
        (broken("checks", 6, "count", to="any"), "may be kept"),
        (broken("checks", 6, "contains", to="Wren"), "nobody says 'Wren'"),
        (broken("checks", 7, "expect_all", to=["ran"]), "takes two"),
        (broken("checks", 8, "not_subject", to="Ann"), "to whom"),
        (broken("checks", to=[]), "without absent"),
    ],
)
def test_a_broken_scenario_is_found(
    change: tuple[tuple[str | int, ...], object], fault: str
) -> None:
    path, to = change
    scenario: Any = copy.deepcopy(EXAMPLE)
    place = scenario
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    assert any(fault in problem for problem in problems(scenario)), problems(scenario)
