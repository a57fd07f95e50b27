"""What is put before the decisions: a new statement, and what is stored that it may bear on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from perdure.domain.readings import Claim, Intent, Modality, Sentence, Span, Verdict
from perdure.domain.records import Memory
from perdure.domain.text import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When what is said happened, and for how long it holds; aware UTC, as in `Memory`."""

    occurred_at: datetime
    occurred_until: datetime | None
    valid_from: datetime
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A part of a message, read, by somebody whose word counts.

    `content` is kept word for word; `claims` have their subjects under one name each. `speaker`
    tells the people of one conversation apart (None: the one whose scope it is). `sureness` is
    that of the sentence's intent.
    """

    content: str
    sentence: Sentence
    said_at: datetime
    speaker: str | None = None
    claims: tuple[Claim, ...] = ()
    sureness: float = 0.5

    @property
    def is_temporary(self) -> bool:
        """Whether it says of itself that it is so for a while only."""
        return self.sentence.modality is Modality.TEMPORARY

    def for_good(self) -> Statement:
        """The statement as one that does not end by itself."""
        return replace(
            self,
            sentence=replace(self.sentence, modality=Modality.ASSERTED),
            claims=tuple(
                replace(claim, modality=Modality.ASSERTED)
                if claim.modality is Modality.TEMPORARY
                else claim
                for claim in self.claims
            ),
        )

    @property
    def times(self) -> Times:
        """When it happened and since when it holds, as far as its words tell.

        What has a time of its own happened then; it holds from then on, or from now on if that
        lies ahead. Only what is temporary ends by itself.
        """
        return times_of(self.sentence, self.said_at, is_temporary=self.is_temporary)


def times_of(sentence: Sentence, said_at: datetime, *, is_temporary: bool) -> Times:
    """As `Statement.times`."""
    when = sentence.when
    if when is None:
        return Times(occurred_at=said_at, occurred_until=None, valid_from=said_at)
    ends = when.end
    has_end = is_temporary and ends is not None and ends > said_at
    return Times(
        occurred_at=when.start,
        occurred_until=None if ends is None else max(when.start, ends - _INSTANT),
        valid_from=min(when.start, said_at),
        valid_to=ends if has_end else None,
    )


_INSTANT = timedelta(microseconds=1)
"""Intervals of words are half open; `occurred_until` is the last moment that belongs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A stored statement with the current facts drawn from it, judged against a new one.

    `verdict` says what the later of the two does to the earlier one; `is_later` that the stored
    one is the later. `fact_verdicts` judge single facts, by id, where there are several.
    `cosine` is how near in meaning the two are, where that is known.
    """

    memory: Memory
    verdict: Verdict
    facts: tuple[Memory, ...] = ()
    is_later: bool = False
    fact_verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    cosine: float | None = None


def is_same_name(one: str, other: str) -> bool:
    """Whether two names of people, things or values differ in form only."""
    return name_form(one) == name_form(other)


_ARTICLES = ("the ", "a ", "an ", "my ", "our ")
_EDGES = " .,;:!?'\"“”‘’。，；：！？、()（）"


def name_form(name: str) -> str:
    """A name without case, width, articles and punctuation around it."""
    folded = fold(name).strip(_EDGES)
    for article in _ARTICLES:
        folded = folded.removeprefix(article)
    return " ".join(folded.split())


def is_same_value(one: str, other: str) -> bool:
    """Whether two objects are the same but for form, or one is most of the other."""
    first, second = sorted((name_form(one), name_form(other)), key=len)
    if not first:
        return first == second
    if any(char.isdigit() for char in first + second):
        return first == second
    return first in second and len(first) * 2 >= len(second)


MOST_OF_AN_ANNOUNCEMENT = 48
"""Characters that an announcement has at most; longer sentences say something themselves."""


def is_announcement(sentence: Sentence) -> bool:
    """Whether a sentence only says that something changed, and the next one says to what.

    "I've switched gyms." "New job!" Kept apart, the new value would lose what it is a value of.
    """
    return (
        sentence.is_worth_keeping
        and sentence.modality.is_held
        and sentence.intent is Intent.UPDATE
        and sentence.shows_change
        and not sentence.claims
        and len(sentence.text) <= MOST_OF_AN_ANNOUNCEMENT
    )


MOST_PARTS = 64
"""Parts of one message that are judged one by one; what follows is kept as one, and holds nothing.
A message of thousands of sentences is a document, not something somebody says of themselves."""


def in_parts(text: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences, an announcement together with the statement after it."""
    if len(sentences) > MOST_PARTS:
        rest = _joined(text, sentences[MOST_PARTS - 1], sentences[-1])
        rest = replace(rest, intent=Intent.NONE, is_worth_keeping=False, claims=())
        sentences = [*sentences[: MOST_PARTS - 1], rest]
    parts: list[Sentence] = []
    for sentence in sentences:
        says_more = sentence.is_worth_keeping and sentence.modality.is_held
        if parts and says_more and is_announcement(parts[-1]) and not _is_request(sentence):
            parts[-1] = _joined(text, parts[-1], sentence)
        else:
            parts.append(sentence)
    return parts


def _is_request(sentence: Sentence) -> bool:
    return sentence.intent in (Intent.DELETE, Intent.CONSOLIDATE)


def _joined(text: str, one: Sentence, other: Sentence) -> Sentence:
    span = Span(start=one.span.start, end=other.span.end)
    return replace(
        other,
        span=span,
        text=span.of(text),
        intent=Intent.UPDATE,
        shows_change=one.shows_change or other.shows_change,
        when=other.when or one.when,
    )
