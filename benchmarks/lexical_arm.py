"""Question: what does the lexical arm cost as FTS5, and what as arrays in memory?

The store's own arm (arrays per user, `perdure.stores._index`) against an FTS5 table beside the same
records whose first token is the user, so that the match expression is `user AND (term OR term …)`,
ordered by FTS5's own bm25(). Same texts, same terms, 100 users, 40 results. CPU milliseconds.

    python -m benchmarks.lexical_arm [memories ...]        default: 1000 10000 100000

Fixed seed; a warm-up comes first; prints a table and writes JSON beside it. See
docs/decisions/0003-sqlite.md for what follows from it.
"""

from __future__ import annotations

import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from perdure.domain.analysis import lexemes
from perdure.domain.changes import Change, ChangeSet, Operation
from perdure.domain.query import Condition, Search
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore

USERS, LIMIT, QUERIES, WORDS, TERMS, BATCH = 100, 40, 200, 16, 6, 500
NOW = datetime(2031, 7, 25, tzinfo=UTC)


class Texts:
    """Sentences of words whose frequencies fall as in English."""

    def __init__(self) -> None:
        self._chance = random.Random(20310725)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = [
            "".join(self._chance.choices(letters, k=self._chance.randint(3, 9)))
            for _ in range(20_000)
        ]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))

    def sentence(self, words: int = WORDS) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=words))


def terms_of(codes: list[int]) -> str:
    return " ".join(f"t{code:x}" for code in codes)


class Fts:
    """An FTS5 table that keeps no texts of its own; the user is a token of every document."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA cache_size = -64000")
        self._connection.execute("CREATE VIRTUAL TABLE f USING fts5 (terms, content = '')")
        self._count = 0

    def add(self, texts: list[tuple[int, str]]) -> None:
        self._connection.execute("BEGIN")
        for user, text in texts:
            self._count += 1
            self._connection.execute(
                "INSERT INTO f (rowid, terms) VALUES (?, ?)",
                (self._count, f"u{user} {terms_of(lexemes(text))}"),
            )
        self._connection.execute("COMMIT")

    def search(self, user: int, text: str) -> int:
        asked = " OR ".join(dict.fromkeys(terms_of(lexemes(text)).split()))
        return len(
            self._connection.execute(
                "SELECT rowid, bm25(f) FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?",
                (f"u{user} AND ({asked})", LIMIT),
            ).fetchall()
        )

    def size(self) -> int:
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
        (page,) = self._connection.execute("PRAGMA page_size").fetchone()
        return int(pages * page)


class Arrays:
    """The store, with records alone: no vectors."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore.open(SqliteOptions(path=path, durability="normal"))
        self._count = 0

    def add(self, texts: list[tuple[int, str]]) -> None:
        changes = tuple(
            Change(operation=Operation.CREATED, after=self._memory(user, text))
            for user, text in texts
        )
        run_now(self.store.apply(ChangeSet(changes=changes, at=NOW)))

    def _memory(self, user: int, text: str) -> Memory:
        self._count += 1
        at = NOW + timedelta(milliseconds=self._count)
        return Memory(
            id=f"{self._count:036d}", content=text, scope=Scope(user=f"u{user}"),
            occurred_at=at, recorded_at=at, valid_from=at,
        )  # fmt: skip

    def search(self, user: int, text: str) -> int:
        view = View(scope=Scope(user=f"u{user}"), now=NOW + timedelta(days=365))
        terms = tuple(dict.fromkeys(lexemes(text)))
        search = Search(
            condition=Condition(view=view), vector=None, model=None, terms=terms, limit=LIMIT
        )
        return len(run_now(self.store.search(search)).candidates)


def measured(search: Callable[[int, str], int], questions: list[tuple[int, str]]) -> float:
    """Median CPU milliseconds of a search."""
    for user in range(USERS):
        search(user, questions[user][1])
    spent: list[float] = []
    for user, text in questions:
        start = time.process_time()
        search(user, text)
        spent.append((time.process_time() - start) * 1000)
    return statistics.median(spent)


def compare(memories: int, folder: Path) -> dict[str, Any]:
    texts = Texts()
    fts, arrays = Fts(folder / "fts.db"), Arrays(folder / "store.db")
    adding = 0.0
    for start in range(0, memories, BATCH):
        batch = [(i % USERS, texts.sentence()) for i in range(start, min(start + BATCH, memories))]
        before = time.process_time()
        fts.add(batch)
        adding += time.process_time() - before
        arrays.add(batch)
    questions = [(i % USERS, texts.sentence(TERMS)) for i in range(QUERIES)]
    return {
        "memories": memories,
        "fts5_search_ms": measured(fts.search, questions),
        "arrays_search_ms": measured(arrays.search, questions),
        "fts5_add_us": adding / memories * 1e6,
        "fts5_bytes_per_memory": fts.size() / memories,
    }


def main(sizes: list[int]) -> None:
    rows = []
    for memories in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(memories, Path(folder)))
        print({name: round(value, 3) for name, value in rows[-1].items()}, flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "lexical_arm.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main([int(item) for item in sys.argv[1:]] or [1_000, 10_000, 100_000])
