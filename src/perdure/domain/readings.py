"""What a message was understood to say: proposals with their evidence, not yet decisions.

Whatever reads a message (the offline understanding, a language model) answers with these values;
`domain.decisions` decides what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

Polarity = Literal["+", "-"]

USER = "user"
"""The subject that stands for the person whose scope it is."""


class Intent(StrEnum):
    """What a message asks of the memory."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    CONSOLIDATE = "consolidate"
    NONE = "none"


class Modality(StrEnum):
    """How a statement is meant. Only the first two say something that holds."""

    ASSERTED = "asserted"
    TEMPORARY = "temporary"
    HYPOTHETICAL = "hypothetical"
    QUESTION = "question"
    QUOTED = "quoted"

    @property
    def is_held(self) -> bool:
        """Whether the speaker says that it is so, if only for now."""
        return self in (Modality.ASSERTED, Modality.TEMPORARY)


class Relation(StrEnum):
    """What a new statement does to an old one.

    `supersedes`: it takes its place (a new value, a changed mind, "no longer", a corrected
    detail). `adds`: both hold, about the same thing. `restates`: it says the same.
    `contradicts`: both cannot hold and nothing tells which does. `excepts`: it holds for a while
    and leaves the usual as it is. `precedes`: older news about what the old one tells the present
    of. `retracts`: it asks for the old one to be lost. `unrelated`: it leaves it alone.
    """

    SUPERSEDES = "supersedes"
    ADDS = "adds"
    RESTATES = "restates"
    CONTRADICTS = "contradicts"
    EXCEPTS = "excepts"
    PRECEDES = "precedes"
    RETRACTS = "retracts"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters of a message, from `start` up to, not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words at the span."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A time the words name: half open, aware; a missing end is open; `words` as they stand."""

    start: datetime
    end: datetime | None
    precision: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One fact a sentence states, asks or supposes.

    `span` is where the object's words stand in the message. `statement` says it in words of its
    own, in the speaker's language, naming only the new value. `replaces` is the old value when
    the message names it ("X, not Y"). `confidence` lies in [0, 1]; `leaned_on` names the rules
    or the model it comes from.
    """

    subject: str
    predicate: str
    object: str
    span: Span
    statement: str
    polarity: Polarity = "+"
    modality: Modality = Modality.ASSERTED
    is_single_valued: bool = False
    when: When | None = None
    replaces: str | None = None
    confidence: float = 1.0
    leaned_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A part of a message that can be kept, outdated or withdrawn on its own.

    `is_worth_keeping`: it says something beyond courtesy, a question or a task. `shows_change`:
    words of a closed class tell that something changed, ended or was wrong. `is_retold`: others
    tell that it was said before.
    """

    span: Span
    text: str
    intent: Intent
    modality: Modality = Modality.ASSERTED
    is_worth_keeping: bool = True
    shows_change: bool = False
    is_retold: bool = False
    when: When | None = None
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a request to change or lose something is about.

    `text` are the words that name it ("what I said about the cottage": "the cottage"); empty
    when the request points back ("scratch that"), then the newest statement is meant.
    `is_everything`: all that is known of the subject, not one statement. `predicates` are those
    whose facts about the speaker the words name by kind ("my address": where they live).
    """

    text: str
    span: Span | None = None
    is_everything: bool = False
    predicates: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one message was understood to say.

    `intent` with its `confidence` and the `evidence` that shows it; `answers` tells whether the
    message says yes (True) or no (False) to what the assistant asked or guessed just before it,
    None when it does neither. `leaned_on` names rules and models.
    """

    language: str
    intent: Intent
    confidence: float = 1.0
    evidence: Span | None = None
    sentences: tuple[Sentence, ...] = ()
    targets: tuple[Target, ...] = ()
    answers: bool | None = None
    leaned_on: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of all sentences, in order."""
        return tuple(claim for sentence in self.sentences for claim in sentence.claims)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a new statement relates to an old one: the likeliest relation and all probabilities."""

    relation: Relation
    probability: float
    probabilities: Mapping[Relation, float] = field(default_factory=dict)
    leaned_on: tuple[str, ...] = ()
