"""Every setting, with its default, unit and range, checked when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any, Literal

from perdure.domain.predicates import Cardinality, Predicates, checked_cardinalities
from perdure.domain.ranking import PRESETS, Preset
from perdure.domain.retention import Retention
from perdure.domain.strength import Decay
from perdure.domain.text import shown
from perdure.errors import Misconfigured


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a manager behaves. Frozen; pass a changed copy to `perdure.open`.

    Memory:
        short_term_size: short-term memories kept per session before the oldest is promoted to an
            episode (1 or more).
        long_term: keep memories beyond the short-term buffer. Off, what leaves the buffer is
            forgotten and a deliberate long-term write is refused.
        max_content_chars: longest content, in characters.
        max_metadata_bytes: largest metadata of one memory, as JSON in UTF-8.

    Recall:
        retrieval_limit: hits when a call names no limit.
        relevance_threshold: smallest score of a hit when a call names no `min_score`, 0..1.
        answer_threshold: least probability that anything stored answers (`Recall.likelihood`), 0..1;
            below it a call that names no `min_score` abstains. 0.75 tells best what is answered
            from what is not, and silences one in seven of the former.
        ranking: a preset's name (`balanced`, `seed_weighted`, `agent_io`) or a `Preset`.
        half_life_days: replaces the preset's half-life of recency.
        max_query_chars: a longer query is shortened to this, with a note on the result.
        context_tokens: budget of `recall_context` when a call names none.

    Retention:
        quota: hot memories (all but archived and forgotten ones) that one agent may have of one
            user; `maintain` and `evict` make the weakest leave (1 or more).
        compress_after: how long a long memory rests, neither recalled nor due for a review, before
            a summary takes its place; None: never.
        archive_after: the same before a memory goes to the archive.
        importance_floor: memories at least so important are neither compressed nor archived for
            lack of use (0..1; above 1 nothing is).
        decay: how memories lose strength: `spaced` (half-lives that importance lengthens and
            reviews stretch) or `daily` (a share of the importance a day).
        decay_daily_rate: the share a day of `daily`, 0..1.
        decay_grace: how long `daily` waits before it begins.
        decay_floor: where `daily` ends, 0..1.
        maintenance_every: how often `maintain` runs in the background while the store is open;
            None: only when it is called.

    Understanding:
        predicates: kinds of facts beyond the built-in ones, each "single" (one value at a time)
            or "many"; also changes a built-in one.
        language_model_timeout_s: seconds after which a language model counts as being out of
            reach, its own retries included.

    Context (`memory.context`):
        context_turns: turns of a session that are held in the process (1 or more); the oldest
            leave as episodes.
        context_sessions: sessions that are held; of more, the longest unused is stored and let go.
        window_tokens: budget of a window when neither the context nor the call names one.
        context_importance: turns of at least this importance survive beyond the sliding window,
            0..1.
        context_summary_share: the part of a window that a summary of what is left out may take,
            0..0.5; 0 turns summaries off.
        context_oversized: what becomes of a turn too long for its place: `shorten` shows its
            beginning and end with a mark between, `refuse` raises.
        token_counter: counts tokens, for `recall_context` too. None estimates by script;
            `openai:MODEL` counts exactly where `tiktoken` is installed and has that model's
            vocabulary on the disk, `file:tokenizer.json` where `tokenizers` is; a function of a
            text is taken as it is.

    Storage (SQLite):
        durability: `full` syncs every acknowledged write to the disk; `normal` may lose the last
            writes when the machine (not the process) dies.
        vector_format: `float32`, or `int8` at a quarter of the size.
        index_bytes: memory for search indexes of the scopes in use.

    Archive:
        archive: where memories go that leave the store: a folder or `file:///folder`,
            `s3://bucket/prefix` (also `gs://`, `az://`), `fsspec+SCHEME://…` for what fsspec opens,
            `memory://`, or `off`. Options of the service stand in the query, or in its usual
            environment variables. None: `<file>.archive` beside a SQLite file, the process for
            `memory://`, nothing for PostgreSQL.

    Working memory:
        working: where tasks under way are kept, so that several processes share them: a URL
            `redis://…` (`rediss://…` for TLS, `redis+cluster://…` for a cluster). None keeps them
            in the process.
        working_bytes: largest tree of one task, as JSON in UTF-8.
        working_depth: deepest nesting of a task's tree, 3 to 64 levels.
        working_steps: most steps of one task.
        working_idle_hours: hours after its last change when a task is gone that names no other end.
        working_timeout_s: seconds after which the server counts as being out of reach, retries
            included.

    Work:
        conflict_retries: how often a decision is taken again when somebody else wrote first.
        embedding_cache: texts whose vectors are kept in memory.
    """

    short_term_size: int = 20
    long_term: bool = True
    max_content_chars: int = 1_000_000
    max_metadata_bytes: int = 65_536
    retrieval_limit: int = 10
    relevance_threshold: float = 0.0
    answer_threshold: float = 0.0
    ranking: str | Preset = "balanced"
    half_life_days: float | None = None
    max_query_chars: int = 4_096
    context_tokens: int = 1_000
    context_turns: int = 1_000
    context_sessions: int = 1_000
    window_tokens: int = 8_000
    context_importance: float = 0.75
    context_summary_share: float = 0.15
    context_oversized: Literal["shorten", "refuse"] = "shorten"
    token_counter: str | Callable[[str], int] | None = None
    quota: int = 50_000
    compress_after: timedelta | None = timedelta(days=30)
    archive_after: timedelta | None = timedelta(days=90)
    importance_floor: float = 0.8
    decay: Literal["spaced", "daily"] = "spaced"
    decay_daily_rate: float = 0.01
    decay_grace: timedelta = timedelta(days=7)
    decay_floor: float = 0.1
    maintenance_every: timedelta | None = None
    predicates: Mapping[str, Cardinality] = field(default_factory=dict)
    language_model_timeout_s: float = 120.0
    durability: Literal["full", "normal"] = "full"
    vector_format: Literal["float32", "int8"] = "float32"
    index_bytes: int = 512 * 1024 * 1024
    archive: str | None = None
    working: str | None = field(default=None, repr=False)
    working_bytes: int = 262_144
    working_depth: int = 32
    working_steps: int = 200
    working_idle_hours: float = 168.0
    working_timeout_s: float = 5.0
    conflict_retries: int = 8
    embedding_cache: int = 4_096

    def __post_init__(self) -> None:
        for name in (
            "short_term_size", "max_content_chars", "max_metadata_bytes", "retrieval_limit",
            "max_query_chars", "context_tokens", "index_bytes", "working_bytes", "working_steps",
            "context_turns", "context_sessions", "window_tokens", "quota",
        ):  # fmt: skip
            _require(name, getattr(self, name), low=1)
        for name in ("conflict_retries", "embedding_cache"):
            _require(name, getattr(self, name), low=0)
        for name in ("language_model_timeout_s", "working_idle_hours", "working_timeout_s"):
            if not getattr(self, name) > 0:
                raise Misconfigured(f"settings.{name} must be above 0")
        _require("working_depth", self.working_depth, low=3, high=64)
        if self.working is not None and not isinstance(self.working, str):
            raise Misconfigured(
                f"settings.working must be a URL or None, not {type(self.working).__name__}"
            )
        _require("relevance_threshold", self.relevance_threshold, low=0.0, high=1.0)
        _require("answer_threshold", self.answer_threshold, low=0.0, high=1.0)
        if self.half_life_days is not None and self.half_life_days <= 0:
            raise Misconfigured("settings.half_life_days must be above 0")
        _require("context_importance", self.context_importance, low=0.0, high=1.0)
        _require("context_summary_share", self.context_summary_share, low=0.0, high=0.5)
        _one_of("context_oversized", self.context_oversized, ("shorten", "refuse"))
        _require_counter(self.token_counter)
        for name in ("decay_daily_rate", "decay_floor"):
            _require(name, getattr(self, name), low=0.0, high=1.0)
        _require("importance_floor", self.importance_floor, low=0.0)
        for name in ("compress_after", "archive_after", "maintenance_every", "decay_grace"):
            _require_time(name, getattr(self, name))
        if self.maintenance_every == timedelta(0):
            raise Misconfigured("settings.maintenance_every must be longer than nothing")
        _one_of("decay", self.decay, ("spaced", "daily"))
        _one_of("durability", self.durability, ("full", "normal"))
        _one_of("vector_format", self.vector_format, ("float32", "int8"))
        if self.archive is not None and (not isinstance(self.archive, str) or not self.archive):
            raise Misconfigured(
                f"settings.archive must be a URL, a folder or 'off', not {shown(self.archive)}"
            )
        if not isinstance(self.long_term, bool):
            raise Misconfigured(
                f"settings.long_term must be true or false, not {type(self.long_term).__name__}"
            )
        object.__setattr__(
            self, "predicates", checked_cardinalities(self.predicates, "settings.predicates")
        )
        if not isinstance(self.ranking, Preset):
            _one_of("ranking", self.ranking, tuple(PRESETS))

    @property
    def preset(self) -> Preset:
        """The ranking weights in force."""
        chosen = self.ranking if isinstance(self.ranking, Preset) else PRESETS[self.ranking]
        if self.half_life_days is None:
            return chosen
        values = {field.name: getattr(chosen, field.name) for field in fields(chosen)}
        return Preset(**{**values, "half_life_days": self.half_life_days})

    @property
    def retention(self) -> Retention:
        """What is kept, and for how long."""
        return Retention(
            quota=self.quota,
            compress_after=self.compress_after,
            archive_after=self.archive_after,
            importance_floor=self.importance_floor,
            decay=Decay(
                model=self.decay,
                daily_rate=self.decay_daily_rate,
                grace=self.decay_grace,
                floor=self.decay_floor,
            ),
        )

    @property
    def registry(self) -> Predicates:
        """The registry of predicates in force."""
        return Predicates(given=self.predicates)

    def as_document(self) -> dict[str, Any]:
        """What of the settings decides answers, as JSON values, for the configuration hash."""
        preset = self.preset
        return {
            "preset": {field.name: getattr(preset, field.name) for field in fields(preset)},
            "relevance_threshold": self.relevance_threshold,
            "answer_threshold": self.answer_threshold,
            "short_term_size": self.short_term_size,
            "long_term": self.long_term,
            "max_query_chars": self.max_query_chars,
            "vector_format": self.vector_format,
            "predicates": self.registry.as_document(),
        }


def _require(name: str, value: float, *, low: float, high: float | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misconfigured(f"settings.{name} must be a number, not {type(value).__name__}")
    if value != value or value < low or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"between {low} and {high}"
        raise Misconfigured(f"settings.{name} must be {bounds}, not {value}")


def _require_counter(counter: object) -> None:
    if counter is not None and not isinstance(counter, str) and not callable(counter):
        raise Misconfigured(
            "settings.token_counter must be a name such as openai:gpt-4o, or a function of a text, "
            f"not {shown(counter)}"
        )


def _require_time(name: str, value: object) -> None:
    if value is None and name != "decay_grace":
        return
    if not isinstance(value, timedelta):
        raise Misconfigured(
            f"settings.{name} must be a timedelta such as timedelta(days=30), "
            f"not {type(value).__name__}"
        )
    if value < timedelta(0):
        raise Misconfigured(f"settings.{name} must not be negative")


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise Misconfigured(
            f"settings.{name} must be one of {', '.join(allowed)}, not {shown(value)}"
        )
