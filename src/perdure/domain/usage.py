"""What asking a language model came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls of a model came to. `cost` is None as long as nobody said what a token costs.

    `input_tokens` include those the service had cached; `requests` those that failed or were
    refused as well.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [item for item in (self.cost, other.cost) if item is not None]
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=sum(costs) if costs else None,
        )


NO_USAGE = Usage()
