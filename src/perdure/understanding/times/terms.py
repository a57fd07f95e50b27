"""The words that pieces are told in: ranks, units, parts, and what a piece is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, IntEnum
from typing import Protocol

from perdure.understanding.times.calendar import Span
from perdure.understanding.times.interval import Direction


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
