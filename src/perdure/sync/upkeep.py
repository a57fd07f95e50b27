"""Moving, checking and mending a store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from perdure.domain.plans import Plan
from perdure.domain.results import (
    CaughtUp,
    Exported,
    Imported,
    MaintenanceStatus,
    Reembedded,
    Verification,
)
from perdure.domain.scope import Scope
from perdure.engine.portability import OnConflict
from perdure.ports.embedder import Embedder
from perdure.sync.base import Blocking

if TYPE_CHECKING:
    from perdure.domain.certificates import Certificate


class Upkeep(Blocking):
    """Moving, checking and mending a store."""

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

    def verify(
        self,
        certificate: Certificate | None = None,
        *,
        repair: bool = True,
        scope: Scope | None = None,
    ) -> Verification:
        """Blocking form of `AsyncMemoryManager.verify`."""
        return self._portal.call(lambda: self._core.verify(certificate, repair=repair, scope=scope))

    def maintain(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Blocking form of `AsyncMemoryManager.maintain`."""
        return self._portal.call(
            lambda: self._core.maintain(
                dry_run=dry_run, everything=everything, limit=limit, actor=actor, scope=scope
            )
        )

    def evict(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Blocking form of `AsyncMemoryManager.evict`."""
        return self._portal.call(
            lambda: self._core.evict(
                dry_run=dry_run, everything=everything, limit=limit, actor=actor, scope=scope
            )
        )

    def start_maintenance(self, every: timedelta) -> MaintenanceStatus:
        """Blocking form of `AsyncMemoryManager.start_maintenance`."""
        return self._portal.call(lambda: self._core.start_maintenance(every))

    def stop_maintenance(self) -> MaintenanceStatus:
        """Blocking form of `AsyncMemoryManager.stop_maintenance`."""
        return self._portal.call(lambda: self._core.stop_maintenance())

    def maintenance_status(self) -> MaintenanceStatus:
        """Blocking form of `AsyncMemoryManager.maintenance_status`."""
        return self._portal.call(lambda: self._core.maintenance_status())

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
