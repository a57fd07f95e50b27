"""A clock that tells what it was told."""

from __future__ import annotations

from datetime import datetime, timedelta

from perdure.domain.times import as_utc

DEFAULT_START = "2031-01-01T00:00:00+00:00"


class FakeClock:
    """Stands still until it is set or advanced.

    `start` is a datetime or ISO 8601 text; a naive one is UTC.
    """

    def __init__(self, start: datetime | str = DEFAULT_START) -> None:
        self._now = as_utc(start, name="start")

    def now(self) -> datetime:
        """The moment it was told, aware UTC."""
        return self._now

    def set(self, moment: datetime | str) -> None:
        """Show another moment, also an earlier one."""
        self._now = as_utc(moment, name="moment")

    def advance(self, delta: timedelta) -> None:
        """Move on by a duration."""
        self._now += delta
