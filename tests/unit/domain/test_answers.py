"""What language models write, and what is made of it."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.answers import MOST_CHARS, AnswerFault, read_answer
from perdure.errors import UnreadableAnswer

SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {"type": "array", "items": {"type": "object"}},
        "operations": {"type": "array", "items": {"type": "object"}},
    },
}
FACT = {"subject": "user", "predicate": "keeps", "object": "tortoises"}
WANTED = {"facts": [FACT], "operations": []}
GOOD = json.dumps(WANTED)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nAnything else?",
        f"Here are the facts: {GOOD}",
        f"{GOOD} trailing {{note}}",
        f"{GOOD} trailing {{note",
        f"Set {{a, b}} aside: {GOOD}",
        str(WANTED),
        f"<think>Perhaps {{'facts': []}}? No.</think>{GOOD}",
        f"<Reasoning depth=2>{{</reasoning>\n{GOOD}",
        f'{{"facts": []}}\nOn second thoughts:\n{GOOD}',
        json.dumps({"answer": WANTED}),
        json.dumps({"name": "answer", "arguments": WANTED}),
        json.dumps([WANTED]),
        GOOD.replace('"}]', '",},],'),
        GOOD.replace(", ", " "),
        GOOD.replace('"facts"', "facts").replace('"subject"', "subject"),
        GOOD.replace('"', "“", 1).replace('"', "”", 1),
        GOOD.replace(": ", "：").replace(", ", "，"),
        GOOD.replace("{", "{ // a note\n", 1).replace("}]", "} /* the only one */ ]"),
    ],
)
def test_an_answer_is_found_in_its_wrapping(text: str) -> None:
    assert read_answer(text, SCHEMA) == WANTED


def test_a_bare_list_stands_for_the_first_list_of_the_schema() -> None:
    assert read_answer(json.dumps([FACT]), SCHEMA) == {"facts": [FACT]}


def read_object(written: str) -> Any:
    """The object of the only fact, written like this."""
    return read_answer(f'{{"facts": [{{"object": {written}}}]}}', SCHEMA)["facts"][0]["object"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r'"\ud83d\ude80"', "🚀"),
        (r'"a \ud83d b"', "a \ufffd b"),
        (r'"\udc8f"', "\ufffd"),
        (r'"nul \u0000 here"', "nul \ufffd here"),
        (r'"C:\work\data"', r"C:\work\data"),
        (r'"a\"b"', 'a"b'),
        (r'"it\'s"', "it's"),
        ('"two\nlines"', "two\nlines"),
        ('"the "old" kiln"', 'the "old" kiln'),
        ("'single'", "single"),
        ("“全角引号”", "全角引号"),
        ("None", None),
        ("True", True),
        ("null", None),
        ("-1.5e3", -1500.0),
        ("42", 42),
        (".5", 0.5),
    ],
)
def test_values_are_read_however_they_are_written(written: str, read: Any) -> None:
    assert read_object(written) == read


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", AnswerFault.EMPTY),
        (" \n\t", AnswerFault.EMPTY),
        ("I could not find anything to note.", AnswerFault.NO_JSON),
        (GOOD[:60], AnswerFault.CUT_OFF),
        (GOOD[:-1], AnswerFault.CUT_OFF),
        ('{"facts": [{"object": "12 Long', AnswerFault.CUT_OFF),
        ('{"facts": [{"object": 1', AnswerFault.CUT_OFF),
        ('{"facts": [{"object": tru', AnswerFault.CUT_OFF),
        ("```json\n{", AnswerFault.CUT_OFF),
        ("<think>I wonder whether", AnswerFault.CUT_OFF),
        ("[" * 5_000, AnswerFault.CUT_OFF),
        ("[" * 50 + "]" * 50, AnswerFault.WRONG_SHAPE),
        ('{"facts" "operations"}', AnswerFault.MALFORMED),
        ('{"facts": 1e999}', AnswerFault.MALFORMED),
        ("{}", AnswerFault.WRONG_SHAPE),
        ('{"weather": "fine"}', AnswerFault.WRONG_SHAPE),
        ("[1, 2, 3]", AnswerFault.WRONG_SHAPE),
        (GOOD + " " * MOST_CHARS, AnswerFault.TOO_LONG),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_with_its_reason(
    text: str, fault: AnswerFault
) -> None:
    with pytest.raises(UnreadableAnswer) as caught:
        read_answer(text, SCHEMA)
    assert caught.value.fault == fault


def test_what_lies_inside_something_cut_off_is_not_taken_for_the_answer() -> None:
    whole = json.dumps({"facts": [{"object": "a", "facts": [FACT]}, {"object": "b"}]})
    for end in range(len(whole) - 1, 0, -1):
        with pytest.raises(UnreadableAnswer):
            read_answer(whole[:end], SCHEMA)


def test_the_error_repeats_nothing_of_the_answer() -> None:
    with pytest.raises(UnreadableAnswer) as caught:
        read_answer('{"secret": "the words of somebody"}', SCHEMA)
    assert "secret" not in str(caught.value)
    assert "somebody" not in str(caught.value)


@given(st.text(alphabet=st.sampled_from("{}[]\"'`,:：，\\u0d8 \nabfacts/*#tn-1.<>think")))
def test_no_text_makes_the_reader_fail_in_another_way(text: str) -> None:
    with contextlib.suppress(UnreadableAnswer):
        assert isinstance(read_answer(text, SCHEMA), dict)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_proper_json_is_read_as_it_is(value: Any, is_ascii: bool) -> None:
    text = json.dumps({"facts": value}, ensure_ascii=is_ascii)
    cleaned = json.loads(text.replace("\\u0000", "\\ufffd"))
    if "\x00" not in text:
        assert read_answer(text, SCHEMA) == cleaned
