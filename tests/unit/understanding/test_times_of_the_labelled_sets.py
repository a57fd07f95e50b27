"""The project's own labelled times, written before the rules, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.evaluation.dates import DateVerdict, judge, read_dates
from perdure.understanding import find_times

HERE = Path(__file__).parent
SETS = {name: HERE / f"times_{name}.jsonl" for name in ("en", "zh")}


@pytest.fixture(scope="module", params=sorted(SETS))
def verdicts(request: pytest.FixtureRequest) -> list[DateVerdict]:
    lines = SETS[request.param].read_text(encoding="utf-8").splitlines()
    return [
        judge(item, find_times(item.text, reference=item.reference)) for item in read_dates(lines)
    ]


def test_the_sets_are_of_the_size_they_are_reported_with(verdicts: list[DateVerdict]) -> None:
    assert len(verdicts) >= 150
    assert sum(verdict.item.span is None for verdict in verdicts) >= 40


def test_the_interval_is_right(verdicts: list[DateVerdict]) -> None:
    timed = [verdict for verdict in verdicts if verdict.item.span]
    wrong = [verdict.item.text for verdict in timed if not verdict.is_right]
    assert len(wrong) <= 0.05 * len(timed), wrong


def test_nothing_is_found_where_no_time_is_named(verdicts: list[DateVerdict]) -> None:
    found = {v.item.text: v.found for v in verdicts if v.item.span is None and v.found}
    assert found == {}


def test_the_precision_agrees(verdicts: list[DateVerdict]) -> None:
    timed = [verdict for verdict in verdicts if verdict.item.span]
    assert sum(verdict.has_precision for verdict in timed) >= 0.95 * len(timed)
