"""Bringing memories back from the archive: their words, vectors and history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from perdure.domain.archiving import brought_back, refills
from perdure.domain.batches import Whole
from perdure.domain.changes import Change, JournalEntry, Operation, Refused
from perdure.domain.query import Condition, Position, Query, sort_value
from perdure.domain.records import Memory, State
from perdure.domain.resting import touched
from perdure.domain.scope import Scope
from perdure.engine.archive_reading import archived_wholes, is_away
from perdure.engine.core import Core
from perdure.engine.writing import write
from perdure.errors import Conflict

AT_ONCE = 5_000
_AWAY: dict[str, Any] = {"memory.state": {"in": [State.ARCHIVED.value, State.COMPRESSED.value]}}


def away(filters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A filter that admits only what was archived or compressed, besides what is asked."""
    return _AWAY if filters is None else {"and": [_AWAY, filters]}


async def bring_back(
    core: Core, memories: Iterable[Memory], *, now: datetime, actor: str | None
) -> list[Memory]:
    """The memories with their words, vectors and history again, durably.

    Those that are not away are left out, as are those that somebody else brought back or forgot
    meanwhile. What was superseded comes back so. Their rows stay in the archive, so that this may
    be repeated, until they are archived again or erased. Raises `CorruptArchive`, `Unavailable`,
    and `Conflict` when others keep changing them.
    """
    back: list[Memory] = []
    waiting = [memory for memory in memories if is_away(memory)]
    for start in range(0, len(waiting), AT_ONCE):
        back += await _bring_back(core, waiting[start : start + AT_ONCE], now=now, actor=actor)
    return back


async def _bring_back(
    core: Core, memories: Sequence[Memory], *, now: datetime, actor: str | None
) -> list[Memory]:
    back: list[Memory] = []
    left: Sequence[Memory] = memories
    for _ in range(core.settings.conflict_retries + 1):
        standing = [whole for whole in await _standing(core, left) if is_away(whole.memory)]
        if not standing:
            return back
        archived = await archived_wholes(core, (whole.memory for whole in standing))
        changes = await _changes(core, standing, archived, now)
        refilled = _refilled(standing, archived)
        written = await write(core, changes, at=now, actor=actor, refilled=refilled)
        if not isinstance(written, Refused):
            for scope in {change.after.scope for change in changes}:
                core.short_term.reread(scope)
            return [core.accesses.overlay(change.after) for change in changes]
        left = [whole.memory for whole in standing]
    raise Conflict(
        f"others kept changing the same memories; gave up after "
        f"{core.settings.conflict_retries + 1} tries, nothing was brought back"
    )


async def _standing(core: Core, memories: Sequence[Memory]) -> list[Whole]:
    ids_of: dict[tuple[str, str], list[str]] = defaultdict(list)
    for memory in memories:
        ids_of[memory.scope.walls].append(memory.id)
    found: dict[str, Whole] = {}
    for (tenant, user), ids in ids_of.items():
        found |= await core.store.whole(Scope(tenant=tenant, user=user), ids)
    return [found[memory.id] for memory in memories if memory.id in found]


def _refilled(standing: Sequence[Whole], archived: Mapping[str, Whole]) -> tuple[JournalEntry, ...]:
    return tuple(
        entry
        for whole in standing
        for entry in refills(whole.entries, archived[whole.memory.id].entries)
    )


async def _changes(
    core: Core, standing: Sequence[Whole], archived: Mapping[str, Whole], now: datetime
) -> list[Change]:
    changes = [
        Change(
            operation=Operation.RESTORED,
            before=whole.memory,
            after=touched(brought_back(whole.memory, archived[whole.memory.id].memory), now),
            vectors=archived[whole.memory.id].vectors,
        )
        for whole in standing
    ]
    return await _with_vectors(core, changes)


async def _with_vectors(core: Core, changes: list[Change]) -> list[Change]:
    """The archived vectors where they are by the model in use; otherwise they are made again.

    Those of words are not archived: they are as large as the rest together, and quickly made.
    """
    model = core.embedding.identity
    if model is None:
        return changes
    lacking, wordless = [], []
    for place, change in enumerate(changes):
        if change.vectors is None or change.vectors.model != model:
            lacking.append(place)
        elif core.embedding.token_model is not None:
            wordless.append((place, change.vectors))
    made = await core.embedding.vectors(
        [changes[place].after.searchable_text for place in lacking],
        speakers=[changes[place].after.source.speaker for place in lacking],
    )
    for place, vectors in zip(lacking, made, strict=True):
        changes[place] = replace(changes[place], vectors=vectors)
    tokens = await core.embedding.tokens(
        [changes[place].after.searchable_text for place, _ in wordless],
        speakers=[changes[place].after.source.speaker for place, _ in wordless],
    )
    for (place, vectors), own in zip(wordless, tokens, strict=True):
        changes[place] = replace(changes[place], vectors=replace(vectors, tokens=own))
    return changes


async def restore_archived(
    core: Core, condition: Condition, *, now: datetime, actor: str | None
) -> list[str]:
    """Bring back everything away that the condition admits; the ids, in order of recording.

    In transactions of up to 5,000 memories; what was brought back before a failure stays back.
    """
    ids: list[str] = []
    after: Position | None = None
    while True:
        query = Query(condition=condition, limit=AT_ONCE, after=after)
        page = await core.store.query(query)
        if not page:
            return ids
        after = Position(sort_value(page[-1], query.order), page[-1].id)
        ids += [memory.id for memory in await bring_back(core, page, now=now, actor=actor)]
