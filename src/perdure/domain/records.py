"""What is stored: one frozen record for episodes and facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NoReturn

from perdure.domain.scope import Scope
from perdure.domain.text import holds_han
from perdure.domain.times import day_in_words

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict with text keys."""


class Metadata(dict[str, Json]):
    """A dictionary that cannot be changed in place: a memory is changed by storing a successor.

    Otherwise an ordinary `dict`: it can be written as JSON, copied and pickled.
    """

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the metadata of a memory cannot be changed in place; use update()")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Metadata], tuple[dict[str, Json]]]:
        return (Metadata, (dict(self),))


EMPTY: Mapping[str, Json] = Metadata()


class Kind(StrEnum):
    """Which tier a memory belongs to, and for how long it is meant."""

    SHORT_TERM = "short_term"
    LONG_TERM = "long_term"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


class State(StrEnum):
    """Where a memory is in its life."""

    ACTIVE = "active"
    COMPRESSED = "compressed"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the words came from."""

    role: str | None = None
    speaker: str | None = None
    message_ids: tuple[str, ...] = ()


NO_SOURCE = Source()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Something that is not text: kept elsewhere, found through its caption."""

    media_type: str
    digest: str
    location: str
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """Spaced-repetition state; see `domain.strength` for the formulas."""

    ease: float = 2.5
    interval_days: float = 1.0
    repetitions: int = 0
    due_at: datetime | None = None


NEW_STRENGTH = Strength()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory as it stands at one version. Changing it means storing a successor.

    Times are aware UTC. `valid_from`/`valid_to` say when it holds in the world (half open;
    None: no end known); `recorded_at`/`retired_at` say when we learnt it and when we stopped
    believing it. `importance` and `confidence` lie in [0, 1]; a confidence of 0 says that nobody
    vouches for the words (a question, small talk, what an assistant said). `subject`,
    `predicate`, `object` and `polarity` are set for facts only. `key` is the slot, if any.
    `provenance` are the memories it was drawn from, `supports` the facts and summaries drawn from it,
    and `contradicts` those that cannot hold beside it while nothing tells which does.
    `archive` is where in the archive the whole record lies ("batch#row"). A compressed or archived
    memory needs it; one that was brought back keeps it, so that an erasure finds every copy.
    `pinned` keeps it from fading; `held` also from being forgotten by upkeep or erased (a legal
    hold).
    """

    id: str
    content: str
    scope: Scope
    occurred_at: datetime
    recorded_at: datetime
    valid_from: datetime
    kind: Kind = Kind.LONG_TERM
    state: State = State.ACTIVE
    version: int = 1
    importance: float = 0.5
    confidence: float = 1.0
    occurred_until: datetime | None = None
    valid_to: datetime | None = None
    retired_at: datetime | None = None
    expires_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=lambda: EMPTY)
    pinned: bool = False
    key: str | None = None
    source: Source = NO_SOURCE
    accessed_count: int = 0
    used_count: int = 0
    last_accessed_at: datetime | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    polarity: Literal["+", "-"] | None = None
    causes: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    strength: Strength = NEW_STRENGTH
    supports: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    archive: str | None = None
    held: bool = False

    def __hash__(self) -> int:
        return hash((self.id, self.version))

    @property
    def searchable_text(self) -> str:
        """The words a search sees: the content and the captions of its attachments."""
        if not self.attachments:
            return self.content
        captions = [item.caption for item in self.attachments if item.caption]
        return "\n".join([self.content, *captions])

    @property
    def is_stub(self) -> bool:
        """Whether its words lie in the archive and nothing here is left to search."""
        return self.state is State.ARCHIVED and not self.content

    @property
    def is_spoken(self) -> bool:
        """Whether somebody said it in a conversation, so that its neighbours belong to it."""
        return self.source.role is not None or self.source.speaker is not None

    @property
    def indexed_text(self) -> str:
        """The words a question's words are compared with.

        The searchable text, who said it, and the day it happened where that was told or spoken:
        people ask "what did Ann say in May?" of sentences that name neither. A stub has none.
        """
        if self.is_stub:
            return ""
        text, speaker = self.searchable_text, self.source.speaker
        if speaker:
            text = f"{text}\n{speaker}"
        if self.is_spoken or self.occurred_at != self.recorded_at:
            text = f"{text}\n{day_in_words(self.occurred_at, chinese=holds_han(self.content))}"
        return text
