"""New versions of one record: edits and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum

from perdure.domain.changes import Change, Operation
from perdure.domain.codec import difference
from perdure.domain.feedback import after_feedback
from perdure.domain.filters import json_value
from perdure.domain.records import Json, Memory
from perdure.domain.scope import Scope
from perdure.domain.text import shown
from perdure.engine.archive_reading import is_away
from perdure.engine.archive_restoring import bring_back
from perdure.engine.core import Core
from perdure.engine.drafts import Moment, expiry_of, flag, metadata_of, share, text_of
from perdure.engine.reading import stored
from perdure.engine.reembedding import make_up_backlog
from perdure.engine.supports import require_own_words
from perdure.engine.writing import deciding, write_or_retry
from perdure.errors import Conflict, InvalidInput


class Keep(Enum):
    """Says that an argument was not given, where None means something."""

    KEEP = "keep"


KEEP = Keep.KEEP


def merged_metadata(memory: Memory, change: Mapping[str, Json]) -> Mapping[str, Json]:
    """The metadata after a merge: given keys are set, keys given as None are removed.

    As in JSON Merge Patch (RFC 7396), at the top level only.
    """
    given = json_value(change, name="metadata")
    kept = {key: value for key, value in memory.metadata.items() if key not in given}
    return {**kept, **{key: value for key, value in given.items() if value is not None}}


def edited(
    core: Core,
    memory: Memory,
    *,
    now: datetime,
    content: str | None,
    metadata: Mapping[str, Json] | None,
    importance: float | None,
    pinned: bool | None,
    held: bool | None,
    expires_at: Moment | timedelta | Keep | None,
) -> Memory:
    """The memory with the given parts changed; the same object when nothing differs."""
    settings = core.settings
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(metadata).__name__}")
    if pinned is not None:
        flag(pinned, "pinned")
    if held is not None:
        flag(held, "held")
    new = replace(
        memory,
        content=memory.content if content is None else text_of(content, settings),
        metadata=(
            memory.metadata
            if metadata is None
            else metadata_of(merged_metadata(memory, metadata), settings)
        ),
        importance=memory.importance if importance is None else share(importance, "importance"),
        pinned=memory.pinned if pinned is None else pinned,
        held=memory.held if held is None else held,
        expires_at=(
            memory.expires_at if isinstance(expires_at, Keep) else expiry_of(expires_at, now)
        ),
    )
    # Not by ==, to which 1 and true are the same.
    return replace(new, version=memory.version + 1) if difference(memory, new) else memory


async def update(
    core: Core,
    scope: Scope,
    memory_id: str,
    *,
    now: datetime,
    actor: str | None,
    expected_version: int | None,
    content: str | None,
    metadata: Mapping[str, Json] | None,
    importance: float | None,
    pinned: bool | None,
    held: bool | None,
    expires_at: Moment | timedelta | Keep | None,
) -> Memory:
    """The next version of a memory. A change that changes nothing writes nothing.

    Raises `Conflict` when `expected_version` is not the stored one, `NotFound`, `InvalidInput`.
    """
    if expected_version is not None and (
        isinstance(expected_version, bool) or not isinstance(expected_version, int)
    ):
        raise InvalidInput(
            f"expected_version must be a whole number, not {shown(expected_version)}"
        )

    async def attempt() -> Memory:
        memory = (await stored(core, scope, [memory_id]))[memory_id]
        if expected_version is not None and memory.version != expected_version:
            raise Conflict(
                f"memory {memory_id} is at version {memory.version}, not {shown(expected_version)}; "
                "read it again and repeat the change on what it says now"
            )
        if is_away(memory) and (content is not None or metadata is not None):
            # What is changed must be there: otherwise the archive would undo it later.
            await bring_back(core, [memory], now=now, actor=actor)
            memory = (await stored(core, scope, [memory_id]))[memory_id]
        if content is not None:
            require_own_words(memory)
        new = edited(
            core, memory, now=now, content=content, metadata=metadata,
            importance=importance, pinned=pinned, held=held, expires_at=expires_at,
        )  # fmt: skip
        if new is memory:
            return core.accesses.overlay(memory)
        vectors = None
        if new.searchable_text != memory.searchable_text:
            [vectors] = await core.embedding.vectors(
                [new.searchable_text], speakers=[new.source.speaker]
            )
        change = Change(operation=Operation.UPDATED, before=memory, after=new, vectors=vectors)
        answer = core.accesses.overlay(new)  # before the write takes the counts along
        await write_or_retry(core, [change], at=now, actor=actor)
        if vectors is not None and core.embedding.backlog:
            await make_up_backlog(core)
        return answer

    return await deciding(core, attempt, f"update of {memory_id}")


async def feedback(
    core: Core,
    scope: Scope,
    ids: Sequence[str],
    *,
    used: bool,
    helpful: bool | None,
    wrong: bool,
    now: datetime,
    actor: str | None,
) -> list[Memory]:
    """Note that recalled memories were used, and whether they helped; the memories after it.

    `domain.feedback` says what it does to them.
    """
    flag(used, "used")
    flag(wrong, "wrong")
    if helpful is not None:
        flag(helpful, "helpful")
    if wrong and helpful:
        raise InvalidInput("a memory that was wrong did not help; leave out helpful or wrong")

    async def attempt() -> list[Memory]:
        found = await stored(core, scope, ids)
        changes = [
            Change(
                operation=Operation.REINFORCED,
                before=memory,
                after=after_feedback(memory, used=used, helpful=helpful, wrong=wrong, now=now),
            )
            for memory in found.values()
        ]
        answer = [core.accesses.overlay(change.after) for change in changes]
        await write_or_retry(core, changes, at=now, actor=actor)
        return answer

    return await deciding(core, attempt, "feedback")
