"""The pieces finer than a day: its parts, and clock times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from perdure.understanding.times import calendar as cal
from perdure.understanding.times.calendar import DAY, Span
from perdure.understanding.times.interval import Precision
from perdure.understanding.times.terms import DayPart, Rank, Setting


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
class Moment:
    """A date and time written out; an offset written with it counts, else the reference's does."""

    written: datetime
    rank: ClassVar[Rank] = Rank.DAY

    def spans(self, within: Span | None, setting: Setting) -> Iterable[Span]:
        if within:
            return ()
        zone = setting.now.tzinfo
        moment = self.written.astimezone(zone) if self.written.tzinfo else self.written
        start = moment.replace(tzinfo=zone, second=0, microsecond=0)
        return (Span(start, start + timedelta(minutes=1), Precision.MINUTE),)
