"""Which stored memories a request to lose something means: pure, and on the side of keeping."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from perdure.domain.analysis import lexemes, query_lexemes
from perdure.domain.lexical import inverse_document_frequency
from perdure.domain.readings import USER
from perdure.domain.records import Memory
from perdure.domain.text import fold

MEANT = 0.45
"""Likeness from which a memory is meant."""
BESIDE_THE_BEST, WITH_EVERYTHING = 0.8, 0.6
"""Share of the best likeness that another memory must have to be meant too: by a request for one
thing, and by one for everything about something."""
RELEVANT = 0.3
"""Relevance from which a memory may be meant though it has no word of the request."""
TAKEN_BACK, TAKEN_BACK_OF_KIND = 0.5, 0.15
"""Probability of being taken back below which nothing is lost, whatever words it shares; and for
what is of the kind that the request names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that a request may mean.

    `withdrawn` is the probability, by the understanding, that the request takes it back;
    `relevance` how near its meaning is to the request's, in [0, 1]; `is_of_kind` whether it
    states a fact of the speaker of the kind that the request names ("my address"), and
    `is_of_other_kind` whether it states facts and none is of such a kind.
    """

    memory: Memory
    withdrawn: float
    relevance: float = 0.0
    is_of_kind: bool = False
    is_of_other_kind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked to be lost, in words. `spared` are words beside it that ask for no loss.

    `before`: words before the request that tell of the end of something, and so name what a
    request without a name of its own means.
    """

    words: str
    before: str = ""
    is_everything: bool = False
    spared: tuple[str, ...] = ()
    predicates: frozenset[str] = frozenset()

    def with_what_stood_before(self) -> Request:
        """The request named by the words before it."""
        return replace(self, words=f"{self.before} {self.words}", before="")

    def names_kind_of(self, facts: Iterable[Memory]) -> bool:
        """Whether one of the facts is the speaker's own and of a kind that the words name."""
        return any(
            fact.predicate in self.predicates and fact.subject in (USER, fact.source.speaker)
            for fact in facts
        )

    def names_another_kind_than(self, facts: Iterable[Memory]) -> bool:
        """Whether the words name a kind and there are facts, none of which is of it."""
        kinds = {fact.predicate for fact in facts}
        return bool(self.predicates and kinds) and self.predicates.isdisjoint(kinds)


def _weights(words: str, texts: Sequence[set[int]]) -> dict[int, float]:
    """The words' terms that some text has, rarer ones with more weight."""
    among = {term: sum(term in text for text in texts) for term in query_lexemes(words)}
    return {
        term: inverse_document_frequency(len(texts), count)
        for term, count in among.items()
        if count
    }


def _had(weights: Mapping[int, float], text: set[int]) -> float:
    return sum(weight for term, weight in weights.items() if term in text)


def coverages(words: str, texts: Sequence[str]) -> list[float]:
    """How much of the words each text has, in [0, 1], rarer words counting for more.

    Words that no text has do not count: "forget", "what I told you" and the like.
    """
    held = [set(lexemes(text)) for text in texts]
    weights = _weights(words, held)
    total = sum(weights.values())
    return [_had(weights, each) / total if total > 0 else 0.0 for each in held]


def _spared(request: Request, texts: Sequence[str]) -> list[bool]:
    """For each text whether it has more of what is to be kept than of what is to be lost."""
    held = [set(lexemes(text)) for text in texts]
    lost = _weights(request.words, held)
    kept = [_weights(words, held) for words in request.spared]
    return [any(_had(weights, each) > _had(lost, each) for weights in kept) for each in held]


def meant_by(request: Request, candidates: Sequence[Candidate]) -> list[Memory]:
    """The memories a request means; none when nothing is likely enough."""
    texts = [item.memory.content for item in candidates]
    named = coverages(request.words, texts)
    spared = _spared(request, texts)
    rated: list[tuple[float, Memory]] = []
    for place, item in enumerate(candidates):
        is_near = named[place] > 0 or item.relevance >= RELEVANT or item.is_of_kind
        least = TAKEN_BACK_OF_KIND if item.is_of_kind else TAKEN_BACK
        if item.withdrawn < least or spared[place] or not is_near or item.is_of_other_kind:
            continue
        nearness = 1.0 if item.is_of_kind else max(named[place], item.relevance)
        withdrawn = max(item.withdrawn, TAKEN_BACK) if item.is_of_kind else item.withdrawn
        rated.append((withdrawn * (0.4 + 0.6 * nearness), item.memory))
    best = max((rate for rate, _ in rated), default=0.0)
    share = WITH_EVERYTHING if request.is_everything else BESIDE_THE_BEST
    return [memory for rate, memory in rated if best >= MEANT and rate >= share * best]


def points_back(words: str, candidates: Sequence[Candidate]) -> bool:
    """Whether a request names nothing that is stored: "scratch that"."""
    return not any(coverages(words, [item.memory.content for item in candidates]))


_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d{2,}")
ECHOED = 0.5
"""Share of the lost words, beyond those of the request, that makes other words an echo."""


def is_echo(text: str, lost: Iterable[Memory], target: str) -> bool:
    """Whether words that nobody vouches for repeat what is to be lost."""
    said = set(lexemes(text))
    folded = fold(text)
    asked = set(lexemes(target))
    for memory in lost:
        if memory.object and len(memory.object) > 1 and fold(memory.object) in folded:
            return True
        content = fold(memory.content)
        if any(number in folded for number in _NUMBER.findall(content)):
            return True
        telling = set(query_lexemes(memory.content)) - asked
        if telling and len(telling & said) / len(telling) >= ECHOED:
            return True
    return False


def repeats_whole(text: str, content: str) -> bool:
    """Whether a text has every telling word of a memory's content."""
    telling = set(query_lexemes(content))
    return bool(telling) and telling.issubset(lexemes(text))
