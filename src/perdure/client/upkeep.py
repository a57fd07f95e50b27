"""Moving, checking and mending a store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from perdure import files
from perdure.client.base import Bound, call
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
from perdure.domain.text import shown
from perdure.domain.visibility import View
from perdure.engine import (
    asking,
    drafts,
    portability,
    reembedding,
    upkeep,
)
from perdure.engine.portability import OnConflict
from perdure.errors import InvalidInput, Misconfigured
from perdure.ports.embedder import Embedder

if TYPE_CHECKING:
    from perdure.domain.certificates import Certificate


class Upkeep(Bound):
    """Moving, checking and mending a store."""

    @call
    async def export(
        self, path: str | Path, *, everything: bool = False, scope: Scope | None = None
    ) -> Exported:
        """Write a scope's memories with their history as JSON Lines.

        Forgotten ones are written as tombstones, without their words. An existing file is
        replaced only when the new one is complete.
        """
        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )
        lines, exported = await portability.export_lines(self._core, view)
        await self._running.offload(files.write_lines, path, lines)
        return exported

    @call
    async def import_(
        self,
        path: str | Path,
        on_conflict: OnConflict = "skip",
        *,
        actor: str | None = None,
    ) -> Imported:
        """Read an export. The whole file is checked before anything is written.

        Memories keep their ids, scopes, times and history. What was forgotten here is withheld.
        `on_conflict` says what happens to an id that is stored with another state: `skip`,
        `replace` (a new version) or `error` (`Conflict`, nothing imported).
        """
        lines = await self._running.offload(files.read_lines, path)
        imports = list(portability.read_lines(lines, self._scope))
        return await portability.import_memories(
            self._core, imports, on_conflict=on_conflict, now=self._core.now(), actor=actor
        )

    @call
    async def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store at a path that does not exist yet."""
        target = await self._running.offload(files.new_path, path)
        await self._core.store.backup(target)
        return target

    @call
    async def verify(
        self,
        certificate: Certificate | None = None,
        *,
        repair: bool = True,
        scope: Scope | None = None,
    ) -> Verification:
        """Check every row, index and link; mend what is derived unless `repair=False`.

        With a certificate of `erase` also that what it says still holds; the scope must be that of
        the erasure.
        """
        found = await upkeep.verify(self._core, repair=drafts.flag(repair, "repair"))
        if certificate is None:
            return found
        from perdure.domain.certificates import Certificate
        from perdure.engine import erasure

        if not isinstance(certificate, Certificate):
            raise InvalidInput(
                f"a Certificate is needed, not {shown(certificate)}; Certificate.from_json reads one"
            )
        wrong = await erasure.check(self._core, self._within(scope), certificate, self._core.now())
        return Verification(problems=(*found.problems, *wrong))

    @call
    async def maintain(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Do what is due: forget what expired, compress and archive what rested, make room.

        Of the scope, or of all users of the tenant; at most `limit` actions. With `dry_run` nothing
        changes, and the plan is what would be done. Running it again at the same time does nothing.
        Settings say what is kept and for how long. `Conflict` while somebody else maintains the
        tenant.
        """
        from perdure.engine import maintenance  # most programs have no use for it

        return await maintenance.maintain(
            self._core, self._upkept(scope, everything=everything), actor=actor,
            dry_run=drafts.flag(dry_run, "dry_run"),
            limit=None if limit is None else asking.limit_of(limit, 1),
        )  # fmt: skip

    @call
    async def evict(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Make room where an agent has more memories of a user than `settings.quota`.

        The weakest leave recall, fairly between the kinds; `restore` brings them back. Otherwise
        as `maintain`, of which this is a part.
        """
        from perdure.engine import maintenance  # as above

        return await maintenance.evict(
            self._core, self._upkept(scope, everything=everything), actor=actor,
            dry_run=drafts.flag(dry_run, "dry_run"),
            limit=None if limit is None else asking.limit_of(limit, 1),
        )  # fmt: skip

    def _upkept(self, scope: Scope | None, *, everything: bool) -> View:
        return asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything)
        )

    @call
    async def start_maintenance(self, every: timedelta) -> MaintenanceStatus:
        """Run `maintain` for the whole tenant in the background, every so often until `close`.

        The first run comes after `every`, at most a minute. Several processes may do this with one
        store: one of them does the work. Errors show in the status, and the next run tries again.
        Calling it again changes the period. `settings.maintenance_every` starts it at once.
        """
        self._unbound(True)
        if not isinstance(every, timedelta):
            raise InvalidInput(
                f"every must be a timedelta such as timedelta(hours=6), not {shown(every)}"
            )
        if every <= timedelta(0):
            raise InvalidInput(
                f"every must be longer than nothing, not {every}; pass a timedelta such as "
                "timedelta(hours=6), or call stop_maintenance() to end it"
            )
        await self._schedule.start(self._scope, every)
        return self._core.maintenance.status

    @call
    async def stop_maintenance(self) -> MaintenanceStatus:
        """End what `start_maintenance` began, once the batch under way is written."""
        await self._schedule.stop()
        return self._core.maintenance.status

    @call
    async def maintenance_status(self) -> MaintenanceStatus:
        """What upkeep is doing, and what it did last, in this process."""
        return self._core.maintenance.status

    @call
    async def catch_up(
        self,
        *,
        limit: int | None = None,
        everything: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> CaughtUp:
        """Have the language model read messages whose reading was deferred, as far as due.

        Those of the scope, or of all users of the tenant, at most `limit`; the oldest first, until
        the model fails again. `observe` does the same for a few of the scope's. `Misconfigured`
        without a language model.
        """
        core = self._core
        if core.proposer is None:
            raise Misconfigured("there is no language model; open the store with language_model=…")
        from perdure.engine import observe_deferring  # most programs have no use for it

        return await observe_deferring.catch_up(
            core,
            self._within(scope),
            now=core.now(),
            actor=actor,
            limit=asking.limit_of(limit, observe_deferring.MOST_CAUGHT_UP),
            everything=self._unbound(everything),
        )

    @call
    async def reembed(self, embedder: Embedder | None = None) -> Reembedded:
        """Give every memory a vector by this embedder (None: the present one), also after changes
        of model. Reads go on; call it again after an interruption."""
        return await reembedding.reembed(self._core, embedder)
