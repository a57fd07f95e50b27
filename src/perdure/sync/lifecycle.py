"""Forgetting, bringing back, and putting in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from perdure.client import Target
from perdure.domain.erasure import EVERYTHING, Everything
from perdure.domain.plans import Plan
from perdure.domain.records import Kind, Memory
from perdure.domain.results import (
    Forgotten,
    PutAway,
    Restored,
)
from perdure.domain.scope import Scope
from perdure.engine.asking import Between
from perdure.sync.base import Blocking

if TYPE_CHECKING:
    from perdure.domain.certificates import Certificate


class Lifecycle(Blocking):
    """Forgetting, bringing back, and putting in order."""

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

    def erase(
        self,
        ids: Target | Iterable[Target] | Scope | Everything = EVERYTHING,
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Certificate:
        """Blocking form of `AsyncMemoryManager.erase`."""
        return self._portal.call(
            lambda: self._core.erase(ids, reason=reason, actor=actor, scope=scope)
        )

    def restore(
        self, memory_id: Target, *, actor: str | None = None, scope: Scope | None = None
    ) -> Memory:
        """Blocking form of `AsyncMemoryManager.restore`."""
        return self._portal.call(lambda: self._core.restore(memory_id, actor=actor, scope=scope))

    def consolidate(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Blocking form of `AsyncMemoryManager.consolidate`."""
        return self._portal.call(
            lambda: self._core.consolidate(
                dry_run=dry_run, everything=everything, limit=limit, actor=actor, scope=scope
            )
        )

    def restore_archived(
        self,
        *,
        between: Between | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        everything: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Restored:
        """Blocking form of `AsyncMemoryManager.restore_archived`."""
        return self._portal.call(
            lambda: self._core.restore_archived(
                between=between,
                kinds=kinds,
                filters=filters,
                everything=everything,
                actor=actor,
                scope=scope,
            )
        )

    def archive(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> PutAway:
        """Blocking form of `AsyncMemoryManager.archive`."""
        return self._portal.call(
            lambda: self._core.archive(ids, reason=reason, actor=actor, scope=scope)
        )

    def compress(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> PutAway:
        """Blocking form of `AsyncMemoryManager.compress`."""
        return self._portal.call(
            lambda: self._core.compress(ids, reason=reason, actor=actor, scope=scope)
        )
