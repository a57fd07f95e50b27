"""What makes a memory a summary, and of which words it is."""

from dataclasses import replace

import pytest

from perdure.domain.records import Kind, Metadata
from perdure.domain.summaries import (
    SUMMARY,
    SummaryMark,
    digest_of,
    falls_with,
    is_summary,
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
