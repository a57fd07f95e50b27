"""What the engine asks of a store, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.domain.filters import Filter, evaluate
from perdure.domain.lexical import Beside
from perdure.domain.ranking import Candidate
from perdure.domain.records import Kind, Memory
from perdure.domain.times import to_micros
from perdure.domain.visibility import View, is_visible


class Order(StrEnum):
    """What a listing is sorted by; ties are broken by id in the same direction."""

    RECORDED_AT = "recorded_at"
    OCCURRED_AT = "occurred_at"
    IMPORTANCE = "importance"


class Position(NamedTuple):
    """Where a page ended: the sort value (microseconds, or importance) and id of its last item."""

    value: int | float
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Which memories a read is about: all parts must hold.

    `between` bounds `occurred_at`: start <= occurred_at < end, either end None for open. An event
    with a duration (`occurred_until`) is in when its interval meets the window.
    """

    view: View
    filter: Filter | None = None
    kinds: frozenset[Kind] | None = None
    between: tuple[datetime | None, datetime | None] = (None, None)

    def admits(self, memory: Memory) -> bool:
        """The reference rule: whether the read may return this memory."""
        return (
            is_visible(memory, self.view)
            and (self.kinds is None or memory.kind in self.kinds)
            and _falls_between(memory, self.between)
            and evaluate(self.filter, memory)
        )


def _falls_between(memory: Memory, between: tuple[datetime | None, datetime | None]) -> bool:
    start, end = between
    if start is not None and (memory.occurred_until or memory.occurred_at) < start:
        return False
    return end is None or memory.occurred_at < end


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A listing: what, in which order, how many, from where on."""

    condition: Condition
    order: Order = Order.RECORDED_AT
    descending: bool = False
    limit: int = 100
    after: Position | None = None


def sort_value(memory: Memory, order: Order) -> int | float:
    """What a listing sorts by: microseconds since 1970 UTC, or the importance."""
    match order:
        case Order.RECORDED_AT:
            return to_micros(memory.recorded_at)
        case Order.OCCURRED_AT:
            return to_micros(memory.occurred_at)
        case Order.IMPORTANCE:
            return memory.importance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Search:
    """Two arms over the memories that `condition` admits.

    `vector` (float32, shape (dimension,), unit length) with the identity of the `model` that made
    it, or None for no vector arm; `terms` are distinct lexeme codes, empty for no lexical arm.
    `limit` is the number of candidates per arm, at least 1.
    """

    condition: Condition
    vector: NDArray[np.float32] | None
    model: str | None
    terms: tuple[int, ...]
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The union of both arms' best, in no particular order, each with both arms' values.

    `considered` is how many memories the condition admits; `without_vector` how many of those
    have no vector by the asked model (they can be found lexically only), 0 when no vector was
    asked for. A candidate's `cosine` is None without a vector arm or without such a vector, its
    `lexical` 0.0 when it has no term of the question.

    `rarities` are the inverse document frequencies of the search's terms, in their order, among
    the admitted memories (empty when nothing is admitted). `beside` are the pairs of candidates
    that are turns of one conversation next to each other, or next but one
    (`domain.lexical.beside`), in no particular order.
    """

    candidates: tuple[Candidate, ...]
    considered: int
    without_vector: int
    rarities: tuple[float, ...] = ()
    beside: frozenset[Beside] = frozenset()
