"""Reading and relating never fail, whatever the text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.domain.readings import Relation
from perdure.understanding import read, relate

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)

WORDS = st.sampled_from(
    'I we my sister 我 我妹妹 live in 住在 not 不 no longer 不再 forget 忘掉 “ ” " ? ？ . 。 if 如果 '
    "\n ``` Ω 7 7:30 a@b.example 😀 \ud800 \u200b \x00 İ ﬁ ß 臺灣 ก ".split(" ")
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))


@given(
    TEXTS, st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), TEXTS), max_size=3)
)
@settings(max_examples=150, deadline=None)
def test_any_message_is_read(message: str, context: list[tuple[str, str]]) -> None:
    reading = read(message, at=NOON, context=context, speaker="Wren")
    assert 0.0 <= reading.confidence <= 1.0 + 1e-6
    for sentence in reading.sentences:
        assert sentence.text == message[sentence.span.start : sentence.span.end]
    for claim in reading.claims:
        assert claim.object == claim.span.of(message) != ""
        assert claim.object in claim.statement
        assert claim.leaned_on


@given(TEXTS, TEXTS, st.one_of(st.none(), st.floats(-1, 1)))
@settings(max_examples=150, deadline=None)
def test_any_two_statements_are_related(old: str, new: str, cosine: float | None) -> None:
    verdict = relate(old, new, cosine=cosine)
    assert verdict.probabilities.keys() == set(Relation)
    assert sum(verdict.probabilities.values()) == pytest.approx(1.0, abs=1e-4)
    assert verdict.leaned_on


def test_a_long_message_is_read_in_bounded_time() -> None:
    reading = read("I keep bees in the old orchard. " * 3000, at=NOON)
    assert reading.sentences


def test_reading_twice_gives_the_same() -> None:
    message = "We moved the kiln to shed four, and my brother Tobiah hates it."
    assert read(message, at=NOON) == read(message, at=NOON)
