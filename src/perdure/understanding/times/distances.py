"""The pieces that count units from the reference or from a time told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from perdure.understanding.times import calendar as cal
from perdure.understanding.times.calendar import DAY, Span
from perdure.understanding.times.interval import Precision
from perdure.understanding.times.terms import Rank, Setting, Unit


@dataclass(frozen=True, slots=True)
class Distance:
    """So many units before (negative) or after the reference or the span told; halves allowed.

    Weeks, months and years count whole from the reference: "three weeks ago" is a week. From a
    date they are counted to the day: "two weeks after 5 May" is a day.
    """

    amount: float
    unit: Unit
    is_from_span: bool = False

    @property
    def rank(self) -> Rank:
        if self.is_from_span:
            return Rank.DISTANCE
        if self.amount % 1 and self.unit in (Unit.MONTH, Unit.WEEK):
            return Rank.DAY
        if self.amount % 1 and self.unit is Unit.YEAR:
            return Rank.MONTH
        return {
            Unit.YEAR: Rank.YEAR,
            Unit.MONTH: Rank.MONTH,
            Unit.WEEK: Rank.WEEK,
            Unit.WEEKEND: Rank.DAY,
            Unit.DAY: Rank.DAY,
            Unit.HOUR: Rank.CLOCK,
            Unit.MINUTE: Rank.CLOCK,
        }[self.unit]

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if self.is_from_span:
            return self._from_span(within)
        return () if within else (self._reached(setting.now),)

    def _from_span(self, within: Span | None) -> Iterable[Span]:
        if within is None:
            return ()
        clock = within.precision in (Precision.MINUTE, Precision.HOUR)
        base = within.start if self.amount < 0 or within.days <= 1 else within.end - DAY
        reached = self._reached(base)
        if clock or reached.precision in (Precision.DAY, Precision.MINUTE, Precision.HOUR):
            return (reached,)
        if within.precision is Precision.DAY and self.unit is not Unit.WEEKEND:
            return (cal.day(_moved(base, self.amount, self.unit)),)
        return (reached,)

    def _reached(self, base: datetime) -> Span:
        moment = _moved(base, self.amount, self.unit)
        is_whole = self.amount % 1 == 0
        match self.unit:
            case Unit.MINUTE:
                return _minute(moment)
            case Unit.HOUR:
                return _hour(moment) if is_whole else _minute(moment)
            case Unit.DAY:
                return cal.day(moment)
            case Unit.WEEKEND:
                return cal.weekend(base, int(self.amount))
            case Unit.WEEK:
                return cal.week(moment) if is_whole else cal.day(moment)
            case Unit.MONTH:
                return cal.month(moment)
            case Unit.YEAR:
                return cal.year(moment, moment.year) if is_whole else cal.month(moment)


def _moved(base: datetime, amount: float, unit: Unit) -> datetime:
    whole = int(amount)
    rest = amount - whole
    match unit:
        case Unit.MINUTE:
            return base + timedelta(minutes=amount)
        case Unit.HOUR:
            return base + timedelta(hours=amount)
        case Unit.DAY:
            return base + timedelta(days=amount)
        case Unit.WEEK | Unit.WEEKEND:
            return base + timedelta(days=round(amount * 7))
        case Unit.MONTH:
            return cal.same_day(base, whole) + timedelta(days=round(rest * 30))
        case Unit.YEAR:
            return cal.same_day(base, round(amount * 12))


def _minute(moment: datetime) -> Span:
    start = moment.replace(second=0, microsecond=0)
    return Span(start, start + timedelta(minutes=1), Precision.MINUTE)


def _hour(moment: datetime) -> Span:
    start = moment.replace(minute=0, second=0, microsecond=0)
    return Span(start, start + timedelta(hours=1), Precision.HOUR)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The last or the coming so many units, the reference day included."""

    amount: float
    unit: Unit
    rank: ClassVar[Rank] = Rank.DISTANCE

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        today = cal.day(setting.now)
        other = _moved(today.start, self.amount, self.unit)
        if self.unit in (Unit.HOUR, Unit.MINUTE):
            other = _moved(setting.now, self.amount, self.unit)
            ends = sorted((other, setting.now))
        elif self.amount < 0:
            ends = [other, today.end]
        else:
            ends = [today.start, other + DAY]
        return (Span(ends[0], ends[1], Precision.RANGE),)
