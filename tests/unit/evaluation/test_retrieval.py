"""Retrieval: the measures worked by hand, the file, and a small run."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perdure.errors import InvalidInput
from perdure.evaluation.retrieval.arms import DEFAULT, JOINED, NEWEST, VECTORS, WORDS
from perdure.evaluation.retrieval.contexts import is_covered
from perdure.evaluation.retrieval.metrics import any_at, ndcg_at, recall_at, reciprocal_rank
from perdure.evaluation.retrieval.running import evaluate
from perdure.evaluation.retrieval.scoring import FOREIGN, METRICS, UNANSWERABLE
from perdure.evaluation.retrieval.units import START, read_units
from perdure.evaluation.running import Setting
from perdure.testing import HashingEmbedder
from tests.unit.evaluation.asking import a_file, pottery

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


ELSEWHERE = json.loads(
    Path(__file__).with_name("rankings_measured_elsewhere.json").read_text("utf-8")
)


@pytest.mark.parametrize("case", ELSEWHERE["cases"], ids=range(len(ELSEWHERE["cases"])))
def test_the_measures_are_those_of_ir_measures(case):
    """The values were printed by `ir_measures` with `pytrec_eval`, versions in the file."""
    wanted = frozenset(case["wanted"])
    for name, value in case["values"].items():
        assert METRICS[name](case["ranked"], wanted) == pytest.approx(value, abs=1e-6), name


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


def arms_of(report):
    names = [name for name in report.measures if name.startswith("NDCG@10")]
    return {name.partition(", ")[2] or DEFAULT for name in names}


def test_every_arm_is_asked_and_scored():
    report = evaluate(read_units(a_file()), Setting(embedder=HashingEmbedder(256)))
    assert report.figure("NDCG@10", language="en").value == 1.0
    assert report.figure("NDCG@10", language="en").cases == 2  # of what can be answered
    assert arms_of(report) == {DEFAULT, WORDS, VECTORS, JOINED, NEWEST}
    assert report.figure(f"NDCG@10, {NEWEST}", language="en").value < 1.0
    assert report.failures == ()
    assert report.groups("NDCG@10") == ("all", "one", "two")
    assert [(item.id, item.values["NDCG@10"]) for item in report.items] == [
        ("q1", 1.0),
        ("q2", 1.0),
    ]


def test_without_an_embedder_words_are_the_only_other_arm():
    report = evaluate(read_units(a_file()), Setting(embedder="off"))
    assert arms_of(report) == {DEFAULT, WORDS, NEWEST}


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


def test_a_context_is_searched_for_the_words_of_the_answer():
    report = evaluate(pottery(), Setting(embedder="off"))
    figure = report.figure("answer in 250 tokens", language="en")
    assert (figure.hits, figure.cases) == (1, 1)  # no document says “the cellar”


@pytest.mark.parametrize(
    ("answer", "text", "is_there"),
    [
        ("The Cellar", "It is in a cellar.", True),
        ("cell", "It is in a cellar.", False),
        ("７ May", "on 7 May, 2023", True),
        ("大提琴", "我女儿学大 提琴。", True),
        ("", "anything", False),
        ("the", "the", False),
    ],
)
def test_the_words_of_an_answer(answer, text, is_there):
    assert is_covered(answer, text) is is_there


def test_what_has_no_answer_is_asked_about_too():
    report = evaluate(pottery(), Setting(embedder="off"))
    told = report.figure("answerable told apart", language="en", group=UNANSWERABLE)
    assert (told.value, told.cases) == (1.0, 3)
    assert report.figure("answerable told apart", language="en", group=FOREIGN) is None


def test_questions_are_asked_of_a_store_that_cannot_know():
    documents = [{"id": "e1", "text": "The ferry leaves at noon."}]
    queries = [{"qid": "q", "text": "When does the ferry leave?", "gold": ["e1"]}]
    [other] = read_units(a_file(unit="ferry", docs=documents, queries=queries))
    report = evaluate([*pottery(), other], Setting(embedder="off"))
    told = report.figure("answerable told apart", language="en", group=FOREIGN)
    assert (told.value, told.cases) == (1.0, 6)


def test_costs_stand_beside_the_figures():
    report = evaluate(pottery(), Setting(embedder="off"))
    names = ("recall: ms CPU", "recall: ms, 95 % stay within", "write: ms CPU", "bytes a memory")
    assert all(report.figure(name, language="en").value > 0 for name in names)
