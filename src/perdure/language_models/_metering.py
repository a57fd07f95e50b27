"""Adding up what calls came to."""

from __future__ import annotations

from threading import Lock

from perdure.domain.usage import Usage
from perdure.language_models.prices import Prices


class Meter:
    """A running total. Thread-safe."""

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._lock = Lock()
        self._total = Usage()

    @property
    def total(self) -> Usage:
        """Everything counted so far."""
        return self._total

    def count(self, *, input_tokens: int = 0, output_tokens: int = 0) -> Usage:
        """Add one request; what it came to."""
        cost = (
            None
            if self._prices is None
            else self._prices.cost(input_tokens=input_tokens, output_tokens=output_tokens)
        )
        usage = Usage(requests=1, input_tokens=input_tokens, output_tokens=output_tokens, cost=cost)
        with self._lock:
            self._total += usage
        return usage
