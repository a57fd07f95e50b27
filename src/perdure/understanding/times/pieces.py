"""The pieces that time expressions are made of, in no language.

"The last Friday of May 2030 at 3 pm" is a year, a month, a counted weekday and a clock time. Each
piece says which spans it can mean inside the span of the coarser pieces before it, or, with
nothing before it, around the reference: then it may offer several, of which the tense chooses one
(`perdure.understanding.times.chains`). A piece that makes no sense where it stands offers none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum, IntEnum
from typing import ClassVar, Protocol

from perdure.understanding.times import calendar as cal
from perdure.understanding.times.calendar import DAY, Span
from perdure.understanding.times.interval import Direction, Precision


class Rank(IntEnum):
    """Coarse to fine. Pieces join into one expression when no two of them have the same rank."""

    DECADE = 5
    YEAR = 10
    PERIOD = 20
    MONTH = 30
    PART = 40
    WEEK = 50
    DAY = 60
    WEEKDAY = 65
    AROUND = 68
    DAY_PART = 70
    CLOCK = 80
    DISTANCE = 90


class Part(Enum):
    BEGINNING = "beginning"
    MIDDLE = "middle"
    END = "end"


class Which(Enum):
    """Last, this, next."""

    LAST = -1
    THIS = 0
    NEXT = 1


class Unit(Enum):
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class DayPart(Enum):
    """First and last hour, counted from the midnight that begins the day."""

    SMALL_HOURS = (0, 6)
    MORNING = (6, 12)
    NOON = (12, 13)
    AFTERNOON = (12, 18)
    DUSK = (17, 19)
    EVENING = (18, 24)
    NIGHT = (18, 30)


@dataclass(frozen=True, slots=True)
class Setting:
    """When the words were said, and where their tense looks."""

    now: datetime
    direction: Direction


class Piece(Protocol):
    @property
    def rank(self) -> Rank: ...

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        """What this piece can mean inside `within`, or around the reference; may be none."""
        ...


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
    """The week, or the weekend, of a day told: "the week of 5 May"."""

    unit: Unit
    rank: ClassVar[Rank] = Rank.AROUND

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None or within.precision is not Precision.DAY:
            return ()
        around = cal.weekend if self.unit is Unit.WEEKEND else cal.week
        return (around(within.start),)


@dataclass(frozen=True, slots=True)
class PartOfDay:
    part: DayPart
    rank: ClassVar[Rank] = Rank.DAY_PART

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        base = within or cal.day(setting.now)
        if base.precision is not Precision.DAY:
            return ()
        first, last = self.part.value
        hour = timedelta(hours=1)
        return (Span(base.start + first * hour, base.start + last * hour, Precision.PART_OF_DAY),)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. Unless `is_exact`, an hour from 1 to 12 may be before or after noon.

    Then the part of the day decides, and without one the waking hours: 1 to 6 are taken as
    after noon, 7 to 11 as before it.
    """

    hour: int
    minute: int | None = None
    is_exact: bool = False
    rank: ClassVar[Rank] = Rank.CLOCK

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within is None:
            days = [cal.day(setting.now + n * DAY) for n in (-1, 0, 1)]
            return [self._at(d.start + self._usual() * timedelta(hours=1)) for d in days]
        if within.precision is Precision.DAY:
            return (self._at(within.start + self._usual() * timedelta(hours=1)),)
        if within.precision is Precision.PART_OF_DAY:
            return (self._in(within),)
        return ()

    def _usual(self) -> int:
        if self.is_exact or not 1 <= self.hour <= 6:
            return self.hour
        return self.hour + 12

    def _in(self, part: Span) -> Span:
        """The reading that falls inside the part of the day, or else nearest to it."""
        midnight = cal.midnight(part.start)
        hours = (self.hour,) if self.is_exact and self.hour > 12 else (self.hour % 12, self.hour)
        readings = [midnight + (h + more) * timedelta(hours=1) for h in hours for more in (0, 12)]
        if self.is_exact:
            readings = [midnight + (self.hour + more) * timedelta(hours=1) for more in (0, 24)]
        return self._at(min(readings, key=lambda moment: (_outside(moment, part), moment)))

    def _at(self, hour: datetime) -> Span:
        if self.minute is None:
            return Span(hour, hour + timedelta(hours=1), Precision.HOUR)
        start = hour + timedelta(minutes=self.minute)
        return Span(start, start + timedelta(minutes=1), Precision.MINUTE)


def _outside(moment: datetime, part: Span) -> timedelta:
    if moment < part.start:
        return part.start - moment
    # The hour at which a part ends still belongs to it in speech: twelve at night, six at dusk.
    return max(moment - part.end, timedelta(0))


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
