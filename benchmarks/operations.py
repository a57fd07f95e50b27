"""The measured operations, written once against `System` and run inside a worker process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

from benchmarks import registry
from benchmarks.data import EPOCH, Dataset, Item, Query
from benchmarks.harness import Block, each, whole
from benchmarks.system import BulkSystem, K, VectorSystem, Where

FILTERS: dict[str, Where] = {
    "none": Where(),
    "kind": Where(kind="long_term"),
    "time": Where(since=EPOCH + timedelta(days=200), until=EPOCH + timedelta(days=300)),
    "metadata": Where(channel="mail"),
}
"""What recall is narrowed by: shares of about 30, 27 and 20 % of a user's memories."""

_FILL_CHUNK = 1_000
_LIST_LIMIT = 50
_RECALL_BUDGET_S = 2.0
"""A block of slow recalls ends after this, and at least five."""


class Runner:
    """One opened system over one data set; every public method is one request of the suite."""

    def __init__(self, *, system: str, path: str, size: int, users: int, queries: int) -> None:
        self._data = Dataset(size, users)
        self._vectors = self._data.table()
        self._queries = self._data.queries(queries)
        for query in self._queries:
            self._vectors.put(query.text, query.vector)
        self._path = Path(path)
        self._system = registry.make(system)
        self._ids: list[tuple[str, str]] = []
        self._system.setup(self._path, self._vectors)

    def about(self) -> dict[str, Any]:
        """Versions and traits, for the results."""
        traits = self._system.traits
        return {
            "versions": self._system.versions(),
            "search": traits.search,
            "durable": traits.durable,
            "processes": traits.processes,
            "filters": sorted(traits.filters),
            "note": traits.note,
        }

    def fill(self, *, size: int) -> Block:
        """Store the first `size` memories in chunks of 1,000."""
        chunks = [
            list(self._data.items(first, min(first + _FILL_CHUNK, size)))
            for first in range(0, size, _FILL_CHUNK)
        ]
        return whole(size, lambda: [self._system.add_many(chunk) for chunk in chunks])

    def count(self) -> int:
        """How many memories are stored."""
        return self._system.count()

    def add(self, *, first: int, count: int, start_at: float = 0.0) -> Block:
        """Add memories one by one; `start_at` (monotonic seconds) lets processes start together."""
        items = self._spare(first, count)
        time.sleep(max(0.0, start_at - time.monotonic()))
        began = time.monotonic()
        block = each(
            (partial(self._system.add, item) for item in items), budget_s=600 if start_at else 20
        )
        block.extra.update(began=began, ended=time.monotonic())
        return block

    def add_batches(self, *, first: int, batches: int, size: int) -> Block:
        """Add memories in batches; timed as a whole, counted by memory."""
        items = self._spare(first, batches * size)
        parts = [items[at : at + size] for at in range(0, len(items), size)]
        return whole(len(items), lambda: [self._system.add_many(part) for part in parts])

    def add_in_threads(self, *, first: int, threads: int, count: int) -> Block:
        """`threads` threads add `count` memories each, one by one."""
        items = self._spare(first, threads * count)
        return _in_threads(
            [
                [partial(self._system.add, item) for item in items[i::threads]]
                for i in range(threads)
            ]
        )

    def recall(self, *, first: int, count: int, where: str = "none") -> Block:
        """Recall for one user at a time; `where` names one of `FILTERS`."""
        if where != "none" and where not in self._system.traits.filters:
            raise NotImplementedError(f"no {where} filter")
        narrowing = None if where == "none" else FILTERS[where]
        found: list[int] = []

        def one(index: int) -> None:
            found.append(len(self._system.recall(self._query(index), K, narrowing)))

        block = each(
            (partial(one, index) for index in range(first, first + count)),
            budget_s=_RECALL_BUDGET_S,
        )
        block.extra["fewest"] = min(found)
        return block

    def recall_in_threads(self, *, first: int, threads: int, count: int) -> Block:
        """`threads` threads recall `count` times each."""
        queries = [self._query(first + i) for i in range(threads * count)]
        return _in_threads(
            [
                [partial(self._system.recall, query, K) for query in queries[i::threads]]
                for i in range(threads)
            ]
        )

    def prepare(self, *, first: int, count: int) -> int:
        """Store memories whose ids `get`, `update` and `delete` will use."""
        items = self._spare(first, count)
        ids = self._system.add_many(items)
        self._ids = [(memory_id, item.user) for memory_id, item in zip(ids, items, strict=True)]
        return len(self._ids)

    def get(self, *, first: int, count: int) -> Block:
        """Read memories by id."""
        return each(partial(self._system.get, *known) for known in self._known(first, count))

    def newest(self, *, first: int, count: int) -> Block:
        """List the newest 50 memories of a user."""
        users = [self._query(i).user for i in range(first, first + count)]
        return each(partial(self._system.newest, user, _LIST_LIMIT) for user in users)

    def update(self, *, first: int, count: int, source: int) -> Block:
        """Replace the text of prepared memories by that of the spare ones from `source` on."""
        known = self._known(first, count)
        pairs = zip(known, self._spare(source, len(known)), strict=True)
        return each(partial(self._system.update, *one, item) for one, item in pairs)

    def delete(self, *, first: int, count: int) -> Block:
        """Delete prepared memories."""
        return each(partial(self._system.delete, *known) for known in self._known(first, count))

    def write_import_file(self, *, path: str, size: int) -> int:
        """Make the file for `import_file`; not timed."""
        system = cast(BulkSystem, self._system)
        system.write_import_file(list(self._data.items(0, size)), Path(path))
        return size

    def import_file(self, *, path: str, size: int) -> Block:
        """Load a file of `size` memories into the open store."""
        system = cast(BulkSystem, self._system)
        return whole(size, lambda: system.import_file(Path(path)))

    def exactness(self, *, count: int) -> dict[str, float]:
        """The vector arm's share of the exact cosine top 10, averaged over `count` questions."""
        system = cast(VectorSystem, self._system)
        shares = []
        for index in range(count):
            query = self._query(index)
            truth = self._data.exact(query, K)
            shares.append(len(set(truth) & set(system.nearest(query, K))) / max(1, len(truth)))
        return {"recall_at_10": sum(shares) / len(shares), "worst": min(shares), "cases": count}

    def found(self, *, first: int, count: int) -> dict[str, float]:
        """How often the memory a question was made from is among the ten recalled."""
        hits = [
            query.target in self._system.recall(query, K)
            for query in (self._query(i) for i in range(first, first + count))
        ]
        return {"target_in_10": sum(hits) / len(hits), "cases": count}

    def misses(self) -> int:
        """Texts the system wanted embedded that are none of the data's."""
        return self._vectors.misses

    def close(self) -> None:
        """Close the system."""
        self._system.close()

    def _known(self, first: int, count: int) -> Sequence[tuple[str, str]]:
        """Ids and users of prepared memories."""
        return self._ids[first : first + count]

    def _spare(self, first: int, count: int) -> list[Item]:
        """Memories beyond the filled ones; `first` counts from the store's size."""
        start = self._data.size + first
        return list(self._data.items(start, start + count))

    def _query(self, index: int) -> Query:
        return self._queries[index % len(self._queries)]


def _in_threads(shares: list[list[Callable[[], Any]]]) -> Block:
    """Run each list of calls in its own thread, all starting together; raises what one raised."""
    gate = threading.Barrier(len(shares) + 1)
    errors: list[BaseException] = []

    def run(calls: list[Callable[[], Any]]) -> None:
        gate.wait()
        try:
            for call in calls:
                call()
        except BaseException as exc:
            errors.append(exc)

    threads = [threading.Thread(target=run, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()

    def all_done() -> None:
        gate.wait()
        for thread in threads:
            thread.join()

    block = whole(sum(len(share) for share in shares), all_done)
    if errors:
        raise errors[0]
    return block
