"""A message whose reading waits for a language model: the mark it carries, and when to try again.

The mark stands in the metadata of the memory that keeps the words, so it is as durable as they are
and goes with them wherever they go. While it waits it is under `DEFERRED`; when trying has ended
without an answer, what is left of it is under `FAILED`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from perdure.domain.predicates import Cardinality
from perdure.domain.times import iso

DEFERRED, FAILED = "deferred", "deferral_failed"

MOST_ATTEMPTS = 6
FIRST_WAIT, GROWTH, LONGEST_WAIT = timedelta(minutes=1), 4, timedelta(hours=12)
"""One minute, four, sixteen, about one hour and four hours: most outages are short, and an account
that is used up is filled again the next day at the latest."""
THINKING = timedelta(minutes=10)
"""How long whoever stored the words has for asking the model before others take over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """How far reading a message has come.

    `said_at` is when it was sent, with the sender's offset, which times in its words need;
    `predicates` are those the caller added.
    """

    said_at: datetime
    retry_at: datetime
    attempts: int = 0
    cause: str = ""
    predicates: Mapping[str, Cardinality] = field(default_factory=dict)

    @property
    def is_given_up(self) -> bool:
        """Whether it has been tried as often as it may be."""
        return self.attempts >= MOST_ATTEMPTS

    def is_due(self, now: datetime) -> bool:
        """Whether it may be tried again."""
        return self.retry_at <= now

    def after_failure(self, now: datetime, cause: str, *, asked_s: float | None = None) -> Deferral:
        """One attempt later; a service that asks for a longer pause gets it."""
        wait = min(FIRST_WAIT * GROWTH**self.attempts, LONGEST_WAIT)
        if asked_s is not None:
            wait = max(wait, min(timedelta(seconds=asked_s), LONGEST_WAIT))
        return replace(self, attempts=self.attempts + 1, retry_at=now + wait, cause=cause)

    def as_json(self) -> dict[str, Any]:
        """What is stored while it waits."""
        return {
            "said_at": self.said_at.isoformat(),
            "retry_at": iso(self.retry_at),
            "attempts": self.attempts,
            "cause": self.cause,
            "predicates": dict(self.predicates),
        }

    def as_failed(self) -> dict[str, Any]:
        """What is stored once trying has ended."""
        return {"attempts": self.attempts, "cause": self.cause}


def deferral_in(metadata: Mapping[str, Any]) -> Deferral | None:
    """The mark in a memory's metadata; None without one, or when somebody else wrote it."""
    stored = metadata.get(DEFERRED)
    if not isinstance(stored, Mapping):
        return None
    try:
        return Deferral(
            said_at=datetime.fromisoformat(stored["said_at"]),
            retry_at=datetime.fromisoformat(stored["retry_at"]),
            attempts=int(stored["attempts"]),
            cause=str(stored["cause"]),
            predicates=dict(stored["predicates"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
