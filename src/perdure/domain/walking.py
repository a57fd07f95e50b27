"""Walking along facts: from names to the facts that name them, and on to what those name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perdure.domain.query import Condition
from perdure.domain.records import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """Which facts to walk along, from where, and how far.

    `names` are compared as they are written; `hops` is the number of steps, at least 1.
    """

    condition: Condition
    names: tuple[str, ...]
    hops: int = 1


class Walking:
    """A walk under way: what was found, and from which names the next step goes."""

    def __init__(self, names: Iterable[str]) -> None:
        self.edge: list[str] = list(dict.fromkeys(names))
        self.found: dict[str, Memory] = {}
        self._reached = set(self.edge)

    def step(self, touching: Sequence[Memory]) -> None:
        """Go on with the facts that touch the edge, which may include some found before."""
        fresh = [fact for fact in touching if fact.id not in self.found]
        self.found.update((fact.id, fact) for fact in fresh)
        names = (name for fact in fresh for name in (fact.subject, fact.object))
        self.edge = list(
            dict.fromkeys(name for name in names if name not in self._reached and name)
        )
        self._reached.update(self.edge)


def touches(fact: Memory, names: frozenset[str]) -> bool:
    """Whether it is a fact about one of the names."""
    return fact.predicate is not None and (fact.subject in names or fact.object in names)
