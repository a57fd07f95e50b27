"""What upkeep is doing and what it did last, for whoever wants to watch."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock

from perdure.domain.plans import Plan
from perdure.domain.results import MaintenanceStatus
from perdure.errors import PerdureError


class MaintenanceLog:
    """The present state, as this manager knows it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._status = MaintenanceStatus()

    @property
    def status(self) -> MaintenanceStatus:
        """How it stands now."""
        return self._status

    def scheduled(self, every: timedelta | None, next_at: datetime | None) -> None:
        """It runs every so often, next at that time; None: it does not."""
        self._change(every=every, next_at=next_at)

    def begins(self, at: datetime) -> None:
        """A run begins."""
        self._change(is_running=True, started_at=at, actions_taken=0)

    def advances(self, actions: int) -> None:
        """So many actions of the run were taken."""
        self._change(actions_taken=actions)

    def ends(self, at: datetime, plan: Plan) -> None:
        """The run is over."""
        self._change(
            is_running=False, finished_at=at, runs=self._status.runs + 1, last_error=None,
            last_counts=plan.counts, last_bytes_saved=plan.bytes_saved, notes=plan.notes,
        )  # fmt: skip

    def fails(self, at: datetime, error: BaseException) -> None:
        """The run ended with an error. Only our own errors are quoted: others may hold contents."""
        told = str(error) if isinstance(error, PerdureError) else type(error).__name__
        self._change(
            is_running=False, finished_at=at, failures=self._status.failures + 1, last_error=told
        )

    def _change(self, **fields: object) -> None:
        with self._lock:
            self._status = replace(self._status, **fields)  # type: ignore[arg-type]
