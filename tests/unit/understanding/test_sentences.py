"""Where sentences begin and end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.understanding import split_sentences


def parts(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The kiln is cold. Come at six!", ["The kiln is cold.", "Come at six!"]),
        ("窑冷了。六点来吧！", ["窑冷了。", "六点来吧！"]),
        ("Ask Dr. Okoro about the 5.30 slot. Bye", ["Ask Dr. Okoro about the 5.30 slot.", "Bye"]),
        ("first line\n\n- second", ["first line", "- second"]),
        ("The van is sold; we cycle now.", ["The van is sold;", "we cycle now."]),
    ],
)
def test_a_mark_ends_a_sentence_unless_it_belongs_to_a_word(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hmm, actually, no. The kiln is in shed four.", 1),
        ("Wait, sorry! It is shed five. Thanks.", 2),
        ("不对，我记错了。窑在四号棚。", 1),
        ("其实……窑在五号棚。", 1),
    ],
)
def test_the_opening_of_a_correction_joins_what_it_opens(text: str, expected: int) -> None:
    assert len(parts(text)) == expected


def test_a_quotation_stays_whole() -> None:
    text = 'She wrote: "The kiln is cold. Come at six." Then she left.'
    assert parts(text)[0].count("kiln") == 1
    assert not any(part.startswith("Come") for part in parts(text))


@given(st.text(max_size=300))
def test_sentences_are_in_order_and_lose_nothing_but_marks(text: str) -> None:
    spans = split_sentences(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    covered = "".join(span.of(text) for span in spans)
    assert [c for c in text if c.isalnum() and c.isascii()] == [
        c for c in covered if c.isalnum() and c.isascii()
    ]
