"""What a time expression comes to: an interval, how precise it is, where it stands in the text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum


class Precision(StrEnum):
    """How closely the words pin the time down; `RANGE` when they name two ends."""

    MINUTE = "minute"
    HOUR = "hour"
    PART_OF_DAY = "part_of_day"
    DAY = "day"
    WEEKEND = "weekend"
    WEEK = "week"
    PART_OF_MONTH = "part_of_month"
    MONTH = "month"
    SEASON = "season"
    QUARTER = "quarter"
    PART_OF_YEAR = "part_of_year"
    YEAR = "year"
    DECADE = "decade"
    RANGE = "range"


class Direction(Enum):
    """Where the tense of the clause looks; decides which Friday a bare "Friday" is."""

    PAST = "past"
    FUTURE = "future"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """From `start` up to, not including, `end`; a missing end is open."""

    start: datetime
    end: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeExpression:
    """A time that a text names: `text` is what stands at `start_char` up to `end_char`."""

    start_char: int
    end_char: int
    text: str
    interval: Interval
    precision: Precision
    language: str
