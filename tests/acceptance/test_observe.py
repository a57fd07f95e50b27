"""Conversations through the public clients, understood by the rules and models of the package."""

from __future__ import annotations

from datetime import timedelta

import pytest

import perdure
from tests.acceptance.home import decided_by_the_engine


@pytest.fixture
def ilka(home):
    return home.open(embedder=None).scoped(user="ilka")


def tell(home, memory, *lines, **parts):
    """Each line a message of its own, an hour after the one before."""
    answers = []
    for line in lines:
        home.clock.advance(timedelta(hours=1))
        answers.append(memory.observe([{"role": "user", "content": line, **parts}]))
    return answers


def operations(observed):
    return [decision.operation for decision in observed.decisions]


def current(memory):
    return [item.content for item in memory.list(kinds="episodic", limit=500)]


@pytest.mark.parametrize(
    "lines",
    [
        [f"Note {n} about the loom" for n in range(50)],
        [f"Ticket 44{n:02} is open" for n in range(30)],
        [f"备注{n}：织机第{n}号零件要换" for n in range(20)],
        ["Buy flour", "Buy yeast", "Buy salt", "Buy a scale", "Buy rice", "Buy lentils"],
    ],
    ids=["notes", "tickets", "chinese-notes", "shopping"],
)
@pytest.mark.parametrize("home", ["memory-sync"], indirect=True)
def test_many_of_one_pattern_all_stay(home, ilka, lines):
    tell(home, ilka, *lines)
    assert current(ilka) == lines


@decided_by_the_engine
def test_a_move_is_understood_and_the_past_still_answers(home, ilka):
    before = home.clock.now() + timedelta(minutes=90)
    first, second = tell(home, ilka, "I live in Turku.", "I have moved, I live in Bergen now.")
    assert (operations(first), operations(second)) == (["create"], ["update"])
    assert current(ilka) == ["I have moved, I live in Bergen now."]
    [fact] = ilka.graph.facts(subject="user", predicate="lives_in")
    assert fact.object == "Bergen"
    [old] = ilka.graph.facts(subject="user", predicate="lives_in", as_of=before)
    assert old.object == "Turku"


@decided_by_the_engine
def test_chinese_is_understood_as_well(home, ilka):
    first, second = tell(home, ilka, "我住在青州。", "我搬家了，现在住在梅城。")
    assert (operations(first), operations(second)) == (["create"], ["update"])
    assert current(ilka) == ["我搬家了，现在住在梅城。"]


def test_every_decision_is_replayed_from_the_journal(home, ilka):
    tell(
        home, ilka, "I live in Turku.", "I have moved, I live in Bergen now.",
        "Please forget where I live.",
    )  # fmt: skip
    from perdure.domain.replay import replay

    journal = ilka.changes()
    assert {entry.config_hash for entry in journal} == {journal[0].config_hash} != {""}
    replayed = replay(journal)
    shown = ilka.list(include=("superseded", "former"), limit=500)
    assert {item.id: item for item in shown} == {
        key: item for key, item in replayed.items() if item.state != "forgotten"
    }


def test_what_was_observed_survives_export_and_import(home, ilka, tmp_path):
    tell(home, ilka, "I live in Turku.", "I have moved, I live in Bergen now.")
    ilka.export(tmp_path / "ilka.jsonl")
    other = perdure.open("memory://", embedder="off", clock=home.clock)
    with other:
        other.import_(tmp_path / "ilka.jsonl")
        scoped = other.scoped(user="ilka")
        assert current(scoped) == current(ilka)
        assert [fact.provenance for fact in scoped.graph.facts()] == [
            fact.provenance for fact in ilka.graph.facts()
        ]


@decided_by_the_engine
@pytest.mark.parametrize(
    "content", ["", "   ", "?!", "\u200b", "😀" * 50, "a" * 5000, "不" * 3000, "\x00\ud800", "<b>"]
)
def test_no_words_make_it_fail(home, ilka, content):
    observed = ilka.observe([{"role": "user", "content": content}])
    assert observed.decisions


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        ("I live in Lisbon.", "I want to move to Madrid."),
        ("I live in Lisbon.", "I am planning to move to Madrid."),
        ("我住在里斯本。", "我想搬到马德里。"),
        ("我住在里斯本。", "我打算搬到马德里。"),
    ],
)
@decided_by_the_engine
def test_what_is_wanted_or_planned_is_not_so_yet(memory, now, wanted):
    noa = memory.scoped(user="noa")
    for words in (now, wanted):
        noa.observe([{"role": "user", "content": words}])
    [home] = noa.graph.facts(predicate="lives_in")
    assert home.object in now


@pytest.mark.parametrize(
    "words",
    ["My email is now zhang@example.org.", "My new email address is zhang@example.org.",
     "我的邮箱改成了zhang@example.org。"],
)  # fmt: skip
@decided_by_the_engine
def test_another_address_takes_the_place_of_the_address_alone(memory, words):
    noa = memory.scoped(user="noa")
    for told in ("My name is Wei Zhang.", "My email is wei@example.com.", words):
        noa.observe([{"role": "user", "content": told}])
    facts = {(fact.predicate, fact.object) for fact in noa.graph.facts()}
    assert facts == {("name", "Wei Zhang"), ("email", "zhang@example.org")}
