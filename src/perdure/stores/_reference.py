"""Reads as plainly as they can be written: the meaning that every store must agree with.

The in-memory store answers all reads this way. The other stores do so for `known_as_of`, where
the records are folded from the journal and no index of theirs applies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from perdure.domain.analysis import lexemes
from perdure.domain.changes import JournalEntry, Vectors
from perdure.domain.lexical import (
    CorpusStatistics,
    beside,
    lexical_score,
    rarities,
    session_of,
    turns_of,
    with_neighbours,
    with_sessions,
)
from perdure.domain.query import Condition, Found, Position, Query, Search, sort_value
from perdure.domain.ranking import Candidate
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.text import holds_han
from perdure.domain.times import to_micros
from perdure.domain.walking import Walk, Walking, touches


class Indexed(NamedTuple):
    """A memory with what a search needs of it."""

    memory: Memory
    terms: Mapping[int, int]
    length: int
    vectors: Vectors | None


def indexed(memory: Memory, vectors: Vectors | None = None) -> Indexed:
    """The memory with the terms of its indexed text counted."""
    codes = lexemes(memory.indexed_text)
    return Indexed(memory, Counter(codes), len(codes), vectors)


def as_known(
    entries: Iterable[JournalEntry], moment: datetime, current: Mapping[str, Indexed]
) -> list[Indexed]:
    """The memories that journal entries tell of, as they stood at `moment`.

    `entries` must be complete for the memories they tell of and in order; `current` is how those
    memories stand now, by id. One that is forgotten now is left out whatever was known then, and
    one whose words have changed since has no vectors: the stored ones belong to the new words.
    """
    known: list[Indexed] = []
    for memory_id, memory in replay(entries, until=moment).items():
        now = current.get(memory_id)
        if now is None or now.memory.state is State.FORGOTTEN:
            continue
        if now.memory.indexed_text == memory.indexed_text:
            known.append(now._replace(memory=memory))
        else:
            known.append(indexed(memory))
    return known


class ReferenceReads:
    """`query`, `neighbours`, `count` and `search` over the given memories."""

    def __init__(self, memories: Iterable[Indexed]) -> None:
        self._memories = list(memories)

    def count(self, condition: Condition) -> int:
        """As the store port says."""
        return len(self._admitted(condition))

    def query(self, query: Query) -> list[Memory]:
        """As the store port says."""
        memories = [item.memory for item in self._admitted(query.condition)]

        def position(memory: Memory) -> Position:
            return Position(sort_value(memory, query.order), memory.id)

        memories.sort(key=position, reverse=query.descending)
        after = query.after
        if after is not None and query.descending:
            memories = [memory for memory in memories if position(memory) < after]
        elif after is not None:
            memories = [memory for memory in memories if position(memory) > after]
        return memories[: query.limit]

    def neighbours(self, walk: Walk) -> list[Memory]:
        """As the store port says."""
        facts = [
            item.memory
            for item in self._admitted(walk.condition)
            if item.memory.predicate is not None
        ]
        facts.sort(key=lambda fact: (fact.recorded_at, fact.id))
        walking = Walking(walk.names)
        for _ in range(walk.hops):
            edge = frozenset(walking.edge)
            walking.step([fact for fact in facts if touches(fact, edge)])
        return list(walking.found.values())

    def search(self, search: Search) -> Found:
        """As the store port says."""
        admitted = self._admitted(search.condition)
        cosines = _cosines(admitted, search)
        corpus = _statistics(admitted, search.terms)
        turns = turns_of(item.memory for item in admitted)
        scores = with_sessions(
            with_neighbours(_lexical_scores(admitted, search.terms, corpus), turns),
            search.terms,
            {item.memory.id: item.terms for item in admitted},
            {item.memory.id: session_of(item.memory) for item in admitted},
            corpus,
        )
        chosen = _best(cosines, search.limit) | _best(scores, search.limit)
        return Found(
            candidates=tuple(
                _candidate(item.memory, cosines, scores)
                for item in admitted
                if item.memory.id in chosen
            ),
            considered=len(admitted),
            without_vector=0 if search.vector is None else len(admitted) - len(cosines),
            rarities=rarities(search.terms, corpus),
            beside=beside({id_: turn for id_, turn in turns.items() if id_ in chosen}),
        )

    def _admitted(self, condition: Condition) -> list[Indexed]:
        return [item for item in self._memories if condition.admits(item.memory)]


def _cosines(memories: Iterable[Indexed], search: Search) -> dict[str, float]:
    """The best cosine of each memory that has vectors by the asked model."""
    if search.vector is None:
        return {}
    return {
        item.memory.id: float((item.vectors.rows @ search.vector).max())
        for item in memories
        if item.vectors is not None and item.vectors.model == search.model
    }


def _statistics(memories: list[Indexed], terms: tuple[int, ...]) -> CorpusStatistics:
    """Those of exactly these memories."""
    length = sum(item.length for item in memories) / len(memories) if memories else 0.0
    containing = {term: sum(term in item.terms for item in memories) for term in terms}
    return CorpusStatistics(documents=len(memories), length=length, containing=containing)


def _lexical_scores(
    memories: list[Indexed], terms: tuple[int, ...], corpus: CorpusStatistics
) -> dict[str, float]:
    """The scores above 0."""
    scores = {
        item.memory.id: lexical_score(terms, item.terms, item.length, corpus)
        for item in memories
        if any(term in item.terms for term in terms)
    }
    return {memory_id: score for memory_id, score in scores.items() if score > 0}


def _best(values: Mapping[str, float], limit: int) -> set[str]:
    return set(sorted(values, key=lambda memory_id: (-values[memory_id], memory_id))[:limit])


def _candidate(
    memory: Memory, cosines: Mapping[str, float], scores: Mapping[str, float]
) -> Candidate:
    return Candidate(
        id=memory.id,
        cosine=cosines.get(memory.id),
        lexical=scores.get(memory.id, 0.0),
        importance=memory.importance,
        occurred_us=to_micros(memory.occurred_at),
        accessed_count=memory.accessed_count,
        is_han=holds_han(memory.content),
    )
