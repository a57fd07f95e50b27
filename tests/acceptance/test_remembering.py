"""What is remembered deliberately stays, however much alike it is; only one slot has one value."""

from __future__ import annotations

import pytest

from perdure import Outcome
from tests.acceptance.reading import texts

ALIKE = {
    "notes": [f"Note {n} about the loom" for n in range(40)],
    "tickets": [f"Ticket 44{n:02} is open" for n in range(30)],
    "rooms": [f"Room {n} is painted {colour}." for n in range(6) for colour in ("green", "white")],
    "shopping": ["Buy two eggs", "Buy two pears", "Buy three pears", "Buy no pears", "Buy milk"],
    "turns": ["I went to the lake.", "Which lake?", "The one by the mill.", "I love that mill!"],
    "备注": [f"备注{n}：窗户要擦" for n in range(20)],
    "房间": [f"{n}号房间的钥匙在抽屉里" for n in range(12)],
}


@pytest.mark.parametrize("contents", ALIKE.values(), ids=list(ALIKE))
@pytest.mark.parametrize("speaker", [None, "Ann"])
def test_what_is_alike_stays_side_by_side(ilka, contents, speaker):
    source = None if speaker is None else {"speaker": speaker}
    answers = ilka.remember_many([{"content": text, "source": source} for text in contents])
    assert {answer.outcome for answer in answers} == {Outcome.STORED}
    assert sorted(texts(ilka.list(limit=100))) == sorted(contents)


@pytest.mark.parametrize("contents", ALIKE.values(), ids=list(ALIKE))
def test_one_after_the_other_too(ilka, contents):
    for text in contents:
        assert ilka.remember(text).superseded == ()
    assert ilka.count() == len(contents)


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        ("I live in Oslo.", "I live in Bergen.", "Where do I live?"),
        ("我住在南京。", "我住在苏州。", "我住在哪里？"),
    ],
)
def test_a_plain_new_value_takes_the_place_of_the_old_one(ilka, old, new, query):
    first = ilka.remember(old)
    second = ilka.remember(new)
    assert second.superseded == (first.memory.id,)
    assert texts(hit.memory for hit in ilka.recall(query)) == [new]


def test_without_understanding_nothing_takes_a_place(ilka):
    ilka.remember("I live in Oslo.", understand=False)
    ilka.remember("I live in Bergen.", understand=False)
    assert ilka.count() == 2
