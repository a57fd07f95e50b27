"""What makes a memory a summary, and of which words it is."""

from dataclasses import replace

import pytest

from perdure.domain.analysis import query_lexemes
from perdure.domain.records import Kind, Metadata
from perdure.domain.summaries import (
    SUMMARY,
    SummaryMark,
    digest_of,
    falls_with,
    is_summary,
    most_central,
    shared,
    summary_in,
)
from perdure.testing.builders import a_memory

MARK = SummaryMark(by="extracts", digest="d", lines=(("a",), ("b", "c")))


def a_summary(**fields):
    return a_memory(
        "told",
        **{
            "kind": Kind.SEMANTIC,
            "provenance": ("a", "b", "c"),
            "metadata": Metadata({SUMMARY: MARK.as_json()}),
            **fields,
        },
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((1, 2), (1, 2), 1.0), ((1, 2), (2, 3), 0.5), ((1,), (2, 3), 0.0), ((), (), 0.0)],
)
def test_shared_terms(one, other, expected):
    assert shared(one, other) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        ([(1, 2), (3,)], [(3, 9), (3, 4)], 1),  # 0 + 0 against 2/3 + 2/3
        ([(1, 2), (3,)], [(1, 2), (3, 4)], 0),  # 1 + 0 against 0 + 2/3
        ([(1,), (1,)], [(1,)], 0),
        ([(1,), (2,)], [], 0),
    ],
)
def test_the_most_central_sentence(own, others, expected):
    assert most_central(own, others) == expected


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (
            ["It is raining again.", "The leak in the boat grew."],
            ["The boat has a leak.", "We mended the leak of the boat."],
            1,
        ),
        (["今天又下雨了。", "船上的漏洞变大了。"], ["船有个漏洞。", "船的漏洞补好了。"], 1),
    ],
)
def test_the_most_central_sentence_is_about_what_the_others_are(own, others, expected):
    terms = [[query_lexemes(text) for text in texts] for texts in (own, others)]
    assert most_central(*terms) == expected


def test_a_mark_comes_back_as_it_was_stored():
    assert summary_in(a_summary()) == MARK


@pytest.mark.parametrize(
    "fields",
    [
        {"provenance": ()},
        {"kind": Kind.LONG_TERM},
        {"predicate": "likes"},
        {"metadata": Metadata({})},
        {"metadata": Metadata({SUMMARY: "mine"})},
        {"metadata": Metadata({SUMMARY: {"by": "me"}})},
        {"metadata": Metadata({SUMMARY: {"by": "me", "digest": "d", "lines": 3}})},
    ],
)
def test_what_only_looks_like_a_summary_is_none(fields):
    assert is_summary(a_summary())
    assert not is_summary(a_summary(**fields))


@pytest.mark.parametrize(
    ("lost", "fact_goes", "summary_goes"),
    [((), False, False), (("a",), False, True), (("a", "b", "c", "d"), True, True)],
)
def test_a_summary_goes_with_any_source_and_a_fact_with_the_last(lost, fact_goes, summary_goes):
    fact = a_summary(predicate="likes", metadata=Metadata({}))
    assert falls_with(fact, frozenset(lost)) is fact_goes
    assert falls_with(a_summary(), frozenset(lost)) is summary_goes


def test_the_digest_tells_other_words_and_another_order():
    one, other = a_memory("ab"), a_memory("c")
    digest = digest_of([one, other])
    assert digest == digest_of([replace(one, importance=0.9), other])
    assert digest != digest_of([other, one])
    assert digest != digest_of([replace(one, content="a"), replace(other, content="bc")])
