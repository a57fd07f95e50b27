"""The time inside an evaluated conversation."""

from __future__ import annotations

from datetime import UTC, datetime


class SetClock:
    """Tells the moment it was set to."""

    def __init__(self, moment: datetime) -> None:
        self.set(moment)

    def now(self) -> datetime:
        """The moment it was set to, aware UTC."""
        return self._now

    def set(self, moment: datetime) -> None:
        """Show another moment, also an earlier one."""
        self._now = moment.astimezone(UTC)
