"""What calls give back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import overload

from perdure.domain.changes import Operation
from perdure.domain.decision_kinds import DecisionKind
from perdure.domain.ranking import Explanation
from perdure.domain.records import Memory
from perdure.domain.usage import NO_USAGE, Usage
from perdure.domain.utility import TARGET, UtilityPeriod
from perdure.domain.visibility import Status


class Outcome(StrEnum):
    """What became of something to be remembered; never an empty success."""

    STORED = "stored"
    ALREADY_KNOWN = "already_known"
    SUPERSEDED = "superseded"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The answer to `remember` and `correct`.

    `already_known`: an equal memory exists and is returned; nothing was written. `superseded`:
    stored, and it took the place of the memories listed. `deferred`: stored durably, but the
    embedder was out of reach, so it is found by its words only until the vector is made up for.
    `repeated`: the answer is that of an earlier request with the same idempotency key, and
    `memory` is how it stands now, forgotten ones included.
    """

    outcome: Outcome
    memory: Memory
    superseded: tuple[str, ...] = ()
    repeated: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of one thing a message said or asked.

    `operation`: `create` (something new is held), `update` (a new value takes the place of an old
    one, or an old one ended), `delete` (lost on request), `consolidate` (tidying was asked for),
    `none` (the words are kept, and nothing new is held). `evidence` are the words that show it.
    `memories` are those it made, strengthened or, for `none`, kept; `superseded` the ids of those
    whose place was taken, or that were forgotten. `message` is the position of the message.
    `leaned_on` names the rules and models that proposed it. `deferred`:
    nothing is decided yet; the words are kept, and the language model, which is out of reach or
    gave no readable answer, will be asked again.
    """

    operation: DecisionKind
    reason: str
    evidence: str = ""
    memories: tuple[Memory, ...] = ()
    superseded: tuple[str, ...] = ()
    message: int = 0
    leaned_on: tuple[str, ...] = ()
    deferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The answer to `observe` and `decide`: every decision, in the order of the messages.

    `memories` are all that were stored, the words of the messages included. After `decide` they
    are what would have been.
    """

    decisions: tuple[Decision, ...] = ()
    memories: tuple[Memory, ...] = ()

    @property
    def is_deferred(self) -> bool:
        """Whether the reading of a message waits for the language model."""
        return any(decision.deferred for decision in self.decisions)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtUp:
    """What `catch_up` did with messages whose reading had been deferred.

    `read` were read and decided upon, `given_up` after the last try by the rules alone, and
    `waiting` are left for another time.
    """

    read: int = 0
    given_up: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory recalled, with its score in [0, 1] and why.

    `status` tells whether it holds today: `current`, `former`, or `contested`.
    """

    memory: Memory
    score: float
    status: Status
    explanation: Explanation


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Sequence[Hit]):
    """Hits, best first. `abstained` is true when nothing relevant was found.

    `query` is the question's text, and `query_time` when it was asked; `notes` says what limited the answer (a query
    that was shortened, an embedder out of reach); `considered` how many memories it could see.
    `likelihood` is the probability that any of these answers the question, None where nobody knows it
    of the embedder (`Explanation.certainty`).
    """

    hits: tuple[Hit, ...]
    abstained: bool
    query_time: datetime
    query: str | None = None
    considered: int = 0
    notes: tuple[str, ...] = ()
    likelihood: float | None = None

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Which memory a label in a context block stands for."""

    label: str
    memory_id: str
    score: float


class RecalledText(str):
    """Text for a prompt; empty when nothing is relevant.

    A plain `str` with two extras: `citations` in the order of the text, and `tokens`, its length
    by the manager's token counter.
    """

    citations: tuple[Citation, ...]
    tokens: int

    def __new__(
        cls, text: str = "", *, citations: tuple[Citation, ...] = (), tokens: int = 0
    ) -> RecalledText:
        made = super().__new__(cls, text)
        made.citations = citations
        made.tokens = tokens
        return made


Recalled = Recall | RecalledText | Iterable[Hit | Memory | str]
"""What an answer was made from: what `recall` or `recall_context` gave, hits, memories or ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Part of a listing. `next_cursor` None means that this was the last."""

    items: tuple[Memory, ...]
    next_cursor: str | None

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """One step in a memory's life; `memory` is how it stood after it.

    With `contents_removed` nothing but the step itself is known any more: the memory's words were
    archived, compressed or erased later. `memory` then has its id, scope and version and no
    content, and there is no reason.
    """

    at: datetime
    actor: str
    operation: Operation
    memory: Memory
    reason: str | None
    contents_removed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAway:
    """Which memories were archived or compressed by this call.

    Left out are those that already were, that are held, and, when compressing, those too short to
    gain anything by it.
    """

    ids: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """Which memories were brought back from the archive by this call."""

    ids: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Which memories were forgotten by this call; those forgotten before are not listed."""

    ids: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many."""
        return len(self.ids)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Numbers of a scope.

    `memories` counts by state; `utility_ratio` is used ÷ recalled (None before the first recall);
    `without_vector` waits for the embedder; `bytes` is the whole store's size. `deferred` are the
    messages whose reading waits for the language model, `deferral_failed` those it never read, and
    `language_model_usage` what asking it came to since the manager was opened. `utility_by_day`
    and `utility_by_week` are the last 14 days and 12 weeks (ending today, UTC), to be held against
    `utility_target`; `maintenance` is what upkeep is doing in this process.
    """

    memories: Mapping[str, int]
    recalled: int
    used: int
    utility_ratio: float | None
    without_vector: int
    bytes: int
    embedding_model: str | None
    language_model: str | None = None
    deferred: int = 0
    deferral_failed: int = 0
    language_model_usage: Usage = NO_USAGE
    utility_target: float = TARGET
    utility_by_day: tuple[UtilityPeriod, ...] = ()
    utility_by_week: tuple[UtilityPeriod, ...] = ()
    maintenance: MaintenanceStatus = field(default_factory=lambda: MaintenanceStatus())


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Which of the recalled memories an answer used, as they stand now, and the ids of the rest."""

    used: tuple[Memory, ...] = ()
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceStatus:
    """What `maintain` is doing, and what it did last, in this process.

    `every` is how often it runs by itself (None: it does not) and `next_at` when next.
    `actions_taken` counts those of the run under way, or of the last one; `last_counts` has the
    last complete run's by kind. `last_error` is that of the last run if it failed.
    """

    is_running: bool = False
    every: timedelta | None = None
    next_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    runs: int = 0
    failures: int = 0
    actions_taken: int = 0
    last_counts: Mapping[str, int] = field(default_factory=dict)
    last_bytes_saved: int = 0
    last_error: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export wrote."""

    memories: int
    tombstones: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did with each memory of the file.

    `withheld` were forgotten or erased here and stay so; `without_vector` waits for the embedder.
    """

    added: int = 0
    skipped: int = 0
    replaced: int = 0
    withheld: int = 0
    without_vector: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """How many memories got a vector by `model`, and how many could not be embedded yet."""

    model: str
    embedded: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something `verify` found wrong."""

    place: str
    problem: str
    memory_id: str | None
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found. `ok` when nothing is wrong that was not repaired."""

    problems: tuple[Problem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether everything is in order now."""
        return all(problem.repaired for problem in self.problems)
