"""Erasing: what was asked for, what rests on it alone, every copy, and a certificate of it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from perdure.domain.certificates import Certificate, proof_of
from perdure.domain.changes import Change, Operation, Refused
from perdure.domain.erasure import Erased, Erasure, is_erased, trace_of_scope
from perdure.domain.records import Memory, State
from perdure.domain.results import Problem
from perdure.domain.scope import Scope
from perdure.domain.summaries import falls_with, is_summary
from perdure.domain.visibility import View
from perdure.engine import context
from perdure.engine.archive_upkeep import expunge, expunge_unclaimed
from perdure.engine.core import Core
from perdure.engine.drafts import note_of
from perdure.engine.reading import not_found
from perdure.engine.writing import Retry, deciding, write_or_retry
from perdure.errors import Conflict, Misconfigured, Unavailable

log = logging.getLogger(__name__)

LOST_ITS_SUPPORT = "what it was drawn from was erased"
SUMMARY_ERASED = "a summary that told it together with what was erased is gone"
FILES, COPIES = "bytes in the store's files", "copies in the archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """What an erasure takes: the ids, how many of them it was not asked for, and the facts that
    keep other support."""

    ids: frozenset[str]
    derived: int
    changes: tuple[Change, ...]


async def erase(
    core: Core,
    scope: Scope,
    ids: Sequence[str] | None,
    *,
    now: datetime,
    actor: str | None,
    reason: str | None,
) -> Certificate:
    """Erase these memories, or everything the scope admits; and what rests on nothing else.

    All or nothing. `NotFound` when an id is unknown, `Conflict` when a legal hold forbids it.
    Erasing again what is erased already is harmless, and certifies that there was nothing.
    """
    derived = 0

    async def attempt() -> Erased:
        nonlocal derived
        reach = await _reach(core, scope, ids, now)
        derived = 0 if reach is None else reach.derived
        result = await core.store.erase(
            Erasure(
                scope=scope,
                ids=None if reach is None else reach.ids,
                is_complete=reach is not None and ids is None,
                changes=() if reach is None else reach.changes,
                at=now,
                actor=note_of(actor, "actor") or "",
                reason=reason,
                config_hash=core.hash_config(),
            )
        )
        if not isinstance(result, Refused):
            return result
        if result.held:
            raise await _hold_on(core, scope, result.held[0])
        raise Retry

    erased = await deciding(core, attempt, "erase")
    counts = {**erased.counts}
    if derived:
        counts["derived"] = derived
    if ids is None and (tasks := await _drop_tasks(core, scope, now)):
        counts["tasks"] = tasks
    await _forget_in_memory(core, scope, erased.ids, is_whole=ids is None)
    remaining = await _finished(core, scope, erased, counts, now, is_whole=ids is None)
    return await _certified(core, scope, erased, counts, remaining, now, actor, reason)


async def _hold_on(core: Core, scope: Scope, memory_id: str) -> Conflict:
    """The error for a memory that must not be erased."""
    found = (await core.store.get(scope, [memory_id])).get(memory_id)
    is_forgotten = found is not None and found.state is State.FORGOTTEN
    first = f"bring it back with restore({memory_id!r}), " if is_forgotten else ""
    return Conflict(
        f"memory {memory_id} is under a legal hold and nothing was erased; {first}"
        f"end the hold with update({memory_id!r}, held=False), or erase the others by their ids"
    )


async def _reach(
    core: Core, scope: Scope, ids: Sequence[str] | None, now: datetime
) -> _Reach | None:
    """What is erased; None for everything behind the walls, where nothing outside can be meant."""
    if ids is None and not (scope.agent or scope.session):
        return None
    if ids is None:
        supports = await core.store.inventory(scope)
        asked = frozenset(supports)
        leads = {fact for facts in supports.values() for fact in facts}
    else:
        found = await core.store.get(scope, list(dict.fromkeys(ids)))
        for memory_id in ids:
            if memory_id not in found:
                raise not_found(memory_id)
        asked = frozenset(found)
        leads = {fact for memory in found.values() for fact in memory.supports}
    return await _with_derived(core, scope, asked, leads, now)


async def _with_derived(
    core: Core, scope: Scope, asked: frozenset[str], leads: set[str], now: datetime
) -> _Reach:
    """Follow the links from what is erased to what was drawn from it, and on from there."""
    gone = set(asked)
    kept: dict[str, Memory] = {}
    told: set[str] = set()
    while leads := leads - gone - kept.keys():
        for fact in (await core.store.get(scope, sorted(leads))).values():
            kept[fact.id] = fact
        leads = set()
        # Again for all that were kept so far: what has gone since may have been their last support.
        while lost := [fact for fact in kept.values() if falls_with(fact, gone)]:
            for fact in lost:
                del kept[fact.id]
                gone.add(fact.id)
                leads.update(fact.supports)
                told.update(fact.provenance if is_summary(fact) else ())
    changes = [_without(fact, gone) for fact in kept.values() if not is_erased(fact)]
    changes += await _untold(core, scope, told - gone, gone)
    return _Reach(ids=frozenset(gone), derived=len(gone) - len(asked), changes=tuple(changes))


async def _untold(
    core: Core, scope: Scope, sources: Collection[str], gone: Collection[str]
) -> list[Change]:
    """Sources of erased summaries that stay, without these; so that they are told anew."""
    found = await core.store.get(scope, sorted(sources)) if sources else {}
    return [
        Change(
            operation=Operation.UPDATED,
            before=memory,
            after=replace(
                memory,
                supports=tuple(name for name in memory.supports if name not in gone),
                version=memory.version + 1,
            ),
            reason=SUMMARY_ERASED,
        )
        for memory in found.values()
        if not is_erased(memory)
    ]


def _without(fact: Memory, gone: Iterable[str]) -> Change:
    """A fact that keeps other support, without what is lost."""
    lost = frozenset(gone)
    left = tuple(memory_id for memory_id in fact.provenance if memory_id not in lost)
    return Change(
        operation=Operation.UPDATED,
        before=fact,
        after=replace(fact, provenance=left, version=fact.version + 1),
        reason=LOST_ITS_SUPPORT,
    )


async def _drop_tasks(core: Core, scope: Scope, now: datetime) -> int:
    """Working memory of the scope; how many tasks there were."""
    tasks = await core.working.tasks(scope, now=now)
    return sum([await core.working.delete(task.key, expected=None, now=now) for task in tasks])


async def _forget_in_memory(
    core: Core, scope: Scope, ids: Sequence[str], *, is_whole: bool
) -> None:
    """What this process remembers: turns, counted recalls, buffers, vectors of texts."""
    if is_whole:
        context.discard(core, scope)
    await context.part_with(core, scope, ids)
    core.accesses.forget(ids)
    core.short_term.reread_all(Scope(tenant=scope.tenant, user=scope.user))
    core.embedding.forget_texts()


async def _finished(
    core: Core,
    scope: Scope,
    erased: Erased,
    counts: dict[str, int],
    now: datetime,
    *,
    is_whole: bool,
) -> tuple[str, ...]:
    """Remove the copies and free the files; what is left to do, which `verify` makes up for."""
    remaining: list[str] = []
    found = await core.store.get(scope, erased.ids) if erased.places else {}
    unclaimed = None
    if await _drop_copies(core, found.values(), now):
        unclaimed = await _drop_unclaimed(core, scope if is_whole else None, now)
        counts["archived copies"] = len(erased.places) + (unclaimed or 0)
    if unclaimed is None:
        remaining.append(COPIES)
    try:
        if not await core.store.compact():
            remaining.append(FILES)
    except Unavailable as error:
        log.warning("erasure.files_not_compacted", extra={"error": str(error)})
        remaining.append(FILES)
    return tuple(remaining)


async def _drop_copies(core: Core, erased: Iterable[Memory], now: datetime) -> bool:
    """Remove the archived copies of erased memories, and note that they are gone; false when the
    archive is out of reach. It can be done again."""
    there = [memory for memory in erased if memory.archive is not None]
    if core.archive is None:
        return not there
    try:
        await expunge(core, there, now=now)
    except (Unavailable, Misconfigured) as error:
        log.warning("erasure.copies_remain", extra={"error": str(error)})
        return False
    of: dict[tuple[str, str], list[str]] = {}
    for memory in there:
        of.setdefault(memory.scope.walls, []).append(memory.id)
    for (tenant, user), ids in of.items():
        await _clear_places(core, Scope(tenant=tenant, user=user), ids, now)
    return True


async def _drop_unclaimed(core: Core, scope: Scope | None, now: datetime) -> int | None:
    """Remove what interrupted archivings left of what was erased, how many rows that were; None
    when that may not be all of it. It can be done again."""
    try:
        return await expunge_unclaimed(core, scope, now=now)
    except (Unavailable, Misconfigured) as error:
        log.warning("erasure.leftovers_remain", extra={"error": str(error)})
        return None


async def make_up(core: Core, *, repair: bool, now: datetime) -> list[Problem]:
    """Copies that were left in the archive when an erasure was interrupted; removed if `repair`."""
    left: list[Memory] = []
    for batch in await core.store.archived_batches():
        for memory in await core.store.archived_in(batch):
            if memory.state is State.FORGOTTEN and not memory.content:
                # One that was archived before it was forgotten may still be restored.
                entries = await core.store.history(memory.scope, memory.id)
                if entries and entries[-1].operation is Operation.ERASED:
                    left.append(memory)
    if not left:
        return []
    repaired = repair and await _drop_copies(core, left, now)
    problem = "a copy of what was erased lies in the archive"
    return [
        Problem(place="archive", problem=problem, memory_id=memory.id, repaired=repaired)
        for memory in left
    ]


async def _clear_places(core: Core, scope: Scope, ids: Sequence[str], now: datetime) -> None:
    """Note that the copies of these are gone."""

    async def attempt() -> None:
        found = await core.store.get(scope, ids)
        changes = [
            Change(
                operation=Operation.ERASED,
                before=memory,
                after=replace(memory, archive=None, version=memory.version + 1),
            )
            for memory in found.values()
            if memory.archive is not None
        ]
        await write_or_retry(core, changes, at=now, actor=None)

    await deciding(core, attempt, "erase")


async def _certified(
    core: Core,
    scope: Scope,
    erased: Erased,
    counts: Mapping[str, int],
    remaining: tuple[str, ...],
    now: datetime,
    actor: str | None,
    reason: str | None,
) -> Certificate:
    key = await core.store.withholding_key()
    certificate = Certificate(
        id=core.new_id(now),
        at=now,
        actor=actor or "",
        reason=reason,
        scope=trace_of_scope(key, Scope(tenant=scope.tenant, user=scope.user)),
        ids=erased.ids,
        counts={name: count for name, count in counts.items() if count},
        sequence=erased.sequence,
        digest=erased.digest,
        remaining=remaining,
        proof="",
    )
    return replace(certificate, proof=proof_of(key, certificate))


async def check(core: Core, scope: Scope, certificate: Certificate, now: datetime) -> list[Problem]:
    """What is not as the certificate says; empty when everything is.

    The scope must be that of the erasure, as far as tenant and user go.
    """
    key = await core.store.withholding_key()
    walls = Scope(tenant=scope.tenant, user=scope.user)
    if proof_of(key, certificate) != certificate.proof:
        return [_problem("this store did not issue it, or it was altered")]
    if trace_of_scope(key, walls) != certificate.scope:
        return [
            _problem(
                "it is of another user's erasure; check it with a manager bound to that user and tenant, "
                "such as memory.scoped(user=…).verify(certificate)"
            )
        ]
    found = await core.store.get(walls, certificate.ids)
    problems = [
        _problem("it has contents again, or its copy still lies in the archive", memory_id)
        for memory_id in certificate.ids
        if memory_id not in found or not is_erased(found[memory_id])
    ]
    problems += await _journal_problems(core, walls, certificate, now)
    return problems


async def _journal_problems(
    core: Core, walls: Scope, certificate: Certificate, now: datetime
) -> list[Problem]:
    """Contents in journal entries up to the erasure, and an end that is not the certified one."""
    if not certificate.ids:
        return []
    problems = []
    ids, last = frozenset(certificate.ids), None
    for entry in await core.store.changes_since(View(scope=walls, now=now), 0):
        if entry.sequence == certificate.sequence:
            last = entry
        if entry.memory_id not in ids or entry.is_emptied:
            continue
        if entry.change.get("content") or entry.operation is not Operation.ERASED:
            problems.append(_problem("its journal has contents", entry.memory_id))
    if last is None or last.digest != certificate.digest:
        problems.append(_problem("the journal does not hold the entry that it names"))
    return problems


def _problem(problem: str, memory_id: str | None = None) -> Problem:
    return Problem(place="certificate", problem=problem, memory_id=memory_id, repaired=False)
