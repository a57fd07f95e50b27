"""BM25 over the memories a question may see, and what turns of a conversation lend one another.

The statistics (how many memories, how long, how common a term) come from exactly the memories
visible to the question, so scores depend on nobody else's data and are the same in every store.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log
from typing import NamedTuple

from perdure.domain.records import Memory
from perdure.domain.times import to_micros

K1 = 0.5
"""Sentences say a word once or twice, and the second time adds little; the customary 1.2 is for
pages."""
FEWEST_DOCUMENTS = 8
B = 0.4
"""Conversation turns differ in length for reasons that say little about relevance, hence a weaker
length correction than the customary 0.75."""

LENT = (0.35, 0.15)
"""Share of its lexical score that a turn lends to the next one and to the one after, on both
sides: an answer often stands beside the sentence that has the question's words."""
LENT_WITHIN_US = 3_600_000_000
"""Turns further apart than an hour belong to two conversations, whatever their session."""
SAID_IN_SESSION = 0.8
"""What a word of the question counts for that a memory lacks and another one of its session says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistics:
    """`documents` visible, their mean `length` in terms, and in how many each term occurs."""

    documents: int
    length: float
    containing: Mapping[int, int]


def inverse_document_frequency(documents: int, containing: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)); always positive.

    N is at least 8: in a handful of memories every word is in most of them, which says nothing
    of how telling it is.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, in the
    non-negative form Lucene uses.
    """
    documents = max(documents, FEWEST_DOCUMENTS)
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def rarities(terms: Sequence[int], corpus: CorpusStatistics) -> tuple[float, ...]:
    """Each term's inverse document frequency; empty where there are no documents."""
    if not corpus.documents:
        return ()
    return tuple(
        inverse_document_frequency(corpus.documents, corpus.containing.get(term, 0))
        for term in terms
    )


def saturation(frequency: float, length: float, mean_length: float) -> float:
    """What one term adds per unit of its rarity: 1 for one occurrence at mean length, below 1.5."""
    norm = 1.0 - B + B * length / mean_length if mean_length > 0 else 1.0
    return frequency * (K1 + 1.0) / (frequency + K1 * norm)


def lexical_score(
    query: Sequence[int], frequencies: Mapping[int, int], length: int, corpus: CorpusStatistics
) -> float:
    """Share of the question's weight this memory answers, in [0, 1.5).

    BM25 divided by the summed rarity of the query's distinct terms: 1.0 means a memory of mean
    length with each term once; 0.0 that no term occurs. Query terms found nowhere still count in
    the denominator, so an unanswerable question scores low everywhere.
    """
    total = gained = 0.0
    for term in query:
        rarity = inverse_document_frequency(corpus.documents, corpus.containing.get(term, 0))
        total += rarity
        frequency = frequencies.get(term, 0)
        if frequency:
            gained += rarity * saturation(frequency, length, corpus.length)
    return gained / total if total > 0 else 0.0


class Turn(NamedTuple):
    """Where a memory was said: which conversation, the how manieth of its visible turns, when."""

    conversation: Hashable
    place: int
    at_us: int


def turns_of(memories: Iterable[Memory]) -> dict[str, Turn]:
    """The turns among the memories a question may see, by id, in order of (occurred_at, id)."""
    spoken = [memory for memory in memories if memory.is_spoken]
    spoken.sort(key=lambda memory: (_conversation(memory), memory.occurred_at, memory.id))
    return {
        memory.id: Turn(conversation, place, to_micros(memory.occurred_at))
        for conversation, said in groupby(spoken, key=_conversation)
        for place, memory in enumerate(said)
    }


def _conversation(memory: Memory) -> tuple[str, str, str, str]:
    scope = memory.scope
    return scope.tenant, scope.user, scope.agent, scope.session


class Beside(NamedTuple):
    """Two turns of one conversation with `distance` - 1 visible turns between them, at most an
    hour apart, by the ids of their memories."""

    earlier: str
    later: str
    distance: int


def beside(turns: Mapping[str, Turn]) -> frozenset[Beside]:
    """Which of these turns stand near enough to lend each other something."""
    at_place = {turn[:2]: memory_id for memory_id, turn in turns.items()}
    return frozenset(
        Beside(memory_id, later, distance)
        for memory_id, (conversation, place, at_us) in turns.items()
        for distance in range(1, len(LENT) + 1)
        if (later := at_place.get((conversation, place + distance))) is not None
        and turns[later].at_us - at_us <= LENT_WITHIN_US
    )


def with_neighbours(scores: Mapping[str, float], turns: Mapping[str, Turn]) -> dict[str, float]:
    """Lexical scores (those above 0, by id) with what neighbouring turns lend, in [0, 3).

    Only a memory that has a word of the question itself is lent anything.
    """
    at_place = {turns[memory_id][:2]: memory_id for memory_id in scores if memory_id in turns}
    raised = dict(scores)
    for (conversation, place), memory_id in at_place.items():
        for distance, share in enumerate(LENT, start=1):
            for neighbour in (place - distance, place + distance):
                lender = at_place.get((conversation, neighbour))
                if lender is None:
                    continue
                if abs(turns[lender].at_us - turns[memory_id].at_us) <= LENT_WITHIN_US:
                    raised[memory_id] += share * scores[lender]
    return raised


def session_of(memory: Memory) -> Hashable | None:
    """What memories told in one session have in common; None for one that belongs to none."""
    return _conversation(memory) if memory.scope.session else None


def rarity_among_sessions(sessions: int, saying: int, rarity: float) -> float:
    """ln((S + 0.5) / (s + 0.5)) for a term that s sessions say, of S that say any of the question;
    at most its `rarity` among memories.

    0 where all of them say it, and so also where there is only one: what every session says tells
    none of them apart.
    """
    return min(rarity, log((sessions + 0.5) / (saying + 0.5)))


def with_sessions(
    scores: Mapping[str, float],
    query: Sequence[int],
    frequencies: Mapping[str, Mapping[int, int]],
    sessions: Mapping[str, Hashable | None],
    corpus: CorpusStatistics,
) -> dict[str, float]:
    """Lexical scores (those above 0, by id) with what the rest of each one's session says.

    What was told together speaks of the same and says its name once. A term that a memory lacks and
    another one of its session has counts `SAID_IN_SESSION` times its `rarity_among_sessions`, as a
    share of the question's weight. `frequencies` are those of each memory in `scores`; only they
    speak for their sessions. A memory of no session keeps its score.
    """
    has: dict[str, frozenset[int]] = {}
    said: dict[Hashable, set[int]] = {}
    for memory_id in scores:
        session = sessions.get(memory_id)
        if session is not None:
            counts = frequencies[memory_id]
            has[memory_id] = frozenset(term for term in query if counts.get(term, 0))
            said.setdefault(session, set()).update(has[memory_id])
    if len(said) < 2:
        return dict(scores)
    rare = rarities(query, corpus)
    rarity = {
        term: rarity_among_sessions(len(said), sum(term in terms for terms in said.values()), own)
        for term, own in zip(query, rare, strict=True)
    }
    total = added(rare)

    def weight(terms: Collection[int]) -> float:
        return added(rarity[term] for term in query if term in terms)

    whole = {session: weight(terms) for session, terms in said.items()}
    raised = dict(scores)
    for memory_id, terms in has.items():
        beyond = whole[sessions[memory_id]] - weight(terms)
        raised[memory_id] += SAID_IN_SESSION * beyond / total
    return raised


def added(values: Iterable[float]) -> float:
    """Their sum, one after the other: the same to the last bit as columns that are added up."""
    total = 0.0
    for value in values:
        total += value
    return total
