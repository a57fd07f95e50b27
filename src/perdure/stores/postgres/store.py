"""The store on PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

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
from perdure.domain.text import sanitise
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.domain.walking import Walk
from perdure.errors import Misconfigured
from perdure.ports.store import Finding, Sizes
from perdure.stores._verification import unfinished
from perdure.stores.postgres import archived, erasing
from perdure.stores.postgres.addresses import Address, parse_address
from perdure.stores.postgres.applying import apply_in, require_storable, was_written
from perdure.stores.postgres.checking import check_all
from perdure.stores.postgres.conditions import admitting, paging, within
from perdure.stores.postgres.earlier import reads_as_known
from perdure.stores.postgres.locking import take_locks, tenant_lock
from perdure.stores.postgres.modelling import (
    adopt,
    drop_foreign,
    lacking,
    read_tokens,
    set_vectors,
)
from perdure.stores.postgres.opening import POOL_SIZE, open_pool
from perdure.stores.postgres.resting import crowded_in, days_in, due_in, residents_in
from perdure.stores.postgres.rows import entry_of, memory_of
from perdure.stores.postgres.searching import search_rows
from perdure.stores.postgres.transactions import Session, Transactions
from perdure.stores.postgres.walking import walked


class PostgresStore:
    """Keeps everything in one schema of a database. See `perdure.ports.store.Store`.

    Belongs to the event loop it was opened on. Several processes may use one schema at once.
    """

    is_blocking = False

    def __init__(self, transactions: Transactions, address: Address) -> None:
        self._transactions = transactions
        self._address = address
        self._schema = address.schema

    @classmethod
    async def open(cls, url: str, *, pool_size: int = POOL_SIZE) -> PostgresStore:
        """Connect to `postgresql://user:password@host:port/database?schema=perdure`.

        Makes the schema, or brings it up to date. Raises as `opening.open_pool` says.
        """
        address = parse_address(url)
        pool = await open_pool(address, size=pool_size)
        return cls(Transactions(pool, address.place), address)

    async def apply(self, changes: ChangeSet) -> Applied | Refused:
        """Write everything in the change set, or nothing."""
        require_storable(changes)
        written = await self._transactions.write(
            partial(apply_in, schema=self._schema, changes=changes), witness=was_written
        )
        return written.result

    async def get(self, scope: Scope, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories with these ids behind the scope's walls, whatever their state."""

        async def work(session: Session) -> dict[str, Memory]:
            rows = await session.rows(
                "by_id",
                tenant=scope.tenant,
                user_id=scope.user,
                ids=[memory_id for memory_id in ids if _is_storable(memory_id)],
            )
            return {row["id"]: memory_of(row) for row in rows}

        return await self._transactions.read(work)

    async def slot(self, scope: Scope, key: str) -> list[Memory]:
        """The slot's unretired, unforgotten memories, ordered by (valid_from, id)."""

        async def work(session: Session) -> list[Memory]:
            rows = await session.rows(
                "slot_members",
                tenant=scope.tenant,
                user_id=scope.user,
                agent=scope.agent,
                session=scope.session,
                key=key,
            )
            return [memory_of(row) for row in rows]

        return await self._transactions.read(work) if _is_storable(key) else []

    async def query(self, query: Query) -> list[Memory]:
        """One page, sorted by the order's value and then by id."""
        known_as_of = query.condition.view.known_as_of
        sql, values = paging(query)

        async def work(session: Session) -> list[Memory]:
            return [memory_of(row) for row in await session.composed_rows(sql, values)]

        async def earlier(session: Session) -> list[Memory]:
            assert known_as_of is not None
            return (await reads_as_known(session, query.condition.view, known_as_of)).query(query)

        if known_as_of is None:
            return await self._transactions.read(work)
        return await self._transactions.snapshot(earlier)

    async def neighbours(self, walk: Walk) -> list[Memory]:
        """The facts within so many steps of the names, the nearest first."""
        known_as_of = walk.condition.view.known_as_of

        async def earlier(session: Session) -> list[Memory]:
            assert known_as_of is not None
            return (await reads_as_known(session, walk.condition.view, known_as_of)).neighbours(
                walk
            )

        if known_as_of is None:
            return await self._transactions.snapshot(partial(walked, walk=walk))
        return await self._transactions.snapshot(earlier)

    async def count(self, condition: Condition) -> int:
        """How many memories the condition admits."""
        known_as_of = condition.view.known_as_of
        sql, values = admitting("count_admitted", condition)

        async def work(session: Session) -> int:
            (row,) = await session.composed_rows(sql, values)
            return int(row["count"])

        async def earlier(session: Session) -> int:
            assert known_as_of is not None
            return (await reads_as_known(session, condition.view, known_as_of)).count(condition)

        if known_as_of is None:
            return await self._transactions.read(work)
        return await self._transactions.snapshot(earlier)

    async def search(self, search: Search) -> Found:
        """Both arms' best candidates among what the condition admits."""
        known_as_of = search.condition.view.known_as_of

        async def earlier(session: Session) -> Found:
            assert known_as_of is not None
            reads = await reads_as_known(session, search.condition.view, known_as_of)
            return reads.search(search)

        if known_as_of is None:
            return await self._transactions.read(partial(search_rows, search=search))
        return await self._transactions.snapshot(earlier)

    async def history(self, scope: Scope, memory_id: str) -> list[JournalEntry]:
        """The memory's journal entries in order, without accesses."""

        async def work(session: Session) -> list[JournalEntry]:
            rows = await session.rows(
                "memory_entries", tenant=scope.tenant, user_id=scope.user, id=memory_id
            )
            return [entry_of(row) for row in rows]

        return await self._transactions.read(work) if _is_storable(memory_id) else []

    async def changes_since(
        self, view: View, sequence: int, *, limit: int | None = None
    ) -> list[JournalEntry]:
        """Journal entries the view's scope admits, with a higher sequence, in order.

        Of one user, sequences are committed in order. Of a whole tenant they are not, so that
        read waits for the writers it would otherwise overtake: no entry is ever passed over.
        """

        async def work(session: Session) -> list[JournalEntry]:
            if view.everything:
                key = tenant_lock(self._schema, view.scope.tenant)
                await take_locks(session, exclusive=[key])
            rows = await session.composed_rows(
                *within("entries_within", view, after=sequence, limit=limit)
            )
            return [entry_of(row) for row in rows]

        if view.everything:
            return await self._transactions.write(work)
        return await self._transactions.read(work)

    async def identity(self) -> str:
        """A name of this store that no other has and that never changes."""
        return await self._transactions.read(archived.identity)

    async def whole(self, scope: Scope, ids: Sequence[str]) -> dict[str, Whole]:
        """Everything held of these memories, all as of one moment."""
        known = [memory_id for memory_id in ids if _is_storable(memory_id)]
        return await self._transactions.snapshot(partial(archived.whole, scope=scope, ids=known))

    async def archived_batches(self) -> dict[str, int]:
        """How many memories, of any scope and state, point into each batch of the archive."""
        return await self._transactions.read(archived.archived_batches)

    async def archived_in(self, batch: str) -> list[Memory]:
        """The memories of any scope and state whose place is in this batch."""
        return await self._transactions.read(partial(archived.archived_in, batch=batch))

    async def token_vectors(
        self, view: View, ids: Sequence[str], *, model: str
    ) -> dict[str, TokenVectors]:
        """The token vectors by this model of the memories with these ids."""
        return await self._transactions.read(partial(read_tokens, view=view, ids=ids, model=model))

    async def lacking_vectors(
        self, model: str, *, tokens: str | None = None, limit: int
    ) -> list[Memory]:
        """Memories of any scope, not forgotten, without vectors by this model; by id."""
        return await self._transactions.read(
            partial(lacking, model=model, tokens=tokens, limit=limit)
        )

    async def put_vectors(self, vectors: Mapping[str, tuple[int, Vectors]]) -> int:
        """Set the vectors of memories by id, each only while its version is the given one."""
        if not vectors:
            return 0
        return await self._transactions.write(
            partial(set_vectors, schema=self._schema, vectors=vectors)
        )

    async def embedding_model(self) -> str | None:
        """Identity of the model whose vectors this store uses."""

        async def work(session: Session) -> str | None:
            model: str | None = await session.value("embedding_model")
            return model

        return await self._transactions.read(work)

    async def adopt_model(self, model: str, *, replacing: str | None) -> bool:
        """Make `model` the one whose vectors are used, if the present one is `replacing`.

        The vectors of the other are then removed batch by batch, while reads and writes go on.
        """
        adopted = await self._transactions.write(
            partial(adopt, schema=self._schema, model=model, replacing=replacing)
        )
        while adopted and await self._transactions.write(drop_foreign):
            pass
        return adopted

    async def due(self, view: View, due: Due) -> list[Lifeline]:
        """Memories the view's scope admits that rest long enough or have expired."""
        return await self._transactions.snapshot(partial(due_in, view=view, due=due))

    async def crowded(self, view: View, *, above: int) -> list[Crowd]:
        """Agents, each of one user, with more than `above` hot memories."""
        return await self._transactions.read(partial(crowded_in, view=view, above=above))

    async def residents(self, scope: Scope) -> list[Lifeline]:
        """Every hot memory of exactly this tenant, user and agent."""
        return await self._transactions.read(partial(residents_in, scope=scope))

    async def days_of_use(self, view: View, *, since: date) -> list[DayOfUse]:
        """How often what the view's scope admits was recalled and used, by day."""
        return await self._transactions.read(partial(days_in, view=view, since=since))

    async def inventory(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """Ids of everything a scope admits, whatever its state, each with what it supports."""
        return await self._transactions.read(partial(erasing.inventory, scope=scope))

    async def erase(self, erasure: Erasure) -> Erased | Refused:
        """Take the contents of memories out of everything, or, refused, out of nothing."""
        storable = erasure
        if erasure.ids is not None:
            storable = replace(erasure, ids=frozenset(filter(_is_storable, erasure.ids)))
        return await self._transactions.write(
            partial(erasing.erase_in, schema=self._schema, erasure=storable)
        )

    async def withheld(self, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
        """The positions of texts whose words were erased behind the scope's walls."""
        return await self._transactions.snapshot(
            partial(erasing.withheld, scope=scope, texts=texts)
        )

    async def withholding_key(self) -> bytes:
        """The random key that traces are made with, of this store alone."""
        return await self._transactions.write(erasing.withholding_key)

    async def compact(self) -> bool:
        """Free the tables of the bytes of what was erased; whether they are free of it now.

        False when the tables are large: run `VACUUM FULL` on them when they can be spared.
        """
        return await erasing.compact(self._transactions, self._address)

    async def lease(self, name: str, *, owner: str, now: datetime, duration: timedelta) -> bool:
        """Take or renew an exclusive right until `now` + `duration`."""

        async def work(session: Session) -> bool:
            taken = await session.rows(
                "take_lease", name=name, owner=owner, now=now, until=now + duration
            )
            return bool(taken)

        return await self._transactions.write(work)

    async def release(self, name: str, *, owner: str) -> None:
        """Give a lease back."""

        async def work(session: Session) -> None:
            await session.rows("release_lease", name=name, owner=owner)

        await self._transactions.write(work)

    async def mark(self, name: str) -> int | None:
        """The number kept under a name; None when there is none."""

        async def work(session: Session) -> int | None:
            value: int | None = await session.value("mark", name=name)
            return value

        return await self._transactions.read(work)

    async def sizes(self, view: View) -> Sizes:
        """Counts and bytes for `stats`."""

        async def work(session: Session) -> Sizes:
            states = await session.composed_rows(*within("counts", view))
            size = await session.value("bytes", schema=self._address.quoted_schema)
            return Sizes(
                memories={row["state"]: row["memories"] for row in states},
                recalled=sum(int(row["recalled"]) for row in states),
                used=sum(int(row["used"]) for row in states),
                without_vector=sum(row["without_vector"] for row in states),
                bytes=int(size),
            )

        return await self._transactions.snapshot(work)

    async def check(self, *, repair: bool) -> list[Finding]:
        """Look at every record, index, link and the journal's chains; repair what is derived."""
        findings = await check_all(self._transactions, self._schema, repair=repair)
        if await erasing.is_due(self._transactions) is not None:
            findings.append(unfinished(repaired=repair and await self.compact()))
        return findings

    async def backup(self, target: Path) -> None:
        """Refused: a server has its own tools, which also copy while writes go on."""
        raise Misconfigured(
            f"a PostgreSQL store is not copied to a file by this call; run pg_dump --format=custom "
            f"--schema={self._schema} --file={target} for {self._address.place}, take base "
            "backups of the server, or use export"
        )

    async def close(self) -> None:
        """Finish what runs and close the connections."""
        await self._transactions.close()


def _is_storable(name: str) -> bool:
    """Whether anything can have this name: PostgreSQL keeps neither NUL nor half a character."""
    return sanitise(name) == name


async def open_postgres(url: str) -> PostgresStore:
    """The store that a `postgresql://` URL names."""
    return await PostgresStore.open(url)
