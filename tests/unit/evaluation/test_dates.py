"""How the labelled times are scored."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from perdure.errors import InvalidInput
from perdure.evaluation.dates import (
    ACCURACY,
    LEFT_ALONE,
    PRECISION,
    SPURIOUS,
    evaluate,
    judge,
    read_dates,
)
from perdure.understanding import Interval, Precision, TimeExpression

TEXT = "The results arrive next week."
LABEL = {
    "id": "one",
    "lang": "en",
    "reference": "2027-04-14T10:20-05:00",
    "text": TEXT,
    "expression": "next week",
    "span": [19, 28],
    "start": "2027-04-19",
    "end": "2027-04-26",
    "precision": "week",
}


def an_item(**changes: object):  # type: ignore[no-untyped-def]
    return read_dates([json.dumps({**LABEL, **changes})])[0]


def found(
    start: str, end: str | None, *, at: tuple[int, int] = (19, 28), precision: str = "week"
) -> TimeExpression:
    return TimeExpression(
        start_char=at[0],
        end_char=at[1],
        text=TEXT[slice(*at)],
        interval=Interval(
            start=datetime.fromisoformat(start), end=datetime.fromisoformat(end) if end else None
        ),
        precision=Precision(precision),
        language="en",
    )


def test_a_date_is_its_local_midnight() -> None:
    same = found("2027-04-19T05:00+00:00", "2027-04-26T05:00+00:00")
    assert judge(an_item(), [same]).is_right


def test_another_interval_is_wrong() -> None:
    a_day_short = found("2027-04-19T00:00-05:00", "2027-04-25T00:00-05:00")
    assert not judge(an_item(), [a_day_short]).is_right


def test_a_find_beside_the_span_is_spurious_and_proves_nothing() -> None:
    beside = found("2027-04-19T00:00-05:00", "2027-04-26T00:00-05:00", at=(4, 11))
    verdict = judge(an_item(), [beside])
    assert (verdict.is_right, verdict.spurious) == (False, 1)


def test_every_accepted_answer_counts() -> None:
    item = an_item(accept=[["2027-04-19", "2027-04-26"], ["2027-04-21", None]])
    assert judge(item, [found("2027-04-21T00:00-05:00", None)]).is_right


@pytest.mark.parametrize(("last_day", "is_right"), [("25", True), ("24", False)])
def test_half_of_a_part_of_the_month_is_enough(last_day: str, is_right: bool) -> None:
    item = an_item(start="2027-04-21", end="2027-05-01", precision="part_of_month")
    part = found("2027-04-21T00:00-05:00", f"2027-04-{int(last_day) + 1}T00:00-05:00")
    assert judge(item, [part]).is_right is is_right


def test_a_week_must_be_met_exactly_where_a_part_need_not() -> None:
    most_of_it = found("2027-04-19T00:00-05:00", "2027-04-25T00:00-05:00")
    assert not judge(an_item(), [most_of_it]).is_right
    assert judge(an_item(precision="part_of_month"), [most_of_it]).is_right


def test_a_text_without_a_time_is_right_when_nothing_is_found() -> None:
    item = an_item(expression=None, span=None, start=None, end=None, precision=None)
    assert judge(item, []).is_right
    verdict = judge(item, [found("2027-04-19T00:00-05:00", None)])
    assert (verdict.is_right, verdict.spurious) == (False, 1)


def test_the_figures_keep_languages_and_kinds_apart() -> None:
    timeless = {"expression": None, "span": None, "start": None, "end": None, "precision": None}
    lines = [
        json.dumps(LABEL),
        json.dumps({**LABEL, "id": "two", "start": "2027-04-20"}),
        json.dumps(
            {**LABEL, **timeless, "id": "three", "lang": "zh", "text": "我们等了两个小时。"}
        ),
    ]
    made = evaluate(read_dates(lines))
    right, agrees = (made.figure(name, language="en") for name in (ACCURACY, PRECISION))
    assert right is not None
    assert agrees is not None
    assert (right.hits, right.cases, agrees.hits) == (1, 2, 2)
    alone, spurious = (made.figure(name, language="zh") for name in (LEFT_ALONE, SPURIOUS))
    assert alone is not None
    assert spurious is not None
    assert (alone.hits, alone.cases, spurious.value) == (1, 1, 0.0)
    assert made.figure(ACCURACY, language="en", group="week") == right


def test_a_failure_shows_what_was_wanted_and_found() -> None:
    [failure] = evaluate(read_dates([json.dumps({**LABEL, "start": "2027-04-20"})])).failures
    assert failure.expected == "[next week] 2027-04-20T00:00/2027-04-26T00:00 week"
    assert failure.came == "[next week] 2027-04-19T00:00/2027-04-26T00:00 week"


@pytest.mark.parametrize(
    "change",
    [
        {"reference": "2027-04-14"},
        {"span": [19, 99]},
        {"span": [19]},
        {"accept": [["2027-04-19"]]},
        {"accept": []},
        {"start": "soon"},
    ],
)
def test_a_line_that_is_no_item_is_named(change: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        read_dates([json.dumps({**LABEL, **change})])
