"""Something that must always hold and does not."""

from __future__ import annotations


class Violation(AssertionError):
    """An invariant was broken; the message says which, and by what memory."""


def require(holds: bool, otherwise: str) -> None:
    """Raise `Violation` unless it holds."""
    if not holds:
        raise Violation(otherwise)
