"""BM25 over the memories a question may see.

The statistics (how many memories, how long, how common a term) come from exactly the memories
visible to the question, so scores depend on nobody else's data and are the same in every store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

K1 = 1.2
B = 0.4
"""Conversation turns differ in length for reasons that say little about relevance, hence a weaker
length correction than the customary 0.75."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistics:
    """`documents` visible, their mean `length` in terms, and in how many each term occurs."""

    documents: int
    length: float
    containing: Mapping[int, int]


def inverse_document_frequency(documents: int, containing: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)); always positive.

    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, in the
    non-negative form Lucene uses.
    """
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def saturation(frequency: float, length: float, mean_length: float) -> float:
    """What one term adds per unit of its rarity: 1 for one occurrence at mean length, below 2.2."""
    norm = 1.0 - B + B * length / mean_length if mean_length > 0 else 1.0
    return frequency * (K1 + 1.0) / (frequency + K1 * norm)


def lexical_score(
    query: Sequence[int], frequencies: Mapping[int, int], length: int, corpus: CorpusStatistics
) -> float:
    """Share of the question's weight this memory answers, in [0, 2.2).

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
