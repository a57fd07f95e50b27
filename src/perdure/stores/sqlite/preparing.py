"""A change set made ready to be written: everything that needs no database is computed before the
write lock is taken, so that it is held briefly."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from secrets import token_bytes
from typing import Any, NamedTuple

from perdure.domain.analysis import lexemes
from perdure.domain.changes import Change, ChangeSet, JournalEntry
from perdure.domain.journal import SALT_BYTES, Line, canonical, lines_of, payload, seal_of
from perdure.domain.records import Memory
from perdure.domain.text import fingerprint
from perdure.domain.times import iso, to_micros
from perdure.stores.sqlite.abridging import abridged
from perdure.stores.sqlite.rows import COLUMNS, COUNTERS, row_of
from perdure.stores.sqlite.tokens import PackedTokens, pack_tokens
from perdure.stores.sqlite.vectors import Packed, pack

Walls = tuple[str, str]


class Entry(NamedTuple):
    """One journal entry but for its place: `covered` is what its digest covers, `change` what
    `abridging` keeps of the change, and `salt` keys what the digest covers of it."""

    operation: str
    version: int
    at_us: int
    actor: str
    reason: str | None
    change: str
    covered: bytes
    salt: bytes


class Insertion(NamedTuple):
    """A new memory."""

    walls: Walls
    row: tuple[Any, ...]
    fingerprint: int
    lexemes: bytes
    vectors: tuple[Packed, ...]
    model: str | None
    dimension: int
    tokens: PackedTokens | None
    entry: Entry


class Modification(NamedTuple):
    """A new version of a memory: the columns that changed, by name."""

    walls: Walls
    id: str
    columns: dict[str, Any]
    counters: dict[str, Any]
    text_changed: bool
    is_stub: bool
    vectors: tuple[Packed, ...]
    model: str | None
    dimension: int
    tokens: PackedTokens | None
    entry: Entry


class Access(NamedTuple):
    """A memory was recalled."""

    walls: Walls
    id: str
    times: int
    last_us: int
    entry: Entry


class Prepared(NamedTuple):
    """All of a change set, in order. `fingerprints` are those of the `unless_known` positions."""

    changes: ChangeSet
    steps: tuple[Insertion | Modification, ...]
    accesses: tuple[Access, ...]
    fingerprints: dict[int, int]
    refills: tuple[tuple[Any, ...], ...] = ()


def packed_lexemes(memory: Memory) -> bytes:
    """The terms of the memory as the `lexemes` column holds them."""
    codes = lexemes(memory.indexed_text)
    return struct.pack(f"<{len(codes)}I", *codes)


def prepared(changes: ChangeSet, *, encoding: int) -> Prepared:
    """The change set ready to be written. `encoding` is how vectors are packed."""
    lines = lines_of(changes)
    steps = tuple(
        _inserted(change, _entry(next(lines), changes), encoding)
        if change.before is None
        else _modified(
            change,
            _entry(next(lines), changes),
            encoding,
            counts=change.after.id in changes.emptied,
        )
        for change in changes.changes
    )
    return Prepared(
        changes,
        steps,
        tuple(_accesses(changes, lines)),
        _fingerprints(changes, steps),
        tuple(map(_refill, changes.refilled)),
    )


def _refill(entry: JournalEntry) -> tuple[Any, ...]:
    """The values of the statement `refill_entry`."""
    change = dict(entry.change)
    kept = abridged(change, canonical(change), at=iso(entry.at))
    return (
        entry.reason,
        kept,
        bytes.fromhex(entry.salt),
        entry.sequence,
        bytes.fromhex(entry.seal),
    )


def _fingerprints(
    changes: ChangeSet, steps: tuple[Insertion | Modification, ...]
) -> dict[int, int]:
    found: dict[int, int] = {}
    for position in changes.unless_known:
        step = steps[position]
        found[position] = (
            step.fingerprint
            if isinstance(step, Insertion)
            else fingerprint(changes.changes[position].after.content)
        )
    return found


def _entry(line: Line, changes: ChangeSet) -> Entry:
    change, at, salt = canonical(line.change), iso(line.at), token_bytes(SALT_BYTES)
    seal = seal_of(salt.hex(), line.reason, change)
    covered = payload(
        at=at,
        operation=line.operation,
        memory_id=line.memory_id,
        version=line.version,
        actor=line.actor,
        request_id=changes.request_id,
        config_hash=changes.config_hash,
        seal=seal,
    )
    at_us = to_micros(line.at)
    kept = abridged(line.change, change, at=at)
    return Entry(line.operation, line.version, at_us, line.actor, line.reason, kept, covered, salt)


def _inserted(change: Change, entry: Entry, encoding: int) -> Insertion:
    memory, vectors = change.after, change.vectors
    return Insertion(
        memory.scope.walls,
        row_of(memory),
        fingerprint(memory.content),
        packed_lexemes(memory),
        () if vectors is None else pack(vectors.rows, encoding),
        None if vectors is None else vectors.model,
        0 if vectors is None else vectors.rows.shape[1],
        pack_tokens(vectors),
        entry,
    )


def _modified(change: Change, entry: Entry, encoding: int, *, counts: bool) -> Modification:
    """`counts` says that the counters are written as they are, whatever is stored."""
    assert change.before is not None
    before, after, vectors = change.before, change.after, change.vectors
    changed = {
        name: value
        for name, old, value in zip(COLUMNS, row_of(before), row_of(after), strict=True)
        if old != value or type(old) is not type(value)
    }
    counters = {name: changed.pop(name) for name in COUNTERS & changed.keys()}
    if counts:
        row = dict(zip(COLUMNS, row_of(after), strict=True))
        counters = {name: row[name] for name in COUNTERS}
    if before.content != after.content:
        changed["fingerprint"] = fingerprint(after.content)
    text_changed = change.text_changed
    if text_changed:
        changed["lexemes"] = packed_lexemes(after)
    return Modification(
        after.scope.walls,
        after.id,
        changed,
        counters,
        text_changed,
        after.is_stub,
        () if vectors is None else pack(vectors.rows, encoding),
        None if vectors is None else vectors.model,
        0 if vectors is None else vectors.rows.shape[1],
        pack_tokens(vectors),
        entry,
    )


def _accesses(changes: ChangeSet, lines: Iterator[Line]) -> Iterator[Access]:
    for access, line in zip(changes.accesses, lines, strict=True):
        yield Access(
            access.scope.walls,
            access.memory_id,
            access.count,
            to_micros(access.last_at),
            _entry(line, changes),
        )
