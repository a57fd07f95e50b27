"""How useful recall is: which share of what is recalled is used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from perdure.domain.changes import Accesses, Change
from perdure.domain.scope import Scope

TARGET = 0.6
"""The share of recalled memories that should be used."""
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfUse:
    """How often memories were recalled, and how often used, on one day (UTC)."""

    day: date
    recalled: int
    used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityPeriod:
    """The same for `days` days from `start` on, and the ratio of the two (None: none recalled).

    A memory may be used on a later day than it was recalled, or without, so that the ratio of a
    short period can be above 1.
    """

    start: date
    days: int
    recalled: int
    used: int

    @property
    def ratio(self) -> float | None:
        """used ÷ recalled."""
        return self.used / self.recalled if self.recalled else None

    @property
    def meets_target(self) -> bool | None:
        """Whether the ratio reaches 60 %."""
        return None if self.ratio is None else self.ratio >= TARGET


def uses_in(
    changes: Iterable[Change], accesses: Iterable[Accesses], at: datetime
) -> Mapping[tuple[Scope, date], tuple[int, int]]:
    """(recalled, used) by scope and day, as what is written together tells of it.

    A recall counts for the day of the last one that is written with it.
    """
    counts: dict[tuple[Scope, date], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for access in accesses:
        place = (access.scope, access.last_at.date())
        recalled, used = counts[place]
        counts[place] = (recalled + access.count, used)
    for change in changes:
        if change.before is None or change.after.used_count <= change.before.used_count:
            continue
        place = (change.after.scope, at.date())
        recalled, used = counts[place]
        counts[place] = (recalled, used + change.after.used_count - change.before.used_count)
    return dict(counts)


def by_period(
    days: Sequence[DayOfUse], *, start: date, until: date, length_days: int
) -> tuple[UtilityPeriod, ...]:
    """The days put together into periods of equal length, oldest first; the last ends with `until`.

    Periods in which nothing was recalled or used are there too, so that a chart needs no filling
    in. `start` only says how far back to go: the first period may begin before it.
    """
    count = max(1, -(-((until - start).days + 1) // length_days))
    first = until - timedelta(days=count * length_days - 1)
    totals = [(0, 0)] * count
    for item in days:
        place = (item.day - first).days // length_days
        if 0 <= place < count:
            recalled, used = totals[place]
            totals[place] = (recalled + item.recalled, used + item.used)
    return tuple(
        UtilityPeriod(
            start=first + timedelta(days=place * length_days),
            days=length_days,
            recalled=recalled,
            used=used,
        )
        for place, (recalled, used) in enumerate(totals)
    )
