"""Finding memories, and looking at what happened to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from perdure.client import Query, Target
from perdure.domain.changes import JournalEntry
from perdure.domain.records import Kind, Memory
from perdure.domain.results import (
    Page,
    PastChange,
    Recall,
    RecalledText,
    Stats,
)
from perdure.domain.scope import Scope
from perdure.engine.asking import Between
from perdure.engine.drafts import Moment
from perdure.sync.base import Blocking


class Reading(Blocking):
    """Finding memories, and looking at what happened to them."""

    def recall(
        self,
        query: Query | None = None,
        *,
        limit: int | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        min_score: float | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> Recall:
        """Blocking form of `AsyncMemoryManager.recall`."""
        return self._portal.call(
            lambda: self._core.recall(
                query,
                limit=limit,
                kinds=kinds,
                filters=filters,
                between=between,
                as_of=as_of,
                known_as_of=known_as_of,
                min_score=min_score,
                include=include,
                scope=scope,
            )
        )

    def recall_context(
        self,
        query: Query | None = None,
        *,
        max_tokens: int | None = None,
        limit: int | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        min_score: float | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> RecalledText:
        """Blocking form of `AsyncMemoryManager.recall_context`."""
        return self._portal.call(
            lambda: self._core.recall_context(
                query,
                max_tokens=max_tokens,
                limit=limit,
                kinds=kinds,
                filters=filters,
                between=between,
                as_of=as_of,
                known_as_of=known_as_of,
                min_score=min_score,
                include=include,
                scope=scope,
            )
        )

    def get(
        self, memory_id: Target, *, include: str | Iterable[str] = (), scope: Scope | None = None
    ) -> Memory:
        """Blocking form of `AsyncMemoryManager.get`."""
        return self._portal.call(lambda: self._core.get(memory_id, include=include, scope=scope))

    def count(
        self,
        *,
        everything: bool = False,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> int:
        """Blocking form of `AsyncMemoryManager.count`."""
        return self._portal.call(
            lambda: self._core.count(
                everything=everything,
                kinds=kinds,
                filters=filters,
                between=between,
                as_of=as_of,
                known_as_of=known_as_of,
                include=include,
                scope=scope,
            )
        )

    def history(self, memory_id: Target, *, scope: Scope | None = None) -> list[PastChange]:
        """Blocking form of `AsyncMemoryManager.history`."""
        return self._portal.call(lambda: self._core.history(memory_id, scope=scope))

    def changes(
        self,
        since: int = 0,
        *,
        limit: int | None = None,
        everything: bool = False,
        scope: Scope | None = None,
    ) -> list[JournalEntry]:
        """Blocking form of `AsyncMemoryManager.changes`."""
        return self._portal.call(
            lambda: self._core.changes(since, limit=limit, everything=everything, scope=scope)
        )

    def stats(self, *, everything: bool = False, scope: Scope | None = None) -> Stats:
        """Blocking form of `AsyncMemoryManager.stats`."""
        return self._portal.call(lambda: self._core.stats(everything=everything, scope=scope))

    def never_used(
        self,
        *,
        at_least: int = 5,
        limit: int = 20,
        everything: bool = False,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncMemoryManager.never_used`."""
        return self._portal.call(
            lambda: self._core.never_used(
                at_least=at_least, limit=limit, everything=everything, scope=scope
            )
        )

    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        order: str = "recorded_at",
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        as_of: Moment | None = None,
        known_as_of: Moment | None = None,
        include: str | Iterable[str] = (),
        scope: Scope | None = None,
    ) -> Page:
        """Blocking form of `AsyncMemoryManager.list`."""
        return self._portal.call(
            lambda: self._core.list(
                limit=limit,
                cursor=cursor,
                order=order,
                kinds=kinds,
                filters=filters,
                between=between,
                as_of=as_of,
                known_as_of=known_as_of,
                include=include,
                scope=scope,
            )
        )
