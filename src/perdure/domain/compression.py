"""A shorter text in a memory's own words: its most telling sentences, in their order."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from perdure.domain.analysis import query_lexemes
from perdure.domain.budget import sentences_of
from perdure.domain.context.salience import is_courtesy, salience_of_text
from perdure.domain.text import holds_han

KEPT_SHARE = 0.5
"""How much of the characters a summary keeps at most, unless its first sentence takes more."""
WORTH_SHARE = 0.75
"""A summary that keeps more than this is not worth the way to the archive."""
LEAST_CHARS, LEAST_HAN_CHARS = 240, 90
"""Shorter texts, one or two sentences, are left alone."""
UNSHARED = 0.1
FIRST_BONUS = 1.5
"""The first sentence mostly says what the text is about."""
DETAIL_BONUS = 1.6
"""A number, a date or a name inside a sentence is what nothing else of the text can tell."""
_DETAIL = re.compile(r"\d|[〇一二三四五六七八九十百千万]{2}|(?<=[a-z,] )[A-Z][a-z]")
MOST_SENTENCES = 400
"""Of a longer text, the sentences in front are weighed; choosing is quadratic in what is chosen."""


@dataclass(slots=True)
class _Sentence:
    place: int
    text: str
    terms: frozenset[int]
    weight: float


def summary_of(text: str) -> str | None:
    """The text's most telling sentences, in their order; None when that saves too little.

    A sentence counts by its salience (`domain.context.salience`), more where it comes first or
    holds a number or a name, by the mean share of sentences
    that have its terms, and by the squared share of its terms that no chosen one has. The summary
    has at most KEPT_SHARE of the characters. Deterministic.

    Source of the frequencies: SumBasic; Nenkova and Vanderwende, The Impact of Frequency on
    Summarization, 2005; of the rule against repetition: as `domain.context.summary`.
    """
    han = holds_han(text)
    if len(text) < (LEAST_HAN_CHARS if han else LEAST_CHARS):
        return None
    chosen = _chosen(_sentences(text), int(len(text) * KEPT_SHARE))
    summary = _joined([item.text for item in sorted(chosen, key=lambda item: item.place)])
    return summary if chosen and len(summary) <= len(text) * WORTH_SHARE else None


def _joined(sentences: list[str]) -> str:
    """The sentences one after the other, with a space where the first is not Chinese."""
    spaced = [f"{item} " if item[-1].isascii() else item for item in sentences]
    return "".join(spaced).rstrip()


def _chosen(sentences: list[_Sentence], budget: int) -> list[_Sentence]:
    frequencies = Counter(term for sentence in sentences for term in sentence.terms)
    total = max(len(sentences), 1)
    chosen: list[_Sentence] = []
    covered: set[int] = set()
    waiting = list(sentences)
    while waiting:
        scores = [_score(item, frequencies, total, covered) for item in waiting]
        best = waiting.pop(max(range(len(scores)), key=lambda at: (scores[at], -at)))
        cost = len(best.text) + 1
        if cost > budget and chosen:
            continue
        budget -= cost
        chosen.append(best)
        covered |= best.terms
        waiting = [item for item in waiting if len(item.text) < budget]
    return chosen


def _score(sentence: _Sentence, frequencies: Counter[int], total: int, covered: set[int]) -> float:
    size = len(sentence.terms)
    mean = sum(frequencies[term] for term in sentence.terms) / size / total
    new = 1 - len(covered & sentence.terms) / size
    return sentence.weight * new * new * (UNSHARED + mean)


def _sentences(text: str) -> list[_Sentence]:
    made: list[_Sentence] = []
    seen: set[str] = set()
    for part in sentences_of(text)[:MOST_SENTENCES]:
        words = part.strip()
        terms = frozenset(query_lexemes(words))
        if not terms or words in seen or is_courtesy(words):
            continue
        seen.add(words)
        weight = salience_of_text(words) * (1.0 if made else FIRST_BONUS)
        if _DETAIL.search(words):
            weight *= DETAIL_BONUS
        made.append(_Sentence(len(made), words, terms, weight))
    return made
