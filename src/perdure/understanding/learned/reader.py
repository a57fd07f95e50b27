"""What the networks say of one message: intents, and spans that look like facts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from perdure.domain.readings import Intent, Modality, Polarity, Relation, Span
from perdure.understanding.forms import form_of
from perdure.understanding.learned.features import (
    EARLIER_ASSISTANT,
    EARLIER_USER,
    WORD_GOES_ON,
    FloatArray,
    features_of,
)
from perdure.understanding.learned.network import Encoding
from perdure.understanding.learned.tokens import Tokens, tokenise
from perdure.understanding.learned.weights import Learned
from perdure.understanding.signs import NO_CUES, cues_in

EARLIER_TURNS = 3
EARLIER_TOKENS = 48
"""Of what was said before, the last turns and the first tokens of each are read."""

NO_FACT = "none"
NAMED = "named"
OTHER = "other"
"""A predicate and subjects that are none: no fact, somebody by name, somebody unknown."""

_INNER = 2
OUTSIDE = 0.9
"""Probability from which a token is none of a span's, though it seems to be of the same word."""
_Kind = TypeVar("_Kind", Intent, Relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """A span with how sure it is to be what it was tagged as, in [0, 1]."""

    span: Span
    sureness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A span that looks like the object of a fact, with the likeliest reading of each part.

    `sureness` is that of the span being such an object with this predicate, `held` that of the
    fact being asserted, if only for now; both in [0, 1].
    """

    span: Span
    predicate: str
    subject: str
    polarity: Polarity
    modality: Modality
    sureness: float
    held: float
    subject_sureness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What was found in one message, each kind in order of place."""

    facts: tuple[Found, ...] = ()
    names: tuple[Tagged, ...] = ()
    targets: tuple[Tagged, ...] = ()


class LearnedReading:
    """One message as the networks for its language see it."""

    def __init__(
        self,
        learned: Learned,
        message: str,
        sentences: Sequence[Span],
        context: Sequence[tuple[str, str]] = (),
        *,
        language: str,
    ) -> None:
        form = form_of(message)
        self._cues = cues_in(form)
        self._cues_before = cues_in(form_of(context[-1][1])) if context else NO_CUES
        self._sentences = [(span, cues_in(span.of(form))) for span in sentences]
        self._learned = learned
        self._modalities = [Modality(name) for name in learned.modalities]
        self._tokens = tokenise(message)
        earlier = [
            (
                EARLIER_USER if role == "user" else EARLIER_ASSISTANT,
                tokenise(content, longest=EARLIER_TOKENS),
            )
            for role, content in context[-EARLIER_TURNS:]
        ]
        earlier = [each for each in earlier if len(each[1])]
        self._follows = any(side == EARLIER_USER for side, _ in earlier)
        self._networks = learned.readers[language]
        self._view: Encoding | None = None
        if not len(self._tokens):
            return
        features = features_of(self._tokens, learned.words, earlier)
        self._looks = features.looks[: len(self._tokens)].tolist()
        self._view = self._networks.encode(features)

    def intents(self, parts: Sequence[Span] = ()) -> list[Mapping[Intent, float]]:
        """How likely each intent is, for the whole message and then for each of its parts."""
        if self._view is None:
            return [_NOTHING] * (1 + len(parts))
        found: list[Mapping[Intent, float]] = [_NOTHING] * (1 + len(parts))
        ranges = [(0, len(self._tokens)), *(_range(self._tokens, part) for part in parts)]
        cues = [self._cues, *map(self._cues_at, parts)]
        known = [n for n, (start, end) in enumerate(ranges) if start < end]
        rows = self._networks.intents(
            [self._networks.summary(self._view, *ranges[n]) for n in known],
            np.array([cues[n] + self._cues_before for n in known], np.float32),
            follows=self._follows,
        )
        for n, row in zip(known, rows, strict=True):
            found[n] = _named(self._learned.intents, row, Intent)
        return found

    def marked(self) -> Marked:
        """The spans that look like facts, names they are about, or what is to be forgotten."""
        if self._view is None:
            return Marked()
        rows, (objects, names, targets) = self._networks.tagged(self._view)
        return Marked(
            facts=self._judged(_spans(objects, self._looks), rows, self._view),
            names=self._tagged(names),
            targets=self._tagged(targets),
        )

    def _tagged(self, tags: FloatArray) -> tuple[Tagged, ...]:
        return tuple(
            Tagged(span=self._span(start, end), sureness=sureness)
            for start, end, sureness in _spans(tags, self._looks)
        )

    def _judged(
        self, spans: Sequence[tuple[int, int, float]], rows: FloatArray, view: Encoding
    ) -> tuple[Found, ...]:
        if not spans:
            return ()
        places = [(start, end) for start, end, _ in spans]
        cues = np.array(
            [self._cues_at(self._span(start, end)) for start, end in places], np.float32
        )
        judged = self._networks.judged(rows, self._networks.summary(view), places, cues)
        return tuple(
            self._found(span, *(each[number] for each in judged))
            for number, span in enumerate(spans)
        )

    def _found(
        self,
        span: tuple[int, int, float],
        predicates: FloatArray,
        subjects: FloatArray,
        polarities: FloatArray,
        modalities: FloatArray,
    ) -> Found:
        start, end, sureness = span
        predicate, subject = int(predicates.argmax()), int(subjects.argmax())
        kinds = self._modalities
        return Found(
            span=self._span(start, end),
            predicate=self._learned.predicates[predicate],
            subject=self._learned.subjects[subject],
            polarity="-" if polarities[1] > 0.5 else "+",
            modality=kinds[int(modalities.argmax())],
            sureness=sureness * float(predicates[predicate]),
            held=sum(float(modalities[n]) for n, kind in enumerate(kinds) if kind.is_held),
            subject_sureness=float(subjects[subject]),
        )

    def _cues_at(self, span: Span) -> tuple[float, ...]:
        """The cues of the sentence that the span begins in."""
        for sentence, cues in self._sentences:
            if sentence.start <= span.start < sentence.end:
                return cues
        return self._cues

    def _span(self, start: int, end: int) -> Span:
        return Span(start=self._tokens.starts[start], end=self._tokens.ends[end - 1])


_NOTHING: Mapping[Intent, float] = {intent: float(intent is Intent.NONE) for intent in Intent}
"""Of a text without tokens."""


def relations_by_network(
    learned: Learned, old: str, new: str, cosine: float | None
) -> Mapping[Relation, float]:
    """How likely each relation of the new statement to the old one is."""
    tokens = tokenise(new)
    before = tokenise(old, longest=EARLIER_TOKENS)
    if not len(tokens) or not len(before):
        return {relation: float(relation is Relation.UNRELATED) for relation in Relation}
    features = features_of(tokens, learned.words, [(EARLIER_USER, before)])
    cues = np.array(cues_in(form_of(new)) + cues_in(form_of(old)), np.float32)
    networks = learned.relaters
    row = networks.relations(networks.summary(networks.encode(features)), cosine, cues)
    return _named(learned.relations, row, Relation)


def _named(names: Sequence[str], row: FloatArray, kind: type[_Kind]) -> Mapping[_Kind, float]:
    return dict(zip(map(kind, names), row.tolist(), strict=True))


def _range(tokens: Tokens, span: Span) -> tuple[int, int]:
    """The first of the tokens at the span and the one behind its last; equal where there are none."""
    return bisect_right(tokens.ends, span.start), bisect_left(tokens.starts, span.end)


def _spans(tags: FloatArray, looks: Sequence[int]) -> list[tuple[int, int, float]]:
    """Runs of begin and inner tokens with the mean certainty that they are not outside.

    A run that begins or ends inside a Chinese word takes in the whole word, as far as the networks
    do not rule it out: words are guessed, and a name may end where one seems to begin.
    """
    found: list[tuple[int, int, float]] = []
    place = 0
    count = len(tags)
    best = tags.argmax(1).tolist()
    while place < count:
        if best[place] == 0:
            place += 1
            continue
        start, end = place, place + 1
        while end < count and best[end] == _INNER:
            end += 1
        outside = float(np.add.reduce(tags[start:end, 0])) / (end - start)
        least = found[-1][1] if found else 0
        while start > least and looks[start] in WORD_GOES_ON and tags[start - 1, 0] < OUTSIDE:
            start -= 1
        while end < count and looks[end] in WORD_GOES_ON and tags[end, 0] < OUTSIDE:
            end += 1
        found.append((start, end, 1.0 - outside))
        place = end
    return found
