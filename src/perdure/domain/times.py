"""Aware UTC everywhere, one format."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from perdure.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def as_utc(value: datetime | date | str, *, name: str = "time") -> datetime:
    """The same instant as an aware UTC datetime.

    A naive datetime or text is taken to be UTC already; a date is its midnight in UTC. Text must
    be ISO 8601. Raises `InvalidInput` for anything else, also for words such as "last week":
    an unreadable time is never treated as no time.
    """
    if isinstance(value, str):
        text = value.strip()
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidInput(
                f"{name}: {text[:60]!r} is not an ISO 8601 time such as 2031-07-25T02:00:00Z"
            ) from None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        try:
            return value.astimezone(UTC)
        except OverflowError:
            raise InvalidInput(f"{name}: {value} lies outside the years 1 to 9999 in UTC") from None
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise InvalidInput(f"{name} must be a datetime or ISO 8601 text, not {type(value).__name__}")


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970-01-01 UTC; exact."""
    return (moment - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The inverse of `to_micros`."""
    return EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=256)
def iso(moment: datetime) -> str:
    """The one text form: 2031-07-25T02:00:00+00:00, with microseconds only when there are any.

    For times in UTC. A write spells the same few moments several times.
    """
    return moment.isoformat()


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def day_in_words(moment: datetime, *, chinese: bool) -> str:
    """The day as people write it: 25 July 2031, 2031年7月25日."""
    year, month, day = moment.year, moment.month, moment.day
    if chinese:
        return f"{year}年{month}月{day}日"
    return f"{day} {_MONTHS[month - 1]} {year}"
