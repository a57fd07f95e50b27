"""When and how long to wait before asking a service again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import isfinite


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Exponential back-off that defers to what the service asks for.

    Delays double from `first_delay_s` to `longest_delay_s`. A service that asks for more than
    `patience_s` is not waited for at all: asking sooner would only be refused again.
    """

    max_retries: int
    patience_s: float
    first_delay_s: float = 0.5
    longest_delay_s: float = 8.0

    def delay_s(self, retry: int, *, asked_s: float | None, chance: float) -> float | None:
        """Seconds before retry number `retry` (from 0); None: give up.

        Without a wish of the service, three quarters of the doubled delay plus up to a quarter of
        it by `chance` in [0, 1), so that clients refused together do not return together. Never
        longer than `patience_s`.
        """
        if retry >= self.max_retries:
            return None
        if asked_s is not None:
            return asked_s if asked_s <= self.patience_s else None
        doubled = min(self.first_delay_s * 2.0 ** min(retry, 30), self.longest_delay_s)
        return min(doubled * (0.75 + 0.25 * chance), self.patience_s)


def asked_delay_s(headers: Mapping[str, str]) -> float | None:
    """Seconds the service asks to wait, at least 0; None when it does not say.

    `Retry-After-Ms`, `Retry-After` in seconds, or `Retry-After` as a date, which is compared with
    the response's own `Date` so that the local clock plays no part. Names in lower case.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = _number(headers.get(name))
        if value is not None:
            return max(value * unit_s, 0.0)
    return _until_date(headers.get("retry-after"), headers.get("date"))


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _until_date(moment: str | None, now: str | None) -> float | None:
    if moment is None or now is None:
        return None
    try:
        wait = parsedate_to_datetime(moment) - parsedate_to_datetime(now)
    except (TypeError, ValueError):
        return None
    return max(wait.total_seconds(), 0.0)
