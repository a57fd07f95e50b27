"""Words are kept as they are; what no store can hold is replaced, never an error."""

from __future__ import annotations

import json
import logging

import pytest

from perdure import Settings
from tests.acceptance.embedders import CountingEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import ids

KEPT = {
    "rocket": "Lift-off 🚀 tonight",
    "flag": "Berth under 🇳🇴 flag",
    "family": "Cabin for 👨‍👩‍👧‍👦 please",
    "marks": "name \u202b\u05d0\u05d1\u05d2\u202c end\u200f",
    "decomposed": "cafe\u0301 on the quay, u\u0308ber",
    "composed": "caf\u00e9 on the quay, \u00fcber",
    "fullwidth": "ＲＯＯＭ　４２の鍵",
    "controls": "tab\there, bell\x07, escape\x1b[0m, new\nline\r\nend",
    "quotes": 'it\'s "quoted" \\ and % and _ and ; -- /* */',
    "astral": "𠮷野家で待つ 𝔘nicode",
    "spaces": "  leading and trailing  ",
    "backslash": "a literal \\ud83d stays",
}

MENDED = {
    "pair": ("halves \ud83d\ude80 joined", "halves 🚀 joined"),
    "high": ("lone \ud83d here", "lone \ufffd here"),
    "low": ("lone \udc8f here", "lone \ufffd here"),
    "swapped": ("swapped \ude80\ud83d here", "swapped \ufffd\ufffd here"),
    "nul": ("a\x00b", "a\ufffdb"),
    "mixed": ("火箭\ud83d\ude80和\ud83d", "火箭🚀和\ufffd"),
}


def test_words_come_back_to_the_character(memory, tmp_path):
    for name, text in KEPT.items():
        mine = memory.scoped(user=name)
        note = mine.remember(text).memory
        assert note.content == mine.get(note.id).content == text
        assert mine.recall(text)[0].memory.content == text
        assert mine.history(note.id)[0].memory.content == text
        mine.export(tmp_path / "x.jsonl")
        lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").split("\n")
        assert json.loads(lines[1])["memory"]["content"] == text


def test_what_no_store_can_hold_is_replaced(memory, tmp_path):
    for name, (given, kept) in MENDED.items():
        mine = memory.scoped(user=name)
        note = mine.remember(
            given,
            metadata={given: [given]},
            key=given,
            source={"speaker": given},
            attachments=[{"media_type": "a/b", "digest": "d", "location": "l", "caption": given}],
        ).memory
        read = mine.get(note.id)
        assert (read.content, read.metadata, read.key, read.source.speaker) == (
            kept, {kept: [kept]}, kept, kept,
        )  # fmt: skip
        assert mine.count(filters={given: {"contains": given}}) == 1
        mine.export(tmp_path / "x.jsonl")
        assert json.loads((tmp_path / "x.jsonl").read_text(encoding="utf-8").split("\n")[1])


def test_mending_is_stable(memory):
    for name, (given, kept) in MENDED.items():
        mine = memory.scoped(user=name)
        note = mine.remember("first").memory
        once = mine.update(note.id, content=given)
        assert once.content == kept
        assert mine.update(note.id, content=once.content) == once
        assert mine.remember(given).outcome == "already_known"


def test_a_question_may_hold_what_no_store_can(memory):
    for name, (given, kept) in MENDED.items():
        mine = memory.scoped(user=name)
        note = mine.remember(given).memory
        for question in (given, kept):
            assert ids(mine.recall(question)) == [note.id]
            assert mine.recall_context(question)


def test_the_visible_part_is_found(ilka):
    note = ilka.remember("The launch \ud83d of balloon seven").memory
    for question in ("launch", "balloon seven"):
        assert ids(ilka.recall(question)) == [note.id]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        (KEPT["decomposed"], "caf\u00e9"),
        (KEPT["composed"], "cafe\u0301"),
        (KEPT["composed"], "cafe"),
        (KEPT["fullwidth"], "room 42"),
        (KEPT["astral"], "𠮷野家"),
        ("STRASSE zum Hafen", "straße"),
        ("我們搬到臺北", "我们搬到台北"),
    ],
)
def test_words_are_compared_without_regard_to_form(home, stored, asked):
    memory = home.open(embedder="off")
    memory.remember("Something else entirely")
    note = memory.remember(stored).memory
    assert ids(memory.recall(asked))[:1] == [note.id]


def test_composed_and_decomposed_are_one_statement(ilka):
    first = ilka.remember(KEPT["composed"]).memory
    again = ilka.remember(KEPT["decomposed"])
    assert (again.outcome, again.memory.id) == ("already_known", first.id)


WHOLE = ["a", "👨‍👩‍👧‍👦", "🇳🇴", "🇸🇪", "e\u0301", "🚀", "👍🏽", "中", "z"]
"""What a reader sees as one character each."""


@decided_by_the_engine
def test_a_question_is_never_cut_inside_a_character(home):
    text = "".join(WHOLE)
    starts = {"".join(WHOLE[:count]) for count in range(len(WHOLE) + 1)}
    for limit in range(1, len(text)):
        embedder = CountingEmbedder()
        memory = home.open(embedder=embedder, settings=Settings(max_query_chars=limit))
        found = memory.recall(text)
        [asked] = embedder.texts
        assert len(asked) <= limit
        assert asked in starts
        assert "shortened" in found.notes[0]


@decided_by_the_engine
def test_nothing_in_a_text_can_break_a_log_line(ilka, caplog):
    caplog.set_level(logging.DEBUG)
    note = ilka.remember("lone \ud83d half", actor="who\ud83d?").memory
    ilka.update(note.id, content="other \udc8f half")
    ilka.forget(note.id, reason="because \ud83d")
    for record in caplog.records:
        record.getMessage().encode("utf-8")


def test_an_actor_or_reason_with_half_a_character_is_kept(ilka):
    note = ilka.remember("Anything", actor="Ada\ud83d").memory
    ilka.forget(note.id, reason="asked \x00 to", actor="Ada\ud83d")
    assert [step.actor for step in ilka.history(note.id)] == ["Ada\ufffd", "Ada\ufffd"]
    assert ilka.history(note.id)[1].reason == "asked \ufffd to"
