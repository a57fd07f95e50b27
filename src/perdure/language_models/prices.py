"""What tokens cost, as far as the user says: lists of prices in a package are out of date."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.errors import Misconfigured

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices per million tokens, in whatever currency the user counts."""

    input_per_million: float
    output_per_million: float

    def __post_init__(self) -> None:
        if not (self.input_per_million >= 0 and self.output_per_million >= 0):
            raise Misconfigured("prices per million tokens must be at least 0")

    def cost(self, *, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        spent = input_tokens * self.input_per_million + output_tokens * self.output_per_million
        return spent / _MILLION
