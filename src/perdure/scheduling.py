"""Upkeep that runs by itself while a store is open."""

from __future__ import annotations

import logging
from datetime import timedelta

from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.core import Core
from perdure.engine.gate import Gate
from perdure.errors import Closed, PerdureError
from perdure.running import Repeating, Running

log = logging.getLogger(__name__)

ACTOR = "maintenance"
FIRST_AFTER = timedelta(minutes=1)
"""The first run does not wait longer than this: a program may seldom be open for a whole period."""


class Schedule:
    """Runs `maintain` for one tenant every so often, in the background.

    Of several processes with the same store one does the work, by a lease. A run that fails is
    noted in the status and tried again at the next time. `stop` ends a run after the batch it is
    at, and waits for that.
    """

    def __init__(self, core: Core, gate: Gate, running: Running) -> None:
        self._core = core
        self._gate = gate
        self._running = running
        self._repeating: Repeating | None = None
        self._every = timedelta(0)
        self._scope = Scope()

    async def start(self, scope: Scope, every: timedelta) -> None:
        """Run every so often from now on, instead of as before."""
        await self.stop()
        self._scope, self._every = Scope(tenant=scope.tenant), every
        self._note_next(min(every, FIRST_AFTER))
        self._repeating = self._running.repeat(
            self._run,
            first_s=min(every, FIRST_AFTER).total_seconds(),
            every_s=every.total_seconds(),
        )

    async def stop(self) -> None:
        """Run no more."""
        repeating, self._repeating = self._repeating, None
        if repeating is not None:
            await repeating.stop()
            self._core.maintenance.scheduled(None, None)

    def _note_next(self, wait: timedelta) -> None:
        self._core.maintenance.scheduled(self._every, self._core.now() + wait)

    async def _run(self) -> None:
        from perdure.engine import maintenance  # most programs have no use for it

        try:
            self._gate.enter()
        except Closed:
            return
        try:
            view = View(scope=self._scope, now=self._core.now(), everything=True)
            await maintenance.maintain(
                self._core, view, dry_run=False, limit=None, actor=ACTOR, may_go_on=self._may_go_on
            )
        except maintenance.Busy:
            log.debug("maintenance.elsewhere")
        except PerdureError as error:
            log.warning("maintenance.failed", extra={"cause": str(error)})
        except Exception:
            # The edge of the process: nobody above could be told, and the next run may succeed.
            log.exception("maintenance.broke")
        finally:
            self._gate.leave()
            self._note_next(self._every)

    def _may_go_on(self) -> bool:
        return not self._gate.is_closed and self._repeating is not None
