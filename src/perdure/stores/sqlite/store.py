"""The SQLite store. See `perdure.ports.store.Store` for what each method promises."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from perdure.domain.batches import Whole
from perdure.domain.changes import (
    Applied,
    ChangeSet,
    JournalEntry,
    Refused,
    TokenVectors,
    Vectors,
)
from perdure.domain.erasure import Erased, Erasure
from perdure.domain.query import Condition, Found, Query, Search
from perdure.domain.records import Memory
from perdure.domain.resting import Crowd, Due, Lifeline
from perdure.domain.scope import Scope
from perdure.domain.times import to_micros
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.domain.walking import Walk
from perdure.errors import Closed
from perdure.ports.store import Finding, Sizes
from perdure.stores.sqlite import archived, embedding
from perdure.stores.sqlite.checkpointing import Checkpointer
from perdure.stores.sqlite.committer import Committer, Work
from perdure.stores.sqlite.connections import ProcessGuard, Readers, keep_for_parent
from perdure.stores.sqlite.durability import IS_SUPPORTED, LogFlusher
from perdure.stores.sqlite.entries import JournalReader
from perdure.stores.sqlite.failures import translated
from perdure.stores.sqlite.finding import Finder
from perdure.stores.sqlite.indexing import Indexes
from perdure.stores.sqlite.listing import Lister
from perdure.stores.sqlite.opening import open_writer
from perdure.stores.sqlite.options import SqliteOptions
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.preparing import prepared
from perdure.stores.sqlite.raw_file import RawFile
from perdure.stores.sqlite.reading import Reader, readable
from perdure.stores.sqlite.resting import UpkeepReader
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.tokens import read_tokens
from perdure.stores.sqlite.vectors import ENCODINGS
from perdure.stores.sqlite.writing import write

if TYPE_CHECKING:
    from perdure.stores._reference import ReferenceReads
    from perdure.stores.sqlite.compacting import Compactor
    from perdure.stores.sqlite.erasing import Eraser

# What few programs use is imported where it is used, so that opening a store stays quick.

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class SqliteStore:
    """Keeps memories in one file. Several threads and processes may use it at once."""

    is_blocking = True

    @classmethod
    def open(cls, options: SqliteOptions) -> SqliteStore:
        """The store in the file, which is made if there is none.

        Raises `Misconfigured`, `NewerStore`, `CorruptStore` or `Unavailable`; a file that cannot
        be used is left as it is.
        """
        absolute = replace(options, path=options.path.absolute())
        return cls(absolute, open_writer(absolute))

    def __init__(self, options: SqliteOptions, writer: sqlite3.Connection) -> None:
        self._path = options.path
        self._sql = statements()
        self._encoding = ENCODINGS[options.vector_format]
        self._guard = ProcessGuard(options.path)
        self._raw = RawFile(options.path)
        self._writer = writer
        flushes = options.durability == "full" and IS_SUPPORTED
        self._committer = Committer(
            writer,
            options.path,
            busy_timeout_s=options.busy_timeout_s,
            flusher=LogFlusher(options.path) if flushes else None,
        )
        self._readers = Readers(options.path, timeout_s=options.busy_timeout_s)
        (page_size,) = writer.execute("PRAGMA page_size").fetchone()
        self._checkpointer = Checkpointer(
            options.path,
            self._committer,
            self._readers,
            limit_bytes=options.checkpoint_bytes,
            page_size=page_size,
        )
        self._partitions = Partitions()
        self._indexes = Indexes(budget_bytes=options.index_bytes)
        self._reader = Reader(self._partitions, self._indexes)
        self._journal = JournalReader(self._partitions)
        self._upkeep = UpkeepReader(self._partitions)
        self._is_closed = False

    async def apply(self, changes: ChangeSet) -> Applied | Refused:
        """Write everything in the change set, or nothing."""
        if not (
            changes.changes
            or changes.accesses
            or changes.idempotency
            or changes.slots
            or changes.marks
        ):
            return Applied(sequence=self._read(self._last_sequence))
        ready = prepared(changes, encoding=self._encoding)
        return self._write(lambda tx: write(tx, ready))

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids behind the scope's walls, whatever their state."""
        return self._read(lambda connection: self._reader.get(connection, scope, ids))

    async def slot(self, scope: Scope, key: str) -> list[Memory]:
        """The slot's unretired, unforgotten memories, ordered by (valid_from, id)."""
        return self._read(lambda connection: self._reader.slot(connection, scope, key))

    async def query(self, query: Query) -> list[Memory]:
        """One page, sorted by the order's value and then by id."""
        view = query.condition.view
        if view.known_as_of is not None:
            return self._read(lambda connection: self._known(connection, view).query(query))
        return self._read(lambda connection: self._lister(connection).query(query))

    async def neighbours(self, walk: Walk) -> list[Memory]:
        """The facts within so many steps of the names, the nearest first."""
        view = walk.condition.view
        if view.known_as_of is not None:
            return self._read(lambda connection: self._known(connection, view).neighbours(walk))
        return self._read(lambda connection: self._lister(connection).neighbours(walk))

    async def count(self, condition: Condition) -> int:
        """How many memories the condition admits."""
        view = condition.view
        if view.known_as_of is not None:
            return self._read(lambda connection: self._known(connection, view).count(condition))
        return self._read(lambda connection: self._lister(connection).count(condition))

    async def search(self, search: Search) -> Found:
        """Both arms' best candidates among what the condition admits."""
        view = search.condition.view
        if view.known_as_of is not None:
            return self._read(lambda connection: self._known(connection, view).search(search))
        return self._read(lambda connection: self._search(connection, search))

    async def history(self, scope: Scope, memory_id: str) -> list[JournalEntry]:
        """The memory's journal entries in order, without accesses."""
        return self._read(lambda connection: self._journal.history(connection, scope, memory_id))

    async def changes_since(
        self, view: View, sequence: int, *, limit: int | None = None
    ) -> list[JournalEntry]:
        """Journal entries the view's scope admits, with a higher sequence, in order."""
        return self._read(
            lambda connection: self._journal.changes_since(connection, view, sequence, limit)
        )

    async def identity(self) -> str:
        """A name of this store that no other has and that never changes."""
        return self._read(archived.identity)

    async def whole(self, scope: Scope, ids: Sequence[str]) -> dict[str, Whole]:
        """Everything held of these memories, all as of one moment."""
        return self._read(
            lambda connection: archived.whole(
                connection, self._partitions, self._journal, scope, ids
            )
        )

    async def archived_batches(self) -> dict[str, int]:
        """How many memories, of any scope and state, point into each batch of the archive."""
        return self._read(archived.archived_batches)

    async def archived_in(self, batch: str) -> list[Memory]:
        """The memories of any scope and state whose place is in this batch."""
        return self._read(
            lambda connection: archived.archived_in(connection, self._partitions, batch)
        )

    async def token_vectors(
        self, view: View, ids: Sequence[str], *, model: str
    ) -> dict[str, TokenVectors]:
        """The token vectors by this model of the memories with these ids."""

        def work(connection: sqlite3.Connection) -> dict[str, TokenVectors]:
            numbers = self._reader.partitions_of(connection, view)
            return read_tokens(connection, numbers, ids, model)

        return self._read(work)

    async def lacking_vectors(
        self, model: str, *, tokens: str | None = None, limit: int
    ) -> list[Memory]:
        """Memories of any scope, not forgotten, without vectors by this model; by id."""

        def work(connection: sqlite3.Connection) -> list[Memory]:
            rows, walls = embedding.lacking(connection, self._partitions, model, tokens, limit)
            return list(readable(rows, walls))

        return self._read(work)

    async def put_vectors(self, vectors: Mapping[str, tuple[int, Vectors]]) -> int:
        """Set the vectors of memories by id, each only while its version is the given one."""
        self._check_open()
        if not vectors:
            return 0
        offered = embedding.offers(vectors, encoding=self._encoding)
        return self._write(lambda tx: embedding.put(tx, offered))

    async def embedding_model(self) -> str | None:
        """Identity of the model whose vectors this store uses."""
        return self._read(embedding.present_model)

    async def adopt_model(self, model: str, *, replacing: str | None) -> bool:
        """Make `model` the one whose vectors are used, if the present one is `replacing`."""
        is_adopted = self._write(lambda tx: embedding.adopt(tx, model, replacing=replacing))
        if is_adopted:
            while self._write(embedding.drop_foreign):
                pass
        return is_adopted

    async def due(self, view: View, due: Due) -> list[Lifeline]:
        """Memories the view's scope admits that rest long enough or have expired."""
        return self._read(lambda connection: self._upkeep.due(connection, view, due))

    async def crowded(self, view: View, *, above: int) -> list[Crowd]:
        """Agents, each of one user, with more than `above` hot memories."""
        return self._read(lambda connection: self._upkeep.crowded(connection, view, above))

    async def residents(self, scope: Scope) -> list[Lifeline]:
        """Every hot memory of exactly this tenant, user and agent."""
        return self._read(lambda connection: self._upkeep.residents(connection, scope))

    async def days_of_use(self, view: View, *, since: date) -> list[DayOfUse]:
        """How often what the view's scope admits was recalled and used, by day."""
        return self._read(lambda connection: self._upkeep.days_of_use(connection, view, since))

    async def inventory(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """Ids of everything a scope admits, whatever its state, each with what it supports."""
        return self._erasing().inventory(scope)

    async def erase(self, erasure: Erasure) -> Erased | Refused:
        """Take the contents of memories out of everything, or, refused, out of nothing."""
        return self._erasing().erase(erasure)

    async def withheld(self, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
        """The positions of texts whose words were erased behind the scope's walls."""
        return self._erasing().withheld(scope, texts)

    async def withholding_key(self) -> bytes:
        """The random key that traces are made with, of this store alone."""
        return self._erasing().key()

    async def compact(self) -> bool:
        """Free the file of the bytes of what was erased; whether it is free of it now."""
        return self._compacting().compact()

    async def lease(self, name: str, *, owner: str, now: datetime, duration: timedelta) -> bool:
        """Take or renew an exclusive right until `now` + `duration`."""
        asked = {
            "name": name,
            "owner": owner,
            "now": to_micros(now),
            "until": to_micros(now + duration),
        }
        return self._write(
            lambda tx: tx.execute(self._sql["take_lease"], asked).fetchone() is not None
        )

    async def release(self, name: str, *, owner: str) -> None:
        """Give a lease back."""
        self._write(lambda tx: tx.execute(self._sql["release_lease"], (name, owner)))

    async def mark(self, name: str) -> int | None:
        """The number kept under a name; None when there is none."""

        def work(connection: sqlite3.Connection) -> int | None:
            row = connection.execute(self._sql["mark"], (name,)).fetchone()
            return None if row is None else int(row[0])

        return self._read(work)

    async def sizes(self, view: View) -> Sizes:
        """Counts and bytes for `stats`."""
        return self._read(lambda connection: self._sizes(connection, view))

    async def check(self, *, repair: bool) -> list[Finding]:
        """Look at every row, index, link and the journal's chain; repair what is derived."""
        from perdure.stores.sqlite.repairing import Inspector

        inspector = Inspector(
            read=self._read, write=self._write, rebuild=self._committer.exclusively
        )
        return [*inspector.check(repair=repair), *self._compacting().check(repair=repair)]

    async def backup(self, target: Path) -> None:
        """A consistent copy at a path that does not exist yet, made while writes go on."""
        from perdure.stores.sqlite.copying import copy_to

        self._read(lambda connection: copy_to(connection, target))

    async def close(self) -> None:
        """Finish what was acknowledged and let go of the file."""
        if self._is_closed:
            return
        self._is_closed = True
        self._indexes.clear()
        if not self._guard.is_owner:
            keep_for_parent(self._writer)
            self._readers.abandon()
            return
        self._readers.close()
        self._committer.close()
        self._raw.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise Closed(f"the store {self._path} was closed")
        self._guard.check()

    def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        self._check_open()
        try:
            with self._readers.borrow() as connection:
                return work(connection)
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def _write(self, work: Work[Result]) -> Result:
        self._check_open()
        try:
            result = self._committer.run(work)
            self._checkpointer.fold_if_due()
            return result
        except sqlite3.Error as error:
            raise translated(error, self._path) from error

    def _erasing(self) -> Eraser:
        from perdure.stores.sqlite.erasing import Eraser

        return Eraser(
            read=self._read,
            write=self._write,
            partitions=self._partitions,
            indexes=self._indexes,
            encoding=self._encoding,
        )

    def _compacting(self) -> Compactor:
        from perdure.stores.sqlite.compacting import Compactor

        return Compactor(
            self._path,
            self._raw,
            read=self._read,
            write=self._write,
            exclusively=self._exclusively,
        )

    def _exclusively(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        self._check_open()
        return self._committer.exclusively(action)

    def _last_sequence(self, connection: sqlite3.Connection) -> int:
        (sequence,) = connection.execute(self._sql["last_sequence"]).fetchone()
        return int(sequence)

    def _search(self, connection: sqlite3.Connection, search: Search) -> Found:
        numbers = self._reader.partitions_of(connection, search.condition.view)
        return Finder(connection, self._indexes).search(numbers, search)

    def _known(self, connection: sqlite3.Connection, view: View) -> ReferenceReads:
        from perdure.stores.sqlite.known import known_reads

        assert view.known_as_of is not None
        numbers = self._reader.partitions_of(connection, view)
        return known_reads(connection, self._partitions, self._journal, numbers, view.known_as_of)

    def _lister(self, connection: sqlite3.Connection) -> Lister:
        return Lister(connection, self._partitions, self._indexes, self._reader)

    def _sizes(self, connection: sqlite3.Connection, view: View) -> Sizes:
        narrowing = not view.everything
        rows = connection.execute(
            self._sql["sizes"],
            {
                "tenant": view.scope.tenant,
                "user": view.scope.user,
                "everything": view.everything,
                "agent": view.scope.agent if narrowing else "",
                "session": view.scope.session if narrowing else "",
            },
        ).fetchall()
        return Sizes(
            memories={state: count for state, count, *_ in rows},
            recalled=sum(int(row[2]) for row in rows),
            used=sum(int(row[3]) for row in rows),
            without_vector=sum(int(row[4]) for row in rows if row[0] != "forgotten"),
            bytes=sum(_size(Path(f"{self._path}{suffix}")) for suffix in ("", "-wal")),
        )


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0
