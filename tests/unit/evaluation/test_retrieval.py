"""Retrieval: the measures worked by hand, the file, and a small run."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest

from perdure.errors import InvalidInput
from perdure.evaluation.retrieval.arms import DEFAULT, JOINED, NEWEST, VECTORS, WORDS
from perdure.evaluation.retrieval.metrics import any_at, ndcg_at, recall_at, reciprocal_rank
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.retrieval.units import START, read_units
from perdure.evaluation.running import Setting
from perdure.testing import HashingEmbedder

RANKED = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("wanted", "depth", "value"),
    [
        ({"a"}, 10, 1.0),
        ({"b"}, 10, 0.630930),  # 1 / log2(3)
        ({"b", "d"}, 10, 0.650921),  # (0.630930 + 0.430677) / (1 + 0.630930)
        ({"b", "d"}, 3, 0.386853),  # 0.630930 / 1.630930
        ({"a", "x", "y"}, 1, 1.0),
        ({"x"}, 10, 0.0),
    ],
)
def test_discounted_gain(wanted, depth, value):
    assert ndcg_at(RANKED, wanted, depth) == pytest.approx(value, abs=1e-6)


def test_the_other_measures():
    assert recall_at(RANKED, {"b", "d", "x", "y"}, 5) == 0.5
    assert recall_at(RANKED, {"b", "d"}, 3) == 0.5
    assert (any_at(RANKED, {"d", "x"}, 4), any_at(RANKED, {"d", "x"}, 3)) == (1.0, 0.0)
    assert reciprocal_rank(RANKED, {"c", "e"}, 100) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"c", "e"}, 2) == 0.0


def a_file(**parts):
    documents = [
        {"id": "d1", "text": "The kiln is fired on Tuesdays.", "speaker": "Ann",
         "session": "s1", "time": "2:10 pm on 4 March, 2024"},
        {"id": "d2", "text": "Glazes stand on the upper shelf.", "speaker": "Bo",
         "session": "s1", "time": "2:10 pm on 4 March, 2024"},
        {"id": "d3", "text": "Rent is due on the first.", "time": 7},
    ]  # fmt: skip
    queries = [
        {"qid": "q1", "text": "When is the kiln fired?", "gold": ["d1"], "category": "one"},
        {"qid": "q2", "text": "Where do the glazes stand?", "gold": ["d2"], "category": "two"},
        {"qid": "q3", "text": "zzyzx", "gold": [], "category": "none"},
    ]
    unit = {"unit": "pottery", "docs": documents, "queries": queries, **parts}
    return gzip.compress(json.dumps({"meta": {"lang": "en"}, "units": [unit]}).encode())


def test_times_are_read_as_people_write_them():
    [unit] = read_units(a_file())
    first, _, third = unit.documents
    assert (first.moment, first.is_dated) == (datetime(2024, 3, 4, 14, 10, tzinfo=UTC), True)
    assert (third.moment - START).total_seconds() == 7 * 60
    assert unit.language == "en"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"{}", "units"),
        (b'{"units": []}', "no units"),
        (b"nothing", "no units"),
        (a_file(queries=[{"qid": "q", "text": "t", "gold": ["d9"]}]), "d9"),
        (a_file(docs=[{"id": "d"}]), "text"),
    ],
)
def test_another_file_is_refused(raw, message):
    with pytest.raises(InvalidInput, match=message):
        read_units(raw)


def test_every_arm_is_asked_and_scored():
    report = evaluate(read_units(a_file()), Setting(embedder=HashingEmbedder(256)))
    found = {entry.measure: entry.figure for entry in report.entries if entry.group == "all"}
    assert found["NDCG@10"].value == found["any@5"].value == 1.0
    assert found["NDCG@10"].cases == 2  # what cannot be answered is not ranked
    assert {name.partition(", ")[2] or DEFAULT for name in found} == {
        DEFAULT, WORDS, VECTORS, JOINED, NEWEST,
    }  # fmt: skip
    assert found[f"NDCG@10, {NEWEST}"].value < 1.0
    assert report.failures == ()
    assert [entry.group for entry in report.entries if entry.group != "all"] == ["one", "two"]


def test_without_an_embedder_words_are_the_only_other_arm():
    report = evaluate(read_units(a_file()), Setting(embedder="off"))
    arms = {entry.measure.partition(", ")[2] or DEFAULT for entry in report.entries}
    assert arms == {DEFAULT, WORDS, NEWEST}


def test_what_is_not_found_is_told():
    raw = a_file(queries=[{"qid": "q", "text": "zzyzx", "gold": ["d3"], "category": "odd"}])
    [failure] = evaluate(read_units(raw), Setting(embedder="off")).failures
    assert (failure.id, failure.expected, failure.came) == ("q", "d3", "nothing")


def test_where_only_sessions_are_known_they_are_ranked():
    documents = [
        {"id": f"d{n}", "text": text, "session": session}
        for n, (text, session) in enumerate(
            [("The kiln is hot.", "a"), ("Kiln, kiln, kiln!", "b"), ("Kilns cool slowly.", "a")]
        )
    ]
    queries = [{"qid": "q", "text": "kiln", "gold_sessions": ["a"]}]
    [unit] = read_units(a_file(docs=documents, queries=queries))
    assert (unit.questions[0].gold, unit.questions[0].by_session) == ({"a"}, True)
    report = evaluate([unit], Setting(embedder="off"))
    [figure] = [entry.figure for entry in report.entries if entry.measure == "recall@5"]
    assert figure.value == 1.0
