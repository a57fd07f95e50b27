"""How much of everything a run does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Sizes and counts. `sizes` are stores of `users` users, by the label cases are named with."""

    sizes: Mapping[str, int]
    one_user: int
    users: int = 100
    rounds: int = 5
    adds: int = 200
    batches: int = 5
    per_thread: int = 40
    per_process: int = 150
    recalls: int = 100
    warm_up: int = 250
    recalls_per_thread: int = 60
    reads: int = 100
    imported: int = 10_000
    import_rounds: int = 3
    starts: int = 5
    exactness_cases: int = 200

    @property
    def base(self) -> int:
        """The size of the store that is written to, and read by all but the recall cases."""
        return self.sizes["10k"]


FULL = Plan(sizes={"1k": 1_000, "10k": 10_000, "100k": 100_000}, one_user=100_000)
LARGE = Plan(sizes={**FULL.sizes, "1m": 1_000_000}, one_user=100_000)
QUICK = Plan(
    sizes={"1k": 200, "10k": 400},
    one_user=400,
    users=5,
    rounds=2,
    adds=5,
    batches=1,
    per_thread=3,
    per_process=5,
    recalls=5,
    warm_up=5,
    recalls_per_thread=3,
    reads=5,
    imported=200,
    import_rounds=1,
    starts=1,
    exactness_cases=10,
)
