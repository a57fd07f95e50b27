"""The in-memory store's order of what rests, and its counts of residents and of uses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from heapq import merge
from itertools import islice
from operator import itemgetter

from perdure.domain.records import Memory, State
from perdure.domain.resting import (
    HOT,
    Crowd,
    Due,
    Lifeline,
    classes_of,
    comes_to_rest,
    is_due,
    lifeline_of,
    rest_class,
    touched_at,
)
from perdure.domain.scope import Scope
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.stores._reference import Indexed

Place = tuple[datetime, str]
"""When something comes about, and the id of the memory."""

EXPIRY = -1
"""The class of what has a time to live; those of `rest_class` are 0 and above."""


def lifeline(item: Indexed) -> Lifeline:
    """The lifeline of a record."""
    vector_bytes = 0 if item.vectors is None else item.vectors.rows.nbytes
    return lifeline_of(item.memory, vector_bytes=vector_bytes)


@dataclass(slots=True)
class Rests:
    """What rests and what expires, each class in the order in which it becomes due.

    Knows no lock: its owner holds one.
    """

    classes: dict[int, list[Place]] = field(default_factory=lambda: defaultdict(list))
    crowds: Counter[Scope] = field(default_factory=Counter)

    def move(self, before: Memory | None, after: Memory) -> None:
        """Take the memory from where it was to where it belongs now."""
        old = {} if before is None else dict(_places(before))
        new = dict(_places(after))
        for number, place in old.items():
            if new.get(number) != place:
                places = self.classes[number]
                del places[bisect_left(places, place)]
        for number, place in new.items():
            if old.get(number) != place:
                insort(self.classes[number], place)
        was = before is not None and before.state in HOT
        self.crowds[_agent_of(after)] += (after.state in HOT) - was

    def due(self, view: View, due: Due, find: Callable[[str], Indexed | None]) -> list[Lifeline]:
        """As `Store.due` says."""
        wanted = [
            self._until(number, before)
            for rest, before in due.rested.items()
            for number in classes_of(rest, due.below)
        ]
        if due.expired_at is not None:
            wanted.append(self._until(EXPIRY, due.expired_at))
        ids = dict.fromkeys(memory_id for _, memory_id in merge(*wanted))
        items = [item for memory_id in ids if (item := find(memory_id)) is not None]
        lines = [
            lifeline(item)
            for item in items
            if view.admits_scope(item.memory.scope) and is_due(item.memory, due)
        ]
        return sorted(lines, key=lambda line: (line.touched_at, line.id))[: due.limit]

    def _until(self, number: int, moment: datetime) -> Iterator[Place]:
        """The places of a class up to a moment, which is included."""
        places = self.classes.get(number, [])
        return islice(places, bisect_right(places, moment, key=itemgetter(0)))

    def crowded(self, view: View, above: int) -> list[Crowd]:
        """As `Store.crowded` says."""
        asked = view.scope
        crowds = [
            Crowd(scope=scope, memories=count)
            for scope, count in self.crowds.items()
            if count > above
            and scope.tenant == asked.tenant
            and (view.everything or (scope.user == asked.user
                                     and asked.agent in ("", scope.agent)))
        ]  # fmt: skip
        return sorted(crowds, key=lambda crowd: (crowd.scope.user, crowd.scope.agent))

    def agree_with(self, memories: Iterable[Memory]) -> bool:
        """Whether this is what the memories say."""
        fresh = Rests()
        for memory in memories:
            fresh.move(None, memory)
        return _filled(fresh.classes) == _filled(self.classes) and +fresh.crowds == +self.crowds


def _filled(classes: Mapping[int, list[Place]]) -> dict[int, list[Place]]:
    return {number: places for number, places in classes.items() if places}


def _places(memory: Memory) -> Iterator[tuple[int, Place]]:
    if comes_to_rest(memory):
        yield rest_class(memory), (touched_at(memory), memory.id)
    if memory.expires_at is not None and not memory.held and memory.state is not State.FORGOTTEN:
        yield EXPIRY, (memory.expires_at, memory.id)


def _agent_of(memory: Memory) -> Scope:
    scope = memory.scope
    return Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent)


@dataclass(slots=True)
class Uses:
    """Recalls and uses by scope and day. Knows no lock: its owner holds one."""

    counts: dict[tuple[Scope, date], tuple[int, int]] = field(default_factory=dict)

    def count(self, more: Mapping[tuple[Scope, date], tuple[int, int]]) -> None:
        """Add these counts."""
        for place, (recalled, used) in more.items():
            before = self.counts.get(place, (0, 0))
            self.counts[place] = (before[0] + recalled, before[1] + used)

    def days(self, view: View, since: date) -> list[DayOfUse]:
        """As `Store.days_of_use` says."""
        totals: dict[date, tuple[int, int]] = {}
        for (scope, day), (recalled, used) in self.counts.items():
            if day >= since and view.admits_scope(scope):
                before = totals.get(day, (0, 0))
                totals[day] = (before[0] + recalled, before[1] + used)
        return [
            DayOfUse(day=day, recalled=recalled, used=used)
            for day, (recalled, used) in sorted(totals.items())
        ]
