"""Calendar arithmetic on spans. Every moment carries the offset of the reference, unchanged.

Weeks run from Monday, quarters and halves follow the calendar year, seasons are whole months of
the northern year and winter belongs to the year of its December. What falls outside the years
1 to 9999 raises `ValueError` or `OverflowError`; the finder treats it as no time.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from perdure.understanding.times.interval import Precision

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to, not including, `end`."""

    start: datetime
    end: datetime
    precision: Precision

    @property
    def days(self) -> int:
        return (self.end - self.start).days


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def day(moment: datetime) -> Span:
    start = midnight(moment)
    return Span(start, start + DAY, Precision.DAY)


def week(moment: datetime, shift: int = 0) -> Span:
    start = midnight(moment) - moment.weekday() * DAY + shift * WEEK
    return Span(start, start + WEEK, Precision.WEEK)


def weekend(moment: datetime, shift: int = 0) -> Span:
    start = week(moment, shift).start + 5 * DAY
    return Span(start, start + 2 * DAY, Precision.WEEKEND)


def first_of_month(moment: datetime, shift: int = 0) -> datetime:
    months = moment.year * 12 + moment.month - 1 + shift
    return midnight(moment).replace(year=months // 12, month=months % 12 + 1, day=1)


def months(moment: datetime, count: int, precision: Precision) -> Span:
    """So many whole months, the first being the one that holds `moment`."""
    return Span(first_of_month(moment), first_of_month(moment, count), precision)


def month(moment: datetime, shift: int = 0) -> Span:
    return months(first_of_month(moment, shift), 1, Precision.MONTH)


def year(moment: datetime, number: int) -> Span:
    return months(moment.replace(year=number, month=1, day=1), 12, Precision.YEAR)


def decade(moment: datetime, number: int) -> Span:
    return months(moment.replace(year=number, month=1, day=1), 120, Precision.DECADE)


def same_day(moment: datetime, shift: int) -> datetime:
    """That many months on, on the same day of the month or the last one there is."""
    first = first_of_month(moment, shift)
    last = calendar.monthrange(first.year, first.month)[1]
    return first.replace(day=min(moment.day, last))


def season(moment: datetime, number: int, index: int) -> Span:
    """Spring, summer, autumn, winter are 0 to 3."""
    start = moment.replace(year=number, month=3 * index + 3, day=1)
    return months(start, 3, Precision.SEASON)


def quarter(moment: datetime, shift: int = 0) -> Span:
    start = first_of_month(moment, shift * 3 - (moment.month - 1) % 3)
    return months(start, 3, Precision.QUARTER)


def days_within(span: Span) -> Iterator[Span]:
    start = span.start
    while start < span.end:
        yield day(start)
        start += DAY
