"""A memory as a row of `memories`, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from perdure.domain.codec import FIELDS
from perdure.domain.journal import canonical
from perdure.domain.records import (
    EMPTY,
    NEW_STRENGTH,
    Kind,
    Memory,
    Metadata,
    Source,
    State,
    Strength,
)
from perdure.domain.resting import review_due_at
from perdure.domain.scope import Scope
from perdure.domain.times import from_micros, to_micros
from perdure.stores._sql.rare_fields import rare_document, rare_fields

Walls = tuple[str, str]
Row = Sequence[Any]

COLUMNS = (
    "id", "agent", "session", "kind", "state", "version", "importance", "confidence",
    "occurred_at", "occurred_until", "recorded_at", "retired_at", "valid_from", "valid_to",
    "expires_at", "superseded_by", "pinned", "key", "role", "speaker", "accessed_count",
    "used_count", "last_accessed_at", "subject", "predicate", "object", "polarity", "content",
    "metadata", "extra", "archive", "held", "interval_days", "review_due_at",
)  # fmt: skip
"""The columns a record is made of, in the order of `row_of` and of the `memory_columns` fragment
(there behind `seq` and `partition`). The last two are derived, for what looks for memories at rest."""

COUNTERS = frozenset(("accessed_count", "last_accessed_at"))

_KINDS = {kind.value: kind for kind in Kind}
_STATES = {state.value: state for state in State}
_SETTERS = tuple(getattr(Memory, name).__set__ for name in FIELDS)
"""Set the fields of a memory, in the order of FIELDS. A list is little else than rows becoming
memories, and this takes half the time of `Memory(...)`, which only sets the same fields."""
_decode = json.JSONDecoder().raw_decode


def row_of(memory: Memory) -> tuple[Any, ...]:
    """The values of COLUMNS."""
    scope, source = memory.scope, memory.source
    occurred_at = to_micros(memory.occurred_at)
    recorded_at, valid_from = memory.recorded_at, memory.valid_from
    same = recorded_at is memory.occurred_at
    until, retired, valid_to = memory.occurred_until, memory.retired_at, memory.valid_to
    expires, accessed = memory.expires_at, memory.last_accessed_at
    return (
        memory.id,
        scope.agent,
        scope.session,
        memory.kind.value,
        memory.state.value,
        memory.version,
        memory.importance,
        memory.confidence,
        occurred_at,
        None if until is None else to_micros(until),
        occurred_at if same else to_micros(recorded_at),
        None if retired is None else to_micros(retired),
        occurred_at if valid_from is memory.occurred_at else to_micros(valid_from),
        None if valid_to is None else to_micros(valid_to),
        None if expires is None else to_micros(expires),
        memory.superseded_by,
        1 if memory.pinned else 0,
        memory.key,
        source.role,
        source.speaker,
        memory.accessed_count,
        memory.used_count,
        None if accessed is None else to_micros(accessed),
        memory.subject,
        memory.predicate,
        memory.object,
        memory.polarity,
        memory.content,
        canonical(dict(memory.metadata)) if memory.metadata else None,
        _extra(memory),
        memory.archive,
        1 if memory.held else 0,
        *earned_by(memory.strength),
    )


def earned_by(strength: Strength) -> tuple[float | None, int | None]:
    """What reviews have earned: the interval where it is not the first, and when it ends."""
    if strength is NEW_STRENGTH:
        return None, None
    interval, due_at = strength.interval_days, review_due_at(strength)
    return (
        None if interval == NEW_STRENGTH.interval_days else float(interval),
        None if due_at is None else to_micros(due_at),
    )


def _extra(memory: Memory) -> str | None:
    rare = rare_document(memory)
    return canonical(rare) if rare else None


@lru_cache(maxsize=4096)
def _scope(walls: Walls, agent: str, session: str) -> Scope:
    return Scope(tenant=walls[0], agent=agent, user=walls[1], session=session)


def _decoded(text: str) -> Any:
    """The JSON value of a text that holds nothing else, as `canonical` writes it."""
    value, end = _decode(text)
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def memory_of(row: Row, walls: Mapping[int, Walls]) -> Memory:
    """The memory of a row of `memory_columns`. `walls` has the row's partition.

    Raises ValueError, TypeError, KeyError or InvalidInput for a row that describes none.
    """
    (
        _, partition, id_, agent, session, kind, state, version, importance, confidence,
        occurred_us, until, recorded_us, retired, valid_us, valid_to, expires, superseded_by,
        pinned, key, role, speaker, accessed_count, used_count, accessed, subject, predicate,
        object_, polarity, content, metadata, extra, archive, held, _, _,
    ) = row  # fmt: skip
    occurred_at = from_micros(occurred_us)
    rare = rare_fields(None if extra is None else _decoded(extra))
    if role is None and speaker is None:
        source = rare.source
    else:
        source = Source(role=role, speaker=speaker, message_ids=rare.source.message_ids)
    values = (
        id_,
        content,
        _scope(walls[partition], agent, session),
        occurred_at,
        occurred_at if recorded_us == occurred_us else from_micros(recorded_us),
        occurred_at if valid_us == occurred_us else from_micros(valid_us),
        _KINDS[kind],
        _STATES[state],
        version,
        importance,
        confidence,
        None if until is None else from_micros(until),
        None if valid_to is None else from_micros(valid_to),
        None if retired is None else from_micros(retired),
        None if expires is None else from_micros(expires),
        rare.supersedes,
        superseded_by,
        EMPTY if metadata is None else Metadata(_decoded(metadata)),
        pinned == 1,
        key,
        source,
        accessed_count,
        used_count,
        None if accessed is None else from_micros(accessed),
        subject,
        predicate,
        object_,
        polarity,
        rare.causes,
        rare.provenance,
        rare.attachments,
        rare.strength,
        rare.supports,
        rare.contradicts,
        archive,
        held == 1,
    )
    memory = object.__new__(Memory)
    for set_field, value in zip(_SETTERS, values, strict=True):
        set_field(memory, value)
    return memory
