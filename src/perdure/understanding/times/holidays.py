"""Days of the year that have names, whatever the language that names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from perdure.understanding.times import lunar_festivals as lunar
from perdure.understanding.times.pieces import Holiday


def fixed(month: int, day: int) -> Holiday:
    return Holiday(lambda year: date(year, month, day))


def nth_weekday(month: int, weekday: int, number: int) -> Holiday:
    """The nth such weekday of the month; Monday is 0."""

    def of_year(year: int) -> date:
        first = date(year, month, 1)
        ahead = (weekday - first.weekday()) % 7
        return first + timedelta(days=ahead + 7 * (number - 1))

    return Holiday(of_year)


def _of_table(table: Sequence[int], shift: int = 0) -> Callable[[int], date | None]:
    def of_year(year: int) -> date | None:
        index = year - lunar.FIRST_YEAR
        if not 0 <= index < len(table):
            return None
        month, day = divmod(table[index], 100)
        return date(year, month, day) + timedelta(days=shift)

    return of_year


def _by_moon(table: Sequence[int], shift: int = 0) -> Holiday:
    return Holiday(_of_table(table, shift), needs_year=True)


SPRING_FESTIVAL = _by_moon(lunar.SPRING_FESTIVAL)
LUNAR_NEW_YEARS_EVE = _by_moon(lunar.SPRING_FESTIVAL, -1)
LANTERN_FESTIVAL = _by_moon(lunar.LANTERN_FESTIVAL)
DRAGON_BOAT = _by_moon(lunar.DRAGON_BOAT)
QIXI = _by_moon(lunar.QIXI)
MID_AUTUMN = _by_moon(lunar.MID_AUTUMN)
DOUBLE_NINTH = _by_moon(lunar.DOUBLE_NINTH)


def _easter_sunday(year: int) -> date:
    """The Gregorian computus as published anonymously in Nature, 1876."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    correction = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * correction) // 433
    month = (h + correction - 7 * m + 90) // 25
    return date(year, month, (h + correction - 7 * m + 33 * month + 19) % 32)


def easter(shift: int = 0) -> Holiday:
    """Easter Sunday, or so many days from it."""
    return Holiday(lambda year: _easter_sunday(year) + timedelta(days=shift))


def _tomb_sweeping(year: int) -> date | None:
    # The solar term by the usual rule of thumb, right for this and the last century's end.
    if not 1990 <= year <= 2060:
        return None
    rest = year % 100
    if year < 2000:
        return date(year, 4, int(rest * 0.2422 + 5.59) - rest // 4)
    return date(year, 4, int(rest * 0.2422 + 4.81) - rest // 4)


TOMB_SWEEPING = Holiday(_tomb_sweeping)
