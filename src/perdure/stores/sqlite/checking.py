"""Looking at everything in a file: rows, indexes, links, chains, and what is derived."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from perdure.domain.changes import JournalEntry
from perdure.domain.records import Memory, State
from perdure.domain.text import fingerprint
from perdure.ports.embedder import FloatArray
from perdure.ports.store import Finding
from perdure.stores._verification import chain_findings, link_findings, replay_findings
from perdure.stores.sqlite.entries import NO_LIMIT, entry_of
from perdure.stores.sqlite.preparing import packed_lexemes
from perdure.stores.sqlite.reading import UNREADABLE
from perdure.stores.sqlite.rows import Row, Walls, earned_by, memory_of
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.vectors import ENCODINGS, packed_bytes, unpack

_SOUND = "ok"
_LENGTH_TOLERANCE = 0.05


class Derived(NamedTuple):
    """Something derived that is wrong, and how to mend it: a statement and its values.

    `memory` is its number, for the search indexes; 0 when no memory is concerned.
    """

    finding: Finding
    statement: str
    values: tuple[object, ...]
    memory: int


def file_findings(connection: sqlite3.Connection) -> list[Finding]:
    """What SQLite finds wrong with the file itself."""
    return [
        Finding(place="file", problem=problem)
        for (problem,) in connection.execute("PRAGMA integrity_check(100)")
        if problem != _SOUND
    ]


def partitions(connection: sqlite3.Connection) -> list[tuple[int, Walls]]:
    """Every partition: its number and walls."""
    rows = connection.execute(statements()["all_partitions"]).fetchall()
    return [(number, (tenant, user)) for number, tenant, user in rows]


class PartitionCheck:
    """The findings of one partition. Read in one transaction of the caller's."""

    def __init__(self, connection: sqlite3.Connection, number: int, walls: Walls) -> None:
        self._connection = connection
        self._number = number
        self._walls = walls
        self._sql = statements()
        self._suspects: set[str | None] = set()
        self.findings: list[Finding] = []
        self.derived: list[Derived] = []

    def run(self) -> None:
        """Fill `findings` and `derived`."""
        stored = dict(self._memories())
        entries = list(self._entries())
        self.findings.extend(chain_findings(entries))
        memories = {memory.id: memory for memory in stored.values()}
        self.findings.extend(self._replayed(entries, memories))
        self.findings.extend(
            finding for finding in link_findings(memories) if not self._excuses(finding, memories)
        )
        last_entries = self._entry_links()
        for seq, memory in stored.items():
            self.derived.extend(self._row_derived(seq, memory, last_entries.get(seq)))

    def _find(self, place: str, problem: str, memory_id: str | None = None) -> None:
        self.findings.append(Finding(place=place, problem=problem, memory_id=memory_id))

    def _memories(self) -> Iterator[tuple[int, Memory]]:
        rows = self._connection.execute(self._sql["partition_memories"], (self._number,))
        for row in rows.fetchall():
            try:
                yield row[0], memory_of(row, {self._number: self._walls})
            except UNREADABLE as error:
                self._suspects.add(row[2])
                self._find("records", f"unreadable row: {type(error).__name__}", row[2])

    def _entries(self) -> Iterator[JournalEntry]:
        asked = {"partition": self._number, "after": 0, "limit": NO_LIMIT}
        for row in self._connection.execute(self._sql["partition_entries"], asked).fetchall():
            try:
                entry = entry_of(row, self._walls)
            except UNREADABLE as error:
                self._suspects.add(row[3])
                problem = f"entry {row[0]} is unreadable: {type(error).__name__}"
                self._find("journal", problem, row[3])
                continue
            if row[3] is None:
                self._find("journal", f"the memory of entry {row[0]} is not stored")
                continue
            yield entry

    def _replayed(
        self, entries: list[JournalEntry], memories: dict[str, Memory]
    ) -> Iterator[Finding]:
        told = [entry for entry in entries if entry.memory_id not in self._suspects]
        stored = {key: item for key, item in memories.items() if key not in self._suspects}
        yield from replay_findings(told, stored)

    def _excuses(self, finding: Finding, memories: dict[str, Memory]) -> bool:
        """Whether the successor that seems to be missing is there, but unreadable."""
        memory = memories.get(finding.memory_id or "")
        return memory is not None and memory.superseded_by in self._suspects

    def _entry_links(self) -> dict[int, int]:
        """The last entry of each memory; what is wrong with the links before it is noted."""
        last: dict[int, int] = {}
        rows = self._connection.execute(self._sql["entry_places"], (self._number,)).fetchall()
        for sequence, memory, before in rows:
            expected = last.get(memory, 0)
            if before != expected:
                problem = f"entry {sequence} does not name the memory's entry before it"
                finding = Finding(place="entries", problem=problem)
                self.derived.append(Derived(finding, "mend_before", (expected, sequence), 0))
            last[memory] = sequence
        return last

    def _row_derived(self, seq: int, memory: Memory, last: int | None) -> Iterator[Derived]:
        row = self._connection.execute(self._sql["derived_of"], (seq,)).fetchone()
        (
            last_entry,
            stored_fingerprint,
            stored_lexemes,
            is_awaiting,
        ) = row
        if last is not None and last_entry != last:
            yield _derived(
                "entries", "the last entry is another", memory, "mend_last_entry",
                (last, seq, last_entry), 0,
            )  # fmt: skip
        wanted = fingerprint(memory.content)
        if stored_fingerprint != wanted:
            yield _derived(
                "fingerprints", "not that of the text", memory, "mend_fingerprint",
                (wanted, seq, memory.version), seq,
            )  # fmt: skip
        earned = earned_by(memory.strength)
        if self._connection.execute(self._sql["earned_of"], (seq,)).fetchone() != earned:
            yield _derived(
                "rests", "not what its reviews have earned it", memory, "mend_earned",
                (*earned, seq, memory.version), 0,
            )  # fmt: skip
        terms = packed_lexemes(memory)
        if stored_lexemes != terms:
            yield _derived(
                "terms", "the stored terms are not those of the text", memory, "mend_lexemes",
                (terms, seq, memory.version), seq,
            )  # fmt: skip
        vectors = self._connection.execute(self._sql["vectors_of"], (seq,)).fetchall()
        has_vectors = bool(vectors)
        if has_vectors and not _are_sound(vectors):
            has_vectors = False
            yield _derived(
                "vectors",
                "not as many or not as long as they say, or no directions",
                memory,
                "drop_vectors",
                (seq,),
                seq,
            )
        should_wait = not (has_vectors or memory.is_stub or memory.state is State.FORGOTTEN)
        if should_wait and not is_awaiting:
            yield _derived(
                "awaiting_vectors", "without vectors, and not waiting for any", memory,
                "await_vectors", (memory.id,), 0,
            )  # fmt: skip
        elif is_awaiting and has_vectors:
            yield _derived(
                "awaiting_vectors", "waiting for vectors it has", memory,
                "stop_awaiting", (memory.id,), 0,
            )  # fmt: skip


def _are_sound(rows: list[Row]) -> bool:
    """Whether these are all rows of one memory's vectors, each of the right length."""
    expected_more = [len(rows) - 1] + [0] * (len(rows) - 1)
    return (
        [row[0] for row in rows] == list(range(len(rows)))
        and [row[3] for row in rows] == expected_more
        and all(
            encoding in ENCODINGS.values()
            and type(pieces) is int
            and pieces > 0
            and dimension is not None
            and isinstance(data, bytes)
            and len(data) == packed_bytes(encoding, pieces, dimension)
            and _are_directions(unpack(encoding, pieces, data, dimension))
            for _, encoding, pieces, _, data, dimension in rows
        )
    )


def _are_directions(vectors: FloatArray) -> bool:
    """Whether each vector is of unit length, or zero as an embedder may have it."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return bool(np.all((lengths == 0.0) | (np.abs(lengths - 1.0) < _LENGTH_TOLERANCE)))


def _derived(
    place: str, problem: str, memory: Memory, statement: str, values: tuple[object, ...], seq: int
) -> Derived:
    finding = Finding(place=place, problem=problem, memory_id=memory.id)
    return Derived(finding, statement, values, seq)


def loose_ends(connection: sqlite3.Connection) -> list[Derived]:
    """Derived rows that belong to nothing: vectors of other models or of no memory, and so on."""
    found: list[Derived] = []
    sql = statements()
    for (memory,) in connection.execute(sql["stray_vectors"]).fetchall():
        finding = Finding(place="vectors", problem="of no memory, or by another model than is used")
        found.append(Derived(finding, "drop_vectors", (memory,), memory))
    for (memory,) in connection.execute(sql["stray_tokens"]).fetchall():
        finding = Finding(place="token_vectors", problem="damaged, or of a memory without vectors")
        found.append(Derived(finding, "drop_tokens", (memory,), memory))
    for (memory_id,) in connection.execute(sql["stray_awaiting"]).fetchall():
        finding = Finding(place="awaiting_vectors", problem="a memory that does not exist waits")
        found.append(Derived(finding, "stop_awaiting", (memory_id,), 0))
    for partition, agent, memories in connection.execute(sql["miscounted"]).fetchall():
        finding = Finding(place="residents", problem="not as many hot memories as are stored")
        found.append(Derived(finding, "mend_count", (partition, agent, memories), 0))
    return found
