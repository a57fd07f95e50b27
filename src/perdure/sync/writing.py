"""Putting memories in, and changing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from perdure.client import Target
from perdure.domain.predicates import Cardinality
from perdure.domain.records import Attachment, Json, Kind, Memory, Source
from perdure.domain.results import (
    Feedback,
    Observed,
    Recalled,
    Remembered,
)
from perdure.domain.scope import Scope
from perdure.engine.drafts import Moment
from perdure.engine.editing import KEEP, Keep
from perdure.sync.base import Blocking


class Writing(Blocking):
    """Putting memories in, and changing them."""

    def remember(
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
        """Blocking form of `AsyncMemoryManager.remember`."""
        return self._portal.call(
            lambda: self._core.remember(
                content,
                kind=kind,
                scope=scope,
                importance=importance,
                occurred_at=occurred_at,
                occurred_until=occurred_until,
                valid_from=valid_from,
                valid_to=valid_to,
                expires_at=expires_at,
                metadata=metadata,
                key=key,
                idempotency_key=idempotency_key,
                pinned=pinned,
                held=held,
                attachments=attachments,
                source=source,
                actor=actor,
                understand=understand,
            )
        )

    def remember_many(
        self, items: Iterable[Mapping[str, Any]], *, actor: str | None = None
    ) -> list[Remembered]:
        """Blocking form of `AsyncMemoryManager.remember_many`."""
        return self._portal.call(lambda: self._core.remember_many(items, actor=actor))

    def observe(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """Blocking form of `AsyncMemoryManager.observe`."""
        return self._portal.call(
            lambda: self._core.observe(messages, predicates=predicates, actor=actor, scope=scope)
        )

    def decide(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        predicates: Mapping[str, Cardinality] | None = None,
        scope: Scope | None = None,
    ) -> Observed:
        """Blocking form of `AsyncMemoryManager.decide`."""
        return self._portal.call(
            lambda: self._core.decide(messages, predicates=predicates, scope=scope)
        )

    def update(
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
        """Blocking form of `AsyncMemoryManager.update`."""
        return self._portal.call(
            lambda: self._core.update(
                memory_id,
                content=content,
                metadata=metadata,
                importance=importance,
                pinned=pinned,
                held=held,
                expires_at=expires_at,
                expected_version=expected_version,
                actor=actor,
                scope=scope,
            )
        )

    def correct(
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
        """Blocking form of `AsyncMemoryManager.correct`."""
        return self._portal.call(
            lambda: self._core.correct(
                target,
                content,
                valid_from=valid_from,
                retroactive=retroactive,
                importance=importance,
                metadata=metadata,
                source=source,
                reason=reason,
                actor=actor,
                scope=scope,
            )
        )

    def feedback(
        self,
        ids: Target | Iterable[Target],
        *,
        used: bool = True,
        helpful: bool | None = None,
        wrong: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncMemoryManager.feedback`."""
        return self._portal.call(
            lambda: self._core.feedback(
                ids, used=used, helpful=helpful, wrong=wrong, actor=actor, scope=scope
            )
        )

    def feedback_from(
        self,
        answer: str,
        recalled: Recalled,
        *,
        question: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Feedback:
        """Blocking form of `AsyncMemoryManager.feedback_from`."""
        return self._portal.call(
            lambda: self._core.feedback_from(
                answer, recalled, question=question, actor=actor, scope=scope
            )
        )
