"""The blocking client: the asynchronous one, call by call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from perdure.bootstrap import open_blocking
from perdure.client import AsyncMemoryManager, Query, Target
from perdure.config import Settings
from perdure.domain.changes import JournalEntry
from perdure.domain.predicates import Cardinality
from perdure.domain.records import Attachment, Json, Kind, Memory, Source
from perdure.domain.results import (
    CaughtUp,
    Exported,
    Forgotten,
    Imported,
    Observed,
    Page,
    PastChange,
    Recall,
    RecalledText,
    Reembedded,
    Remembered,
    Stats,
    Verification,
)
from perdure.domain.scope import Scope
from perdure.engine.asking import Between
from perdure.engine.drafts import Moment
from perdure.engine.editing import KEEP, Keep
from perdure.engine.portability import OnConflict
from perdure.graph import Graph
from perdure.ports.clock import Clock
from perdure.ports.embedder import Embedder
from perdure.ports.language_model import LanguageModel
from perdure.running import Portal


class MemoryManager:
    """Long-term memory for agents. Made by `perdure.open`; any thread may use it.

    The same calls as `AsyncMemoryManager`, where each one is described.
    """

    def __init__(self, core: AsyncMemoryManager, portal: Portal) -> None:
        self._core = core
        self._portal = portal

    def __enter__(self) -> MemoryManager:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def scope(self) -> Scope:
        """The scope this manager is bound to."""
        return self._core.scope

    @property
    def graph(self) -> Graph:
        """The facts as entities and relations."""
        return Graph(self._core.graph, self._portal)

    def scoped(
        self,
        *,
        tenant: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        session: str | None = None,
    ) -> MemoryManager:
        """A view with the same methods, bound to a narrower scope."""
        bound = self._core.scoped(tenant=tenant, agent=agent, user=user, session=session)
        return type(self)(bound, self._portal)

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

    def update(
        self,
        memory_id: Target,
        *,
        content: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
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

    def forget(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Forgotten:
        """Blocking form of `AsyncMemoryManager.forget`."""
        return self._portal.call(
            lambda: self._core.forget(ids, reason=reason, actor=actor, scope=scope)
        )

    def forget_all(
        self,
        *,
        everything: bool = False,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        between: Between | None = None,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Forgotten:
        """Blocking form of `AsyncMemoryManager.forget_all`."""
        return self._portal.call(
            lambda: self._core.forget_all(
                everything=everything,
                kinds=kinds,
                filters=filters,
                between=between,
                reason=reason,
                actor=actor,
                scope=scope,
            )
        )

    def restore(
        self, memory_id: Target, *, actor: str | None = None, scope: Scope | None = None
    ) -> Memory:
        """Blocking form of `AsyncMemoryManager.restore`."""
        return self._portal.call(lambda: self._core.restore(memory_id, actor=actor, scope=scope))

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

    def feedback(
        self,
        ids: Target | Iterable[Target],
        *,
        used: bool = True,
        helpful: bool | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> list[Memory]:
        """Blocking form of `AsyncMemoryManager.feedback`."""
        return self._portal.call(
            lambda: self._core.feedback(ids, used=used, helpful=helpful, actor=actor, scope=scope)
        )

    def stats(self, *, everything: bool = False, scope: Scope | None = None) -> Stats:
        """Blocking form of `AsyncMemoryManager.stats`."""
        return self._portal.call(lambda: self._core.stats(everything=everything, scope=scope))

    def export(
        self, path: str | Path, *, everything: bool = False, scope: Scope | None = None
    ) -> Exported:
        """Blocking form of `AsyncMemoryManager.export`."""
        return self._portal.call(
            lambda: self._core.export(path, everything=everything, scope=scope)
        )

    def import_(
        self,
        path: str | Path,
        on_conflict: OnConflict = "skip",
        *,
        actor: str | None = None,
    ) -> Imported:
        """Blocking form of `AsyncMemoryManager.import_`."""
        return self._portal.call(lambda: self._core.import_(path, on_conflict, actor=actor))

    def backup(self, path: str | Path) -> Path:
        """Blocking form of `AsyncMemoryManager.backup`."""
        return self._portal.call(lambda: self._core.backup(path))

    def verify(self, *, repair: bool = True) -> Verification:
        """Blocking form of `AsyncMemoryManager.verify`."""
        return self._portal.call(lambda: self._core.verify(repair=repair))

    def catch_up(
        self,
        *,
        limit: int | None = None,
        everything: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> CaughtUp:
        """Blocking form of `AsyncMemoryManager.catch_up`."""
        return self._portal.call(
            lambda: self._core.catch_up(
                limit=limit, everything=everything, actor=actor, scope=scope
            )
        )

    def reembed(self, embedder: Embedder | None = None) -> Reembedded:
        """Blocking form of `AsyncMemoryManager.reembed`."""
        return self._portal.call(lambda: self._core.reembed(embedder))

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

    def close(self, *, timeout: float = 30.0) -> None:
        """Blocking form of `AsyncMemoryManager.close`."""
        try:
            self._portal.call(lambda: self._core.close(timeout=timeout))
        finally:
            if self._core._is_idle:  # otherwise calls are still under way, and need the portal
                self._portal.close()


def open(  # noqa: A001 - `perdure.open` is the name callers are promised
    url: str | Path | None = None,
    *,
    embedder: Embedder | str | None = None,
    language_model: LanguageModel | str | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> MemoryManager:
    """Open a memory.

    `url` is a path or `sqlite:///path.db`, `memory://`, or `postgresql://…`; None takes
    `PERDURE_URL`, or a file in the user's data folder. `embedder` is an `Embedder`, or a name:
    "local" (the bundled model, the default), "hashing", "openai:MODEL", "off", or that of an
    installed plug-in; None takes `PERDURE_EMBEDDER`. `language_model` is a `LanguageModel`, or a
    name: "openai:MODEL", "anthropic:MODEL", "off", or that of an installed plug-in; None takes
    `PERDURE_LANGUAGE_MODEL`, and without it there is none. `clock` tells the time (tests pass a
    fake one).

    Raises `EmbedderMismatch` when the store's vectors were made by another model, `NewerStore`,
    `CorruptStore`, `Misconfigured`, `Unavailable` and `InvalidInput`; then nothing was changed.
    """
    return MemoryManager(
        *open_blocking(
            url,
            embedder=embedder,
            language_model=language_model,
            clock=clock,
            settings=settings,
        )
    )
