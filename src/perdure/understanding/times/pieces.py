"""The pieces that time expressions are made of, in no language.

"The last Friday of May 2030 at 3 pm" is a year, a month, a counted weekday and a clock time. Each
piece says which spans it can mean inside the span of the coarser pieces before it, or, with
nothing before it, around the reference: then it may offer several, of which the tense chooses one
(`perdure.understanding.times.chains`). A piece that makes no sense where it stands offers none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar

from perdure.understanding.times import calendar as cal
from perdure.understanding.times.calendar import DAY, Span
from perdure.understanding.times.interval import Precision
from perdure.understanding.times.terms import Part, Piece, Rank, Setting, Unit, Which


def _years_around(now: datetime) -> range:
    return range(now.year - 2, now.year + 3)


@dataclass(frozen=True, slots=True)
class Decade:
    first: int
    rank: ClassVar[Rank] = Rank.DECADE

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.decade(setting.now, self.first),)


@dataclass(frozen=True, slots=True)
class Year:
    number: int
    rank: ClassVar[Rank] = Rank.YEAR

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.year(setting.now, self.number),)


@dataclass(frozen=True, slots=True)
class YearShift:
    by: int
    rank: ClassVar[Rank] = Rank.YEAR

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.year(setting.now, setting.now.year + self.by),)


@dataclass(frozen=True, slots=True)
class AnyYear:
    """The year that the tense chooses, for "by the end of the year" told without one."""

    rank: ClassVar[Rank] = Rank.YEAR

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else [cal.year(setting.now, n) for n in _years_around(setting.now)]


@dataclass(frozen=True, slots=True)
class Season:
    index: int
    rank: ClassVar[Rank] = Rank.PERIOD

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            years: Iterable[int] = _years_around(setting.now)
        elif within.precision is Precision.YEAR:
            years = (within.start.year,)
        else:
            years = ()
        return [cal.season(setting.now, number, self.index) for number in years]


@dataclass(frozen=True, slots=True)
class Quarter:
    """The nth quarter, of this year unless a year is told."""

    number: int
    rank: ClassVar[Rank] = Rank.PERIOD

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        base = within or cal.year(setting.now, setting.now.year)
        if base.precision is not Precision.YEAR:
            return ()
        return (cal.quarter(base.start, self.number - 1),)


@dataclass(frozen=True, slots=True)
class QuarterShift:
    by: int
    rank: ClassVar[Rank] = Rank.PERIOD

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.quarter(setting.now, self.by),)


@dataclass(frozen=True, slots=True)
class Half:
    """The first or second half of a year (this one unless told), or of a month."""

    number: int
    rank: ClassVar[Rank] = Rank.PART

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        base = within or cal.year(setting.now, setting.now.year)
        if base.precision is Precision.YEAR:
            start = cal.first_of_month(base.start, 6 * (self.number - 1))
            return (cal.months(start, 6, Precision.PART_OF_YEAR),)
        if base.precision is Precision.MONTH:
            middle = base.start + 15 * DAY
            ends = (base.start, middle) if self.number == 1 else (middle, base.end)
            return (Span(*ends, Precision.PART_OF_MONTH),)
        return ()


@dataclass(frozen=True, slots=True)
class HalfShift:
    """The half of the year so many halves from the present one."""

    by: int
    rank: ClassVar[Rank] = Rank.PERIOD

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        present = setting.now.month - 1 - (setting.now.month - 1) % 6
        start = cal.first_of_month(setting.now.replace(month=1, day=1), present + 6 * self.by)
        return (cal.months(start, 6, Precision.PART_OF_YEAR),)


@dataclass(frozen=True, slots=True)
class Month:
    number: int
    rank: ClassVar[Rank] = Rank.MONTH

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            january = setting.now.replace(month=1, day=1)
            return [
                cal.month(january.replace(year=n), self.number - 1)
                for n in _years_around(setting.now)
            ]
        if within.precision is Precision.YEAR:
            return (cal.month(within.start, self.number - 1),)
        if within.precision in (Precision.SEASON, Precision.QUARTER):
            shift = (self.number - within.start.month) % 12
            return (cal.month(within.start, shift),) if shift < 3 else ()
        return ()


@dataclass(frozen=True, slots=True)
class MonthShift:
    by: int
    rank: ClassVar[Rank] = Rank.MONTH

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.month(setting.now, self.by),)


@dataclass(frozen=True, slots=True)
class AnyMonth:
    """The month that the tense chooses."""

    rank: ClassVar[Rank] = Rank.MONTH

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else [cal.month(setting.now, n) for n in range(-2, 3)]


@dataclass(frozen=True, slots=True)
class Holiday:
    """A day of the year; a movable one whose rule gives None in some years is left out there.

    With `needs_year` it means nothing until a year is told.
    """

    of_year: Callable[[int], date | None]
    needs_year: bool = False
    rank: ClassVar[Rank] = Rank.MONTH

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            years: Iterable[int] = () if self.needs_year else _years_around(setting.now)
        elif within.precision is Precision.YEAR:
            years = (within.start.year,)
        else:
            years = ()
        found = (self.of_year(number) for number in years)
        return [
            cal.day(setting.now.replace(year=d.year, month=d.month, day=d.day)) for d in found if d
        ]


_YEAR_PARTS = {Part.BEGINNING: (0, 3), Part.MIDDLE: (5, 2), Part.END: (9, 3)}
_MONTH_PARTS = {Part.BEGINNING: (0, 10), Part.MIDDLE: (10, 20), Part.END: (20, 31)}


@dataclass(frozen=True, slots=True)
class PartOf:
    """The beginning, middle or end of a year, a season, a quarter or a month."""

    part: Part
    rank: ClassVar[Rank] = Rank.PART

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            return ()
        match within.precision:
            case Precision.YEAR:
                first, count = _YEAR_PARTS[self.part]
                start = cal.first_of_month(within.start, first)
                return (cal.months(start, count, Precision.PART_OF_YEAR),)
            case Precision.SEASON | Precision.QUARTER:
                shift = {Part.BEGINNING: 0, Part.MIDDLE: 1, Part.END: 2}[self.part]
                start = cal.first_of_month(within.start, shift)
                return (cal.months(start, 1, Precision.PART_OF_YEAR),)
            case Precision.DECADE:
                first, count = {Part.BEGINNING: (0, 3), Part.MIDDLE: (4, 3), Part.END: (7, 3)}[
                    self.part
                ]
                start = cal.first_of_month(within.start, 12 * first)
                return (cal.months(start, 12 * count, Precision.RANGE),)
            case Precision.MONTH:
                first, last = _MONTH_PARTS[self.part]
                end = min(within.start + last * DAY, within.end)
                return (Span(within.start + first * DAY, end, Precision.PART_OF_MONTH),)
            case Precision.WEEK:
                first, last = {Part.BEGINNING: (0, 2), Part.MIDDLE: (2, 4), Part.END: (4, 7)}[
                    self.part
                ]
                return (
                    Span(within.start + first * DAY, within.start + last * DAY, Precision.RANGE),
                )
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class Counted:
    """The nth day, week, weekend, month or weekday of a month or year; -1 is the last."""

    number: int
    unit: Unit
    weekday: int | None = None
    rank: ClassVar[Rank] = Rank.PART

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None or within.days < 5:
            return ()
        found = [s for s in self._all(within) if within.start <= s.start < within.end]
        index = self.number - 1 if self.number > 0 else len(found) + self.number
        return (found[index],) if 0 <= index < len(found) else ()

    def _all(self, within: Span) -> Iterable[Span]:
        match self.unit:
            case Unit.DAY if self.weekday is None:
                return cal.days_within(within)
            case Unit.DAY:
                return [d for d in cal.days_within(within) if d.start.weekday() == self.weekday]
            case Unit.WEEK:
                return [cal.week(within.start, n) for n in range(54)]
            case Unit.WEEKEND:
                return [cal.weekend(within.start, n) for n in range(54)]
            case Unit.MONTH:
                return [cal.month(within.start, n) for n in range(12)]
            case Unit.YEAR:
                return [cal.year(within.start, within.start.year + n) for n in range(10)]
            case Unit.HOUR | Unit.MINUTE:
                return ()


@dataclass(frozen=True, slots=True)
class WeekShift:
    by: int
    rank: ClassVar[Rank] = Rank.WEEK

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.week(setting.now, self.by),)


@dataclass(frozen=True, slots=True)
class WeekendShift:
    by: int
    rank: ClassVar[Rank] = Rank.DAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            return (cal.weekend(setting.now, self.by),)
        return (cal.weekend(within.start),) if within.precision is Precision.WEEK else ()


@dataclass(frozen=True, slots=True)
class AnyWeekend:
    """The weekend that the tense chooses, or the one of the week told."""

    rank: ClassVar[Rank] = Rank.DAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            return [cal.weekend(setting.now, n) for n in (-1, 0, 1)]
        return (cal.weekend(within.start),) if within.precision is Precision.WEEK else ()


@dataclass(frozen=True, slots=True)
class DayOfMonth:
    number: int
    rank: ClassVar[Rank] = Rank.DAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            around: Iterable[Span] = (cal.month(setting.now, n) for n in range(-12, 13))
        elif within.precision is Precision.MONTH:
            around = (within,)
        else:
            around = ()
        return [
            cal.day(month.start + (self.number - 1) * DAY)
            for month in around
            if self.number <= month.days
        ]


@dataclass(frozen=True, slots=True)
class DayShift:
    by: int
    rank: ClassVar[Rank] = Rank.DAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        return () if within else (cal.day(setting.now + self.by * DAY),)


@dataclass(frozen=True, slots=True)
class Weekday:
    """A bare one is another day than the reference, unless it `may_be_today`."""

    number: int
    may_be_today: bool = False
    rank: ClassVar[Rank] = Rank.WEEKDAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            ahead = (self.number - setting.now.weekday()) % 7
            shifts = [ahead + 7 * n for n in range(-2, 3) if ahead + 7 * n or self.may_be_today]
            return [cal.day(setting.now + shift * DAY) for shift in shifts]
        if within.precision is Precision.WEEK:
            return (cal.day(within.start + self.number * DAY),)
        if within.precision is Precision.WEEKEND:
            return (cal.day(within.start + (self.number - 5) * DAY),) if self.number > 4 else ()
        fits = within.precision is Precision.DAY and within.start.weekday() == self.number
        return (within,) if fits else ()


@dataclass(frozen=True, slots=True)
class WhichWeekday:
    """Last Friday: the latest before the reference day. This and next: of this or the next week."""

    which: Which
    number: int
    rank: ClassVar[Rank] = Rank.WEEKDAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        if self.which is Which.LAST:
            shift = (self.number - setting.now.weekday()) % 7 - 7
            return (cal.day(setting.now + shift * DAY),)
        week = cal.week(setting.now, self.which.value)
        return (cal.day(week.start + self.number * DAY),)


@dataclass(frozen=True, slots=True)
class WeekdaysAgo:
    """The nth such weekday back from the reference day."""

    count: int
    number: int
    rank: ClassVar[Rank] = Rank.WEEKDAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        latest = (self.number - setting.now.weekday()) % 7 - 7
        return (cal.day(setting.now + (latest - 7 * (self.count - 1)) * DAY),)


@dataclass(frozen=True, slots=True)
class WeekdayBeside:
    """The first such weekday after (1) or the last before (-1) the span told."""

    sign: int
    number: int
    rank: ClassVar[Rank] = Rank.DISTANCE

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            return ()
        if self.sign > 0:
            ahead = (self.number - within.end.weekday()) % 7
            return (cal.day(within.end + ahead * DAY),)
        back = (within.start.weekday() - self.number - 1) % 7 + 1
        return (cal.day(within.start - back * DAY),)


@dataclass(frozen=True, slots=True)
class Recurring:
    """Last, this or next (or, twice, the one before or after that) of something that comes once a year: a month, a season, a holiday."""

    which: Which
    inner: Piece
    times: int = 1

    @property
    def rank(self) -> Rank:
        return self.inner.rank

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        now = setting.now
        found = sorted(self.inner.spans(None, setting), key=lambda span: span.start)
        match self.which:
            case Which.LAST:
                return [s for s in found if s.end <= now][-self.times :][:1]
            case Which.THIS:
                return [s for s in found if s.start.year == now.year][:1]
            case Which.NEXT:
                return [s for s in found if s.start > now][self.times - 1 :][:1]


@dataclass(frozen=True, slots=True)
class WeekAround:
    """The week or weekend of a day told ("the week of 5 May"), or one so many before or after."""

    unit: Unit
    by: int = 0
    rank: ClassVar[Rank] = Rank.AROUND

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None or within.precision is not Precision.DAY:
            return ()
        around = cal.weekend if self.unit is Unit.WEEKEND else cal.week
        return (around(within.start, self.by),)
