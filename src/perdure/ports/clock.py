"""Time and chance as inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment as an aware UTC datetime."""
        ...


class Entropy(Protocol):
    """Gives bytes nobody can guess (or, in a test, bytes everybody knows)."""

    def __call__(self, size: int, /) -> bytes:
        """`size` bytes."""
        ...
