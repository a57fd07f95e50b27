"""Putting memories in, and changing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from perdure.client.base import Bound, Target, call, id_of, ids_of
from perdure.domain.predicates import Cardinality, Predicates, checked_cardinalities
from perdure.domain.records import Attachment, Json, Kind, Memory, Source
from perdure.domain.results import (
    Feedback,
    Observed,
    Recalled,
    Remembered,
)
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.domain.times import as_utc
from perdure.engine import asking, drafts, editing, remember
from perdure.engine.drafts import Moment
from perdure.engine.editing import KEEP, Keep
from perdure.errors import InvalidInput

_REMEMBER_KEYS = frozenset(
    "content kind scope importance occurred_at occurred_until valid_from valid_to expires_at "
    "metadata key idempotency_key pinned held attachments source understand".split()
)


class Writing(Bound):
    """Putting memories in, and changing them."""

    @call
    async def remember(
        self,
        content: str | None = None,
        *,
        kind: Kind | str | None = None,
        scope: Scope | None = None,
        importance: float = 0.5,
        occurred_at: Moment | None = None,
        occurred_until: Moment | None = None,
        valid_from: Moment | None = None,
        valid_to: Moment | None = None,
        expires_at: Moment | timedelta | None = None,
        metadata: Mapping[str, Json] | None = None,
        key: str | None = None,
        idempotency_key: str | None = None,
        pinned: bool = False,
        held: bool = False,
        attachments: Sequence[Attachment | Mapping[str, Any]] = (),
        source: Source | Mapping[str, Any] | None = None,
        actor: str | None = None,
        understand: bool = True,
    ) -> Remembered:
        """Store one memory, its words kept as they are. Durable when this returns.

        `kind` is `short_term`, `long_term` (default), `episodic` or `semantic`. `key` names a
        slot: one value at a time, ordered by `valid_from`, so a newer value supersedes and older
        news fills the past. `expires_at` may be a timedelta. `idempotency_key`: the same request
        again gives the same answer and stores nothing; another request with it is a `Conflict`.
        The same statement again is `already_known` (see `domain.duplicates.restates`).
        With `understand` a statement is read as in `observe`: where it states one fact the memory
        is that fact, and what it changes is superseded. Events, documents and slots are not read.
        `pinned` keeps it from fading; `held` is a legal hold: nothing takes it away, nor its words.
        """
        now = self._core.now()
        draft = drafts.draft(
            self._core.settings, memory_id=self._core.new_id(now), scope=self._within(scope),
            now=now, content=content, kind=kind, importance=importance, occurred_at=occurred_at,
            occurred_until=occurred_until, valid_from=valid_from, valid_to=valid_to,
            expires_at=expires_at, metadata=metadata, key=key, idempotency_key=idempotency_key,
            pinned=pinned, held=held, attachments=attachments, source=source,
            understand=understand,
        )  # fmt: skip
        return (await remember.remember(self._core, [draft], now=now, actor=actor))[0]

    @call
    async def remember_many(
        self, items: Iterable[Mapping[str, Any]], *, actor: str | None = None
    ) -> list[Remembered]:
        """Store all items or none, in one transaction; answers in the order of the items.

        Each item holds keyword arguments of `remember`. `InvalidInput` names the item at fault.
        """
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise InvalidInput(
                f"items must be a list of mappings with content and so on, not {shown(items)}"
            )
        now = self._core.now()
        made = [self._draft_of(position, item, now) for position, item in enumerate(items)]
        return await remember.remember(self._core, made, now=now, actor=actor) if made else []

    def _draft_of(self, position: int, item: Mapping[str, Any], now: Any) -> drafts.Draft:
        if not isinstance(item, Mapping):
            raise InvalidInput(f"item {position} must be a mapping, not {type(item).__name__}")
        unknown = set(item) - _REMEMBER_KEYS
        if unknown:
            raise InvalidInput(
                f"item {position}: remember knows no {', '.join(sorted(map(repr, unknown)))}"
            )
        values = {key: value for key, value in item.items() if key != "scope"}
        try:
            return drafts.draft(
                self._core.settings,
                memory_id=self._core.new_id(now),
                scope=self._within(item.get("scope")),
                now=now,
                **values,
            )
        except InvalidInput as error:
            raise InvalidInput(f"item {position}: {error}") from error

    @call
    async def observe(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """Take conversation in: keep the words, draw facts, and let changes take effect.

        Each message has `role` and `content`, and may have `time` (ISO 8601 or a datetime; its
        offset is the speaker's zone), `name` (who wrote it) and `id`. The words are kept as
        episodes; what a person says becomes facts, supersedes, withdraws or contradicts what was
        said before. The words of assistants, systems and tools are kept and believed by nobody.
        One message is one transaction, in order. The same message (its id, or its words and time)
        again changes nothing, also when it was forgotten meanwhile. `predicates` adds kinds of
        facts, "single" or "many". `Conflict` when an id comes again with other words. With a
        language model people's messages are read by it; while it is out of reach their words are
        kept, the decision is marked `deferred`, and a later call reads them (`catch_up`).
        """
        from perdure.engine import observe, observe_turns

        core, target = self._core, self._within(scope)
        now = core.now()
        turns = observe_turns.turns_of(messages, target, core.settings, now)
        return await observe.observe(
            core, target, turns, predicates=self._predicates(predicates), now=now, actor=actor
        )

    @call
    async def decide(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """What `observe` would decide and store. Nothing is written."""
        from perdure.engine import observe, observe_turns

        core, target = self._core, self._within(scope)
        now = core.now()
        turns = observe_turns.turns_of(messages, target, core.settings, now)
        return await observe.decide(
            core, target, turns, predicates=self._predicates(predicates), now=now
        )

    def _predicates(self, more: Mapping[str, Cardinality] | None) -> Predicates:
        return self._core.settings.registry.extended(checked_cardinalities(more, "predicates"))

    @call
    async def update(
        self,
        memory_id: Target,
        *,
        content: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        held: bool | None = None,
        expires_at: Moment | timedelta | Keep | None = KEEP,
        expected_version: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Memory:
        """A new version of one record, for mistakes in the record itself; see `correct`.

        `metadata` merges: given keys are set, keys given as None are removed. `expires_at=None`
        takes an expiry away, `held=False` a legal hold. A stale `expected_version` raises `Conflict`. Changing nothing
        writes nothing.
        """
        return await editing.update(
            self._core, self._within(scope), id_of(memory_id), now=self._core.now(), actor=actor,
            expected_version=expected_version, content=content, metadata=metadata,
            importance=importance, pinned=pinned, held=held, expires_at=expires_at,
        )  # fmt: skip

    @call
    async def correct(
        self,
        target: Target,
        content: str | None = None,
        *,
        valid_from: Moment | None = None,
        retroactive: bool = False,
        importance: float | None = None,
        metadata: Mapping[str, Json] | None = None,
        source: Source | Mapping[str, Any] | None = None,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Remembered:
        """Let new words take the place of a memory, named by id or found by a query.

        The old one stays readable, points to its successor and answers for the time before
        `valid_from` (None: now). `retroactive=True` says that it was never true. Raises
        `NotFound` without a match, and `Conflict` when something else succeeded it already.
        """
        from perdure.engine import correct

        core = self._core
        correction = correct.Correction(
            content=drafts.text_of(content, core.settings),
            valid_from=None if valid_from is None else as_utc(valid_from, name="valid_from"),
            retroactive=drafts.flag(retroactive, "retroactive"),
            importance=importance,
            metadata=metadata,
            source=None if source is None else drafts.source_of(source),
            reason=drafts.note_of(reason, "reason"),
        )
        return await correct.correct(
            core, self._within(scope), id_of(target), correction, now=core.now(), actor=actor
        )

    @call
    async def feedback(
        self,
        ids: Target | Iterable[Target],
        *,
        used: bool = True,
        helpful: bool | None = None,
        wrong: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Say that recalled memories were used, whether they helped, or that they were wrong.

        Importance moves within bounds and a use strengthens; not helping weakens, and `wrong`, which
        is no use, weakens more and lowers the confidence. `stats` reports the share of recalls that
        were used.
        """
        return await editing.feedback(
            self._core, self._within(scope), ids_of(ids), used=used, helpful=helpful,
            wrong=wrong, now=self._core.now(), actor=actor,
        )  # fmt: skip

    @call
    async def feedback_from(
        self,
        answer: str,
        recalled: Recalled,
        *,
        question: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Feedback:
        """Tell from an agent's answer which of the recalled memories it used, and note that.

        `recalled` is what `recall` or `recall_context` gave, or hits, memories or ids; `question`
        is what was asked, and known of a `recall`. A memory counts as used when the answer names its
        label in the recalled text, or carries what is specific to it and to no other recalled one:
        its numbers, names and rare words (`domain.use_detection`). Answers in other words are
        missed. Nothing is noted of those that were not used.
        """
        from perdure.engine import use_feedback  # programs without a model have no use for it

        view = asking.view_of(self._within(scope), self._core.now())
        return await use_feedback.feedback_from(
            self._core, view, answer, recalled, question=question, actor=actor
        )
