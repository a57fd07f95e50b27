"""Leaving out what was said already, and not saying ten times nearly the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def without_repeats(
    items: Sequence[Item],
    repeats: Callable[[Item, Item], bool],
    *,
    gist: Callable[[Item], Hashable],
    limit: int,
) -> list[Item]:
    """The first `limit` items none of which repeats one before it (`repeats(earlier, item)`).

    Items that repeat one another must have the same `gist`; only those are compared.
    """
    kept: list[Item] = []
    by_gist: dict[Hashable, list[Item]] = {}
    for item in items:
        alike = by_gist.setdefault(gist(item), [])
        if not any(repeats(earlier, item) for earlier in alike):
            alike.append(item)
            kept.append(item)
            if len(kept) == limit:
                break
    return kept


def maximal_marginal_relevance(
    scores: Sequence[float],
    similarity: Callable[[int, int], float],
    *,
    limit: int,
    trade_off: float = 0.7,
) -> list[int]:
    """Positions in the order that balances relevance against repetition, at most `limit`.

    Each step takes the item with the largest
    trade_off × score − (1 − trade_off) × max similarity to those taken; the first is the best.
    `scores` are best first and `similarity` gives values in [0, 1]. Ties go to the earlier.

    Source: Carbonell and Goldstein, SIGIR 1998.
    """
    left = list(range(len(scores)))
    taken: list[int] = []
    while left and len(taken) < limit:
        best = max(
            left,
            key=lambda i: (
                trade_off * scores[i]
                - (1 - trade_off) * max((similarity(i, j) for j in taken), default=0.0),
                -i,
            ),
        )
        left.remove(best)
        taken.append(best)
    return taken
