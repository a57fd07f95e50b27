"""The project's own labelled times, written before the rules, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.evaluation.dates import DateVerdict, evaluate, figures, read_items

HERE = Path(__file__).parent
SETS = {name: HERE / f"times_{name}.jsonl" for name in ("en", "zh")}


@pytest.fixture(scope="module", params=sorted(SETS))
def verdicts(request: pytest.FixtureRequest) -> list[DateVerdict]:
    lines = SETS[request.param].read_text(encoding="utf-8").splitlines()
    return evaluate(read_items(lines))


def test_the_sets_are_of_the_size_they_are_reported_with(verdicts: list[DateVerdict]) -> None:
    assert len(verdicts) >= 150
    assert sum(verdict.item.span is None for verdict in verdicts) >= 40


def test_the_interval_is_right(verdicts: list[DateVerdict]) -> None:
    (row,) = figures(verdicts)
    wrong = [v.item.text for v in verdicts if v.item.span and not v.is_right]
    assert row.accuracy >= 0.95, wrong


def test_nothing_is_found_where_no_time_is_named(verdicts: list[DateVerdict]) -> None:
    found = {v.item.text: v.found for v in verdicts if v.item.span is None and v.found}
    assert found == {}


def test_the_precision_agrees(verdicts: list[DateVerdict]) -> None:
    (row,) = figures(verdicts)
    assert row.precision_agrees / row.timed >= 0.95
