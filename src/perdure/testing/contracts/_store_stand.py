"""The store under test, and the calls that tests make often, each run to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from perdure.domain.analysis import query_lexemes
from perdure.domain.changes import Applied, ChangeSet, JournalEntry, Refused, Vectors
from perdure.domain.codec import encode
from perdure.domain.journal import GENESIS, canonical, digest_of
from perdure.domain.query import Condition, Found, Query, Search
from perdure.domain.records import Memory
from perdure.domain.replay import replay
from perdure.domain.visibility import View
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.store import Store
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, successor, unit

Result = TypeVar("Result")
Opening = Callable[[], Awaitable[Store]]
"""Opens the store of a test. Called again in the same test, it opens the same data."""

EVERYONE = 10_000


class Stand:
    """A store on one event loop, which serves blocking and asynchronous ones alike."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._runner = asyncio.Runner()
        self._opened: list[Store] = []
        self.store = self.another()

    def run(self, call: Coroutine[Any, Any, Result]) -> Result:
        """The result of a call to the store."""
        return self._runner.run(call)

    def another(self) -> Store:
        """A second opening of the same data."""

        async def opened() -> Store:
            return await self._opening()

        store = self.run(opened())
        self._opened.append(store)
        return store

    def reopen(self) -> None:
        """Close everything and open the data again."""
        self._close_stores()
        self.store = self.another()

    def _close_stores(self) -> None:
        for store in self._opened:
            self.run(store.close())
        self._opened.clear()

    def close(self) -> None:
        """Close everything."""
        self._close_stores()
        self._runner.close()

    def together(self, *calls: Coroutine[Any, Any, Result]) -> list[Result]:
        """All calls at once: in threads for a blocking store, else as tasks on the loop."""
        if is_blocking(self.store):
            with ThreadPoolExecutor(len(calls)) as pool:
                return list(pool.map(run_now, calls))

        async def gathered() -> list[Result]:
            return list(await asyncio.gather(*calls))

        return self.run(gathered())

    def apply(self, changes: ChangeSet) -> Applied | Refused:
        """What the store says to a change set."""
        return self.run(self.store.apply(changes))

    def write(self, changes: ChangeSet) -> Applied:
        """Write a change set that must not be refused."""
        applied = self.apply(changes)
        assert isinstance(applied, Applied), applied
        return applied

    def refuse(self, changes: ChangeSet) -> Refused:
        """Offer a change set that must be refused, and must then have changed nothing."""
        before = self.everything(changes)
        refused = self.apply(changes)
        assert isinstance(refused, Refused), refused
        assert self.everything(changes) == before
        return refused

    def everything(self, changes: ChangeSet) -> list[Any]:
        """Journal and records of every scope that a change set names."""
        scopes = {change.after.scope for change in changes.changes}
        scopes |= {change.before.scope for change in changes.changes if change.before}
        scopes |= {access.scope for access in changes.accesses}
        found: list[Any] = []
        for scope in sorted(scopes, key=str):
            entries = self.entries(View(scope=replace(scope, agent="", session=""), now=NOON))
            ids = sorted({entry.memory_id for entry in entries})
            found += [entries, self.run(self.store.get(scope, ids))]
        return found

    def keep(
        self, *memories: Memory, vectors: Vectors | None = None, at: datetime = NOON
    ) -> Memory:
        """Store new memories, all with these vectors; the first of them."""
        changes = (a_change(memory, vectors=vectors) for memory in memories)
        self.write(a_change_set(*changes, at=at))
        return memories[0]

    def change(self, memory: Memory, *, at: datetime = NOON, **fields: Any) -> Memory:
        """Store the next version of a memory, with these fields replaced."""
        after = successor(memory, **fields)
        self.write(a_change_set(a_change(after, before=memory), at=at))
        return after

    def get(self, memory: Memory) -> Memory | None:
        """The memory as it is stored now."""
        return self.run(self.store.get(memory.scope, [memory.id])).get(memory.id)

    def stored(self, memory: Memory) -> Memory:
        """The memory as it is stored now; it must be."""
        found = self.get(memory)
        assert found is not None
        return found

    def query(self, condition: Condition, **fields: Any) -> list[Memory]:
        """One page."""
        return self.run(self.store.query(Query(condition=condition, **fields)))

    def search(
        self,
        condition: Condition | None = None,
        *,
        words: str = "",
        near: tuple[float, ...] | None = None,
        model: str | None = None,
        limit: int = 10,
    ) -> Found:
        """Search by words, by a vector, or both; from `ILKA` at noon unless told otherwise."""
        return self.run(
            self.store.search(
                Search(
                    condition=condition or looking(),
                    vector=None if near is None else unit(near),
                    model=model,
                    terms=query_lexemes(words) if words else (),
                    limit=limit,
                )
            )
        )

    def seen(self, condition: Condition) -> set[str]:
        """Ids of what the condition admits, by every read path that must agree on it.

        Works for memories that all say the word "kettle".
        """
        listed = [memory.id for memory in self.query(condition, limit=EVERYONE)]
        found = self.search(condition, words="kettle", limit=EVERYONE)
        assert len(listed) == len(set(listed))
        assert self.run(self.store.count(condition)) == len(listed)
        assert found.considered == len(listed)
        assert {candidate.id for candidate in found.candidates} == set(listed)
        return set(listed)

    def entries(self, view: View | None = None) -> list[JournalEntry]:
        """The journal of a view's scope."""
        return self.run(self.store.changes_since(view or View(scope=ILKA, now=NOON), 0))

    def assert_sound(self, *scopes: View) -> None:
        """The journal's chains hold, and replaying them gives the stored records exactly."""
        for view in scopes or (View(scope=ILKA, now=NOON),):
            entries = self.entries(view)
            assert_chained(entries)
            told = replay(entries)
            stored = self.run(self.store.get(view.scope, list(told)))
            assert {key: exact(memory) for key, memory in stored.items()} == {
                key: exact(memory) for key, memory in told.items()
            }
        assert self.run(self.store.check(repair=False)) == []


@contextmanager
def standing(opening: Opening) -> Iterator[Stand]:
    """A stand that is closed at the end."""
    stand = Stand(opening)
    try:
        yield stand
    finally:
        stand.close()


def looking(**fields: Any) -> Condition:
    """What `ILKA` sees at noon; arguments replace parts of the view."""
    return Condition(view=View(**{"scope": ILKA, "now": NOON, **fields}))


def exact(memory: Memory) -> str:
    """Text that differs whenever two memories differ, also in the types of their values."""
    return canonical(encode(memory))


def assert_chained(entries: list[JournalEntry]) -> None:
    """The entries of one (tenant, user) are a whole chain."""
    previous = GENESIS
    for entry in entries:
        assert entry.previous == previous
        assert entry.digest == digest_of(entry)
        previous = entry.digest
    sequences = [entry.sequence for entry in entries]
    assert sequences == sorted(set(sequences))
