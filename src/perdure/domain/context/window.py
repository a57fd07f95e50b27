"""Which turns of a conversation stay when they do not all fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

IMPORTANT_SHARE = 0.5
"""Of the room that pinned turns leave: how much of it important ones may take from recent ones."""
LARGEST_SHARE = 0.5
"""Of the budget: a piece that takes more is oversized, and shown shortened to that."""


class Piece(NamedTuple):
    """What stays or goes as a whole: a turn, or a call of tools with its results.

    `tokens` is what showing it costs; `last` says how recent its newest turn is, higher is later.
    """

    tokens: int
    last: int
    importance: float
    pinned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The positions of the pieces that stay, in order, and to how many tokens some must shrink.

    What the kept pieces cost, where they are not shrunk, and what the others may cost at most add
    up to no more than the budget.
    """

    kept: tuple[int, ...] = ()
    limits: Mapping[int, int]


def choose(
    pieces: Sequence[Piece], *, budget: int, important_from: float, may_shrink: bool
) -> Choice:
    """Fit pieces into a budget of tokens: a sliding window, plus pinned and important ones.

    In this order, each while there is room: the newest piece; the pinned ones, newest first; those
    of at least `important_from`, the most important first, in at most half of what is then left;
    and the rest from the newest back to the first that does not fit, so that what is recent has no
    holes. With `may_shrink` the newest and the pinned shrink to what is left for them, any other
    to half the budget; without it, what does not fit is left out. One pass over the pieces and
    two orderings of them: 10,000 take milliseconds.
    """
    return _Choosing(pieces, budget, may_shrink=may_shrink).choose(important_from)


class _Choosing:
    def __init__(self, pieces: Sequence[Piece], budget: int, *, may_shrink: bool) -> None:
        self._pieces = pieces
        self._budget = budget
        self._room = budget
        self._may_shrink = may_shrink
        self._largest = int(budget * LARGEST_SHARE)
        self._limits: dict[int, int] = {}
        self._kept: set[int] = set()

    def choose(self, important_from: float) -> Choice:
        pieces = self._pieces
        recency = [piece.last for piece in pieces]
        newest_first = sorted(range(len(pieces)), key=recency.__getitem__, reverse=True)
        pinned = [at for at in newest_first if pieces[at].pinned]
        self._take_newest(newest_first[:1], sum(pieces[at].tokens for at in pinned))
        for at in pinned:
            self._take(at, self._room)
        self._take_important([at for at in newest_first if pieces[at].importance >= important_from])
        for at in newest_first:
            if not self._take(at, self._largest):
                break
        kept = range(len(pieces)) if len(self._kept) == len(pieces) else sorted(self._kept)
        return Choice(kept=tuple(kept), limits=self._limits)

    def _take_newest(self, newest: Sequence[int], pinned_tokens: int) -> None:
        # It leaves the pinned their place, but never has less than half of the budget itself.
        for at in newest:
            if not self._pieces[at].pinned:
                pinned_tokens = min(pinned_tokens, self._budget - self._largest)
                self._take(at, self._budget - pinned_tokens)
            else:
                self._take(at, self._room)

    def _take_important(self, important: list[int]) -> None:
        pieces = self._pieces
        before, allowed = self._room, int(self._room * IMPORTANT_SHARE)
        for at in sorted(important, key=lambda at: -pieces[at].importance):
            largest = min(self._largest, allowed - (before - self._room))
            if self._cost(at, self._largest) <= largest:
                self._take(at, self._largest)

    def _cost(self, at: int, largest: int) -> int:
        tokens = self._pieces[at].tokens
        return min(tokens, largest) if self._may_shrink else tokens

    def _take(self, at: int, largest: int) -> bool:
        """Keep a piece, shrunk to at most `largest` if that is allowed; false if it has no room."""
        if at in self._kept:
            return True
        cost = self._cost(at, largest)
        if cost > self._room or cost <= 0:
            return False
        if cost < self._pieces[at].tokens:
            self._limits[at] = cost
        self._kept.add(at)
        self._room -= cost
        return True
