"""Forgetting, bringing back, and putting in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from perdure.client.base import Bound, Target, call, id_of, ids_of
from perdure.domain.erasure import EVERYTHING, Everything
from perdure.domain.plans import Plan
from perdure.domain.records import Kind, Memory
from perdure.domain.results import (
    Forgotten,
    PutAway,
    Restored,
)
from perdure.domain.scope import Scope
from perdure.engine import asking, drafts, forgetting, reading, restoring
from perdure.engine.asking import Between
from perdure.errors import InvalidInput

if TYPE_CHECKING:
    from perdure.domain.certificates import Certificate


class Lifecycle(Bound):
    """Forgetting, bringing back, and putting in order."""

    @call
    async def forget(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Forgotten:
        """Hide memories from every read, all of them or, when one is unknown, none.

        They leave a tombstone: an import does not bring them back, `restore` does.
        """
        return await forgetting.forget(
            self._core, self._within(scope), ids_of(ids), now=self._core.now(), actor=actor,
            reason=drafts.note_of(reason, "reason"),
        )  # fmt: skip

    @call
    async def forget_all(
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
        """Forget everything in a scope that names a user, agent or session.

        Without one this is refused unless `everything=True`, which forgets all users of the
        tenant. An agent or session loses only what was stored with it. Without kinds, filters and
        times the turns of its contexts go too.
        """
        target = self._within(scope)
        if not drafts.flag(everything, "everything") and not (
            target.user or target.agent or target.session
        ):
            raise InvalidInput(
                "forget_all needs a scope that names a user, agent or session; "
                "pass everything=True to forget the memories of all users"
            )
        view = asking.view_of(
            target, self._core.now(), everything=self._unbound(everything),
            include=("superseded", "former", "archived", "expired"),
        )  # fmt: skip
        condition = asking.condition_of(view, kinds=kinds, filters=filters, between=between)
        if kinds is None and filters is None and between is None:
            from perdure.engine import context

            context.discard(self._core, target, everything=everything)
        return await forgetting.forget_all(
            self._core,
            condition,
            now=view.now,
            actor=actor,
            reason=drafts.note_of(reason, "reason"),
        )

    @call
    async def erase(
        self,
        ids: Target | Iterable[Target] | Scope | Everything = EVERYTHING,
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Certificate:
        """Remove memories for good: words, vectors, index entries, journal contents, every copy.

        These memories, or without `ids` everything in the scope, which must then be given (here or
        as `scope`) or name a user, agent or session. Facts and summaries that were drawn from nothing else go too.
        What is left is the skeleton of the journal. An import, or the same message, does not bring
        them back, and `restore` cannot. All or nothing: `NotFound` when an id is unknown,
        `Conflict` when a memory is under a legal hold. `verify` checks the certificate.
        """
        from perdure.engine import erasure

        if isinstance(ids, Scope):
            if scope is not None:
                raise InvalidInput("the scope to erase was given twice")
            scope = ids
            ids = EVERYTHING
        target = self._within(scope)
        named = None if isinstance(ids, Everything) else ids_of(ids)
        if named is None and scope is None and not (target.user or target.agent or target.session):
            raise InvalidInput(
                "erase needs ids, or a scope that names a user, agent or session; to erase the "
                "memories of no particular user, pass scope=Scope() explicitly"
            )
        return await erasure.erase(
            self._core,
            target,
            named,
            now=self._core.now(),
            actor=actor,
            reason=drafts.note_of(reason, "reason"),
        )

    @call
    async def restore(
        self, memory_id: Target, *, actor: str | None = None, scope: Scope | None = None
    ) -> Memory:
        """Bring a forgotten, superseded, compressed or archived memory back.

        From the archive it returns with its whole words, vectors and history, and as it was:
        superseded if it was so. What fell with a forgotten memory returns with it: the facts
        drawn from it hold again. Restoring a superseded memory undoes the supersession. `Conflict`
        when a slot has another value meanwhile, `CorruptArchive` when its words are lost.
        """
        return await restoring.restore(
            self._core, self._within(scope), id_of(memory_id), now=self._core.now(), actor=actor
        )

    @call
    async def consolidate(
        self,
        *,
        dry_run: bool = False,
        everything: bool = False,
        limit: int | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Plan:
        """Put in order what was stored since the last time: facts, summaries, repetitions, causes.

        Reads at most `limit` memories (10,000), each once, of the scope's user or, with
        `everything`, of all users of the tenant. Nothing is taken out of sight by it. With
        `dry_run` nothing is written. Without a language model rules do it.
        """
        from perdure.engine import consolidating  # with much that no other call needs

        core = self._core
        return await consolidating.consolidate(
            core,
            self._within(scope),
            now=core.now(),
            actor=actor,
            dry_run=drafts.flag(dry_run, "dry_run"),
            everything=self._unbound(everything),
            limit=asking.limit_of(limit, consolidating.MOST_PER_CALL),
        )

    @call
    async def restore_archived(
        self,
        *,
        between: Between | None = None,
        kinds: Kind | str | Iterable[Kind | str] | None = None,
        filters: Mapping[str, Any] | None = None,
        everything: bool = False,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> Restored:
        """Bring back everything of the scope that was archived or compressed.

        `between` bounds when it happened. Filters see what a stub still has: no metadata of an
        archived memory. Interrupted, it may be called again for the rest.
        """
        from perdure.engine import archive_restoring

        view = asking.view_of(
            self._within(scope), self._core.now(), everything=self._unbound(everything),
            include=("superseded", "former", "archived", "expired"),
        )  # fmt: skip
        condition = asking.condition_of(
            view, kinds=kinds, filters=archive_restoring.away(filters), between=between
        )
        ids = await archive_restoring.restore_archived(
            self._core, condition, now=view.now, actor=actor
        )
        return Restored(ids=tuple(ids))

    @call
    async def archive(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> PutAway:
        """Put memories into the archive now: words, vectors and history leave the store.

        A stub stays, which `get`, `list` and `history` know and no search finds. `NotFound` when
        an id is unknown, `Misconfigured` without an archive. Upkeep does this by itself (`maintain`).
        """
        from perdure.engine import archiving

        core = self._core
        memories = (await reading.stored(core, self._within(scope), ids_of(ids))).values()
        note = drafts.note_of(reason, "reason")
        told = {memory.id: note for memory in memories}
        away = await archiving.archive(core, memories, now=core.now(), actor=actor, reasons=told)
        return PutAway(ids=tuple(memory.id for memory in memories if memory.id in away))

    @call
    async def compress(
        self,
        ids: Target | Iterable[Target],
        *,
        reason: str | None = None,
        actor: str | None = None,
        scope: Scope | None = None,
    ) -> PutAway:
        """Replace the words of memories by a summary now; the originals go into the archive.

        The summary is made of the memory's own sentences. Errors as for `archive`.
        """
        from perdure.engine import archiving

        core = self._core
        memories = (await reading.stored(core, self._within(scope), ids_of(ids))).values()
        note = drafts.note_of(reason, "reason")
        told = {memory.id: note for memory in memories}
        done = await archiving.compress(core, memories, now=core.now(), actor=actor, reasons=told)
        return PutAway(ids=tuple(memory.id for memory in memories if memory.id in done))
