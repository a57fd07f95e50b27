"""Recalls and uses by day, put together into periods."""

from datetime import timedelta

import pytest

from perdure.domain.utility import DayOfUse, UtilityPeriod, by_period, uses_in
from perdure.testing import NOON, a_change, a_memory, successor

TODAY = NOON.date()


def days_ago(count):
    return TODAY - timedelta(days=count)


def test_a_week_ends_today_and_empty_weeks_are_there():
    days = [
        DayOfUse(day=days_ago(14), recalled=10, used=1),
        DayOfUse(day=days_ago(6), recalled=3, used=2),
        DayOfUse(day=TODAY, recalled=2, used=1),
    ]
    weeks = by_period(days, start=days_ago(20), until=TODAY, length_days=7)
    assert [(week.start, week.recalled, week.used) for week in weeks] == [
        (days_ago(20), 10, 1),
        (days_ago(13), 0, 0),
        (days_ago(6), 5, 3),
    ]
    assert [week.ratio for week in weeks] == [0.1, None, 0.6]
    assert [week.meets_target for week in weeks] == [False, None, True]


def test_periods_reach_back_as_far_as_asked_and_further_days_are_left_out():
    days = [DayOfUse(day=days_ago(count), recalled=1, used=0) for count in range(30)]
    assert len(by_period(days, start=days_ago(7), until=TODAY, length_days=7)) == 2
    assert len(by_period(days, start=TODAY, until=TODAY, length_days=7)) == 1
    [day] = by_period(days, start=TODAY, until=TODAY, length_days=1)
    assert day == UtilityPeriod(start=TODAY, days=1, recalled=1, used=0)


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(0, 1, 1), (2, 5, 3), (1, 1, 0), (2, 1, 0)]
)
def test_a_use_is_what_the_count_grew_by(before, after, expected):
    memory = a_memory(used_count=before)
    change = a_change(successor(memory, used_count=after), before=memory)
    uses = uses_in([change], [], NOON)
    assert sum(used for _, used in uses.values()) == expected


def test_a_new_memory_brings_no_uses_along():
    assert uses_in([a_change(a_memory(used_count=9))], [], NOON) == {}
