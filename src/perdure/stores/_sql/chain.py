"""The journal lines of a change set, chained to what each (tenant, user)'s journal ends with."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import NamedTuple

from perdure.domain.changes import ChangeSet
from perdure.domain.journal import (
    GENESIS,
    SALT_BYTES,
    Line,
    canonical,
    chained,
    lines_of,
    payload,
    seal_of,
)
from perdure.domain.times import iso

Walls = tuple[str, str]


class ChainedLine(NamedTuple):
    """A line with its change as canonical JSON, the digest before it, its own, and the seal of
    its contents with the salt that keys it."""

    line: Line
    change: str
    previous: str
    digest: str
    salt: str
    seal: str


def chained_lines(changes: ChangeSet, heads: Mapping[Walls, str]) -> list[ChainedLine]:
    """What the change set writes into the journal, in order.

    `heads` has the last digest of each (tenant, user)'s journal; one without has no entries yet.
    """
    last = dict(heads)
    written: list[ChainedLine] = []
    for line in lines_of(changes):
        previous = last.get(line.scope.walls, GENESIS)
        change, salt = canonical(line.change), token_hex(SALT_BYTES)
        seal = seal_of(salt, line.reason, change)
        covered = payload(
            at=iso(line.at),
            operation=line.operation.value,
            memory_id=line.memory_id,
            version=line.version,
            actor=line.actor,
            request_id=changes.request_id,
            config_hash=changes.config_hash,
            seal=seal,
        )
        last[line.scope.walls] = digest = chained(previous, covered)
        written.append(ChainedLine(line, change, previous, digest, salt, seal))
    return written
