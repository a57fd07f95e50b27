"""What relative and partial times mean, rule by rule, in both languages."""

from __future__ import annotations

from datetime import datetime

import pytest

from perdure.understanding import Precision, find_times

WEDNESDAY = datetime.fromisoformat("2027-04-14T10:20:00-05:00")


def interval(text: str, reference: datetime = WEDNESDAY) -> tuple[str, str | None]:
    (time,) = find_times(text, reference=reference)
    end = time.interval.end
    return f"{time.interval.start:%m-%dT%H:%M}", f"{end:%m-%dT%H:%M}" if end else None


def test_the_offset_of_the_reference_is_used_unchanged_across_a_clock_change() -> None:
    winter = datetime.fromisoformat("2027-01-10T12:00+01:00")
    (time,) = find_times("We meet on 10 July at 9:15 am.", reference=winter)
    assert time.interval.start.isoformat() == "2027-07-10T09:15:00+01:00"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("On Wednesday I was ill.", "04-07T00:00"),
        ("On Wednesday I will be away.", "04-21T00:00"),
        ("周三我病了一场。", "04-07T00:00"),
        ("周三我要出门。", "04-21T00:00"),
        ("On Friday I was ill.", "04-09T00:00"),
        ("On Friday I will be away.", "04-16T00:00"),
    ],
)
def test_a_bare_weekday_lies_where_the_tense_looks_and_is_not_today(text: str, start: str) -> None:
    assert interval(text)[0] == start


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("last Wednesday", "04-07T00:00"),
        ("last Tuesday", "04-13T00:00"),
        ("this Monday", "04-12T00:00"),
        ("next Friday", "04-23T00:00"),
        ("上周二", "04-06T00:00"),
        ("上上周二", "03-30T00:00"),
        ("下周五", "04-23T00:00"),
    ],
)
def test_last_this_and_next_count_as_documented(text: str, expected: str) -> None:
    assert interval(f"It was {text}." if text.isascii() else f"{text}。")[0] == expected


@pytest.mark.parametrize(
    "text", ["We met on 5 May to plan.", "We meet on 5 May to plan.", "五月五号我们见过面。"]
)
def test_a_bare_date_is_the_nearest_in_the_direction_of_the_tense(text: str) -> None:
    (time,) = find_times(text, reference=WEDNESDAY)
    assert time.interval.start.year == (2027 if "meet" in text else 2026)


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("three weeks ago", Precision.WEEK),
        ("three days ago", Precision.DAY),
        ("two and a half months ago", Precision.MONTH),
        ("half a year ago", Precision.MONTH),
        ("三周前", Precision.WEEK),
        ("半年前", Precision.MONTH),
        ("一个半小时前", Precision.MINUTE),
        ("两个小时前", Precision.HOUR),
    ],
)
def test_a_distance_is_as_precise_as_its_unit(text: str, precision: Precision) -> None:
    (time,) = find_times(text, reference=WEDNESDAY)
    assert time.precision is precision


def test_a_short_end_of_a_range_borrows_from_the_other() -> None:
    assert interval("from 3 to 7 May") == ("05-03T00:00", "05-08T00:00")
    assert interval("5月3日到7日") == ("05-03T00:00", "05-08T00:00")
    assert interval("tomorrow from 2 to 4 pm") == ("04-15T14:00", "04-15T16:00")


def test_moving_something_between_two_times_names_two_times() -> None:
    found = find_times("We moved the call from Monday to Friday.", reference=WEDNESDAY)
    assert [time.text for time in found] == ["Monday", "Friday"]


def test_since_reaches_to_the_end_of_the_reference_day() -> None:
    assert interval("He has been away since Monday.") == ("04-12T00:00", "04-15T00:00")
    assert interval("从周一开始他一直不在。") == ("04-12T00:00", "04-15T00:00")


def test_a_start_yet_to_come_is_not_since() -> None:
    assert interval("从明天开始我要早起。") == ("04-15T00:00", "04-16T00:00")


def test_lunar_festivals_need_a_year() -> None:
    assert find_times("中秋节我们团聚。", reference=WEDNESDAY) == []
    assert interval("2027年中秋节我们团聚。")[0] == "09-15T00:00"
    assert interval("Mid-Autumn Festival 2027 falls on a weekday.")[0] == "09-15T00:00"


def test_what_recurs_is_no_time() -> None:
    for text in (
        "We bowl every Thursday.",
        "每周四打球。",
        "Rent is due on the 3rd of each month.",
    ):
        assert find_times(text, reference=WEDNESDAY) == []


def test_both_languages_are_read_in_one_text() -> None:
    found = find_times("See you next Monday, 或者下周三晚上。", reference=WEDNESDAY)
    assert [(time.text, time.language) for time in found] == [
        ("next Monday", "en"),
        ("下周三晚上", "zh"),
    ]


def test_traditional_and_fullwidth_characters_keep_their_places() -> None:
    text = "會議改到下個禮拜五下午３點。"
    (time,) = find_times(text, reference=WEDNESDAY)
    assert time.text == "下個禮拜五下午３點"
    assert time.interval.start.isoformat() == "2027-04-23T15:00:00-05:00"


def test_an_offset_written_with_a_time_counts_and_is_told_in_that_of_the_reference() -> None:
    (time,) = find_times("It failed at 2027-04-13T22:15:00Z.", reference=WEDNESDAY)
    assert time.interval.start.isoformat() == "2027-04-13T17:15:00-05:00"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("the week before 16 November 2026", "11-09T00:00"),
        ("two days before Christmas 2026", "12-23T00:00"),
        ("the Monday after Easter 2027", "03-29T00:00"),
        ("Thanksgiving 2026", "11-26T00:00"),
        ("Black Friday 2026", "11-27T00:00"),
        ("Good Friday 2027", "03-26T00:00"),
    ],
)
def test_days_are_counted_from_what_is_told(text: str, start: str) -> None:
    assert interval(f"It was {text}.")[0] == start
