"""A shorter text in a memory's own words."""

import pytest

from perdure.domain.budget import sentences_of
from perdure.domain.compression import KEPT_SHARE, summary_of

FILLER = "It was an ordinary day and nothing much was said about it by anybody. "
FILLER_ZH = "那是很平常的一天，大家都没有说什么特别的话。"


def sentences(count):
    return "".join(
        f"On day {n} the crew repaired pump number {n} in hall {n % 7}. " for n in range(count)
    )


@pytest.mark.parametrize("text", ["", "short", "One. Two. Three.", "短。很短。" * 3])
def test_short_texts_are_left_alone(text):
    assert summary_of(text) is None


def test_one_endless_sentence_is_left_alone():
    assert summary_of("word " * 400) is None
    assert summary_of("一二三四五六七八九十" * 40) is None


@pytest.mark.parametrize("filler", [FILLER, FILLER_ZH], ids=["en", "zh"])
def test_sentences_come_verbatim_and_in_order(filler):
    text = "".join(f"{filler}Note {n}: pump {n} leaks. " for n in range(12))
    summary = summary_of(text)
    assert summary is not None
    kept = [text.find(part.strip()) for part in sentences_of(summary)]
    assert kept == sorted(kept)
    assert -1 not in kept


def test_it_keeps_to_its_share():
    text = sentences(60)
    summary = summary_of(text)
    assert summary is not None
    assert len(text) * 0.2 < len(summary) <= len(text) * KEPT_SHARE


def test_it_says_a_thing_once():
    text = FILLER * 10 + "The lease of the boat house ends in 2034. " + FILLER * 10
    summary = summary_of(text)
    assert summary is not None
    assert "2034" in summary
    assert summary.count("ordinary day") <= 1


def test_it_is_the_same_every_time():
    text = sentences(40)
    assert summary_of(text) == summary_of(text)


def test_a_very_long_text_takes_no_time():
    assert summary_of(sentences(20_000)) is not None
