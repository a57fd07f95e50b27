"""The least a durable, searchable memory costs on SQLite: the baseline every ratio refers to.

One table, WAL with FULL durability (one fsync per acknowledged add), an FTS5 index kept by triggers
with the user as a token inside MATCH, vectors as float32 blobs. Recall joins bm25 and a brute-force
cosine over the user's blobs by reciprocal rank. No versions, no validity, no journal, no checks.
Writers share one connection under a lock; every thread reads through its own.
"""

from __future__ import annotations

import heapq
import json
import re
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.data import EPOCH, Item, Query, VectorTable
from benchmarks.system import Traits, Where

_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    content TEXT NOT NULL,
    kind TEXT NOT NULL,
    importance REAL NOT NULL,
    occurred_at REAL NOT NULL,
    channel TEXT NOT NULL,
    metadata TEXT NOT NULL,
    embedding BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_by_owner ON memory (owner, occurred_at);
CREATE VIRTUAL TABLE IF NOT EXISTS memory_text USING fts5 (
    owner, content, content = 'memory', content_rowid = 'id', tokenize = 'unicode61'
);
CREATE TRIGGER IF NOT EXISTS memory_added AFTER INSERT ON memory BEGIN
    INSERT INTO memory_text (rowid, owner, content) VALUES (new.id, new.owner, new.content);
END;
CREATE TRIGGER IF NOT EXISTS memory_removed AFTER DELETE ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, owner, content)
    VALUES ('delete', old.id, old.owner, old.content);
END;
CREATE TRIGGER IF NOT EXISTS memory_changed AFTER UPDATE ON memory BEGIN
    INSERT INTO memory_text (memory_text, rowid, owner, content)
    VALUES ('delete', old.id, old.owner, old.content);
    INSERT INTO memory_text (rowid, owner, content) VALUES (new.id, new.owner, new.content);
END;
"""
_INSERT = (
    "INSERT INTO memory"
    " (owner, content, kind, importance, occurred_at, channel, metadata, embedding)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_TEXTS = "SELECT id, content FROM memory WHERE id IN ({})"
_LEXICAL = (
    "SELECT memory_text.rowid FROM memory_text {join}"
    " WHERE memory_text MATCH ? {narrowing} ORDER BY bm25(memory_text) LIMIT ?"
)
_EMBEDDINGS = "SELECT id, embedding FROM memory WHERE owner = ? {narrowing}"
_IMPORT_BATCH = 1_000
_CANDIDATES = 50
_RRF_K = 60


class RawSqlite:
    """See the module; the class is the `System` of that baseline."""

    name = "raw_sqlite"
    traits = Traits(search="FTS5 bm25 + exact cosine from blobs", durable="after one fsync (FULL)")

    def setup(self, path: Path, vectors: VectorTable) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._file = path / "memory.db"
        self._vectors = vectors
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._writer = self._connect()
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.execute("PRAGMA synchronous = FULL")
        self._writer.executescript(_SCHEMA)

    def versions(self) -> dict[str, str]:
        return {"sqlite": sqlite3.sqlite_version, "numpy": np.__version__}

    def add(self, item: Item) -> str:
        with self._lock:
            return str(self._writer.execute(_INSERT, self._row(item)).lastrowid)

    def add_many(self, items: Sequence[Item]) -> list[str]:
        rows = [self._row(item) for item in items]
        with self._lock:
            self._writer.execute("BEGIN IMMEDIATE")
            self._writer.executemany(_INSERT, rows)
            last = self._writer.execute("SELECT last_insert_rowid()").fetchone()[0]
            self._writer.execute("COMMIT")
        return [str(i) for i in range(last - len(rows) + 1, last + 1)]

    def count(self) -> int:
        return int(self._reader().execute("SELECT count(*) FROM memory").fetchone()[0])

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        reader = self._reader()
        narrowing, values = _narrowing(where)
        lexical = self._lexical(query, narrowing, values)
        nearest = self._nearest(query, narrowing, values)
        fused: dict[int, float] = {}
        for ranking in (lexical, nearest):
            for rank, row in enumerate(ranking, start=1):
                fused[row] = fused.get(row, 0.0) + 1.0 / (_RRF_K + rank)
        best = heapq.nlargest(k, fused, key=fused.__getitem__)
        marks = ",".join("?" * len(best))
        texts = dict(reader.execute(_TEXTS.format(marks), best).fetchall())
        return [texts[row] for row in best]

    def nearest(self, query: Query, k: int) -> list[str]:
        rows = self._nearest(query, "", [])[:k]
        reader = self._reader()
        return [
            reader.execute("SELECT content FROM memory WHERE id = ?", (row,)).fetchone()[0]
            for row in rows
        ]

    def get(self, memory_id: str, user: str) -> str:
        row = self._reader().execute(
            "SELECT content FROM memory WHERE id = ? AND owner = ?", (int(memory_id), user)
        )
        return str(row.fetchone()[0])

    def newest(self, user: str, limit: int) -> list[str]:
        rows = self._reader().execute(
            "SELECT content FROM memory WHERE owner = ? ORDER BY occurred_at DESC LIMIT ?",
            (user, limit),
        )
        return [text for (text,) in rows]

    def update(self, memory_id: str, user: str, item: Item) -> None:
        with self._lock:
            self._writer.execute(
                "UPDATE memory SET content = ?, metadata = ?, embedding = ?"
                " WHERE id = ? AND owner = ?",
                (item.text, json.dumps(item.metadata), self._blob(item), int(memory_id), user),
            )

    def delete(self, memory_id: str, user: str) -> None:
        with self._lock:
            self._writer.execute(
                "DELETE FROM memory WHERE id = ? AND owner = ?", (int(memory_id), user)
            )

    def write_import_file(self, items: Sequence[Item], path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            for item in items:
                record = {
                    "user": item.user,
                    "content": item.text,
                    "kind": item.kind,
                    "importance": item.importance,
                    "occurred_at": item.occurred_at.timestamp(),
                    "metadata": item.metadata,
                }
                file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def import_file(self, path: Path) -> int:
        total = 0
        batch: list[tuple[object, ...]] = []
        with path.open(encoding="utf-8") as file, self._lock:
            for line in file:
                batch.append(self._imported(json.loads(line)))
                if len(batch) == _IMPORT_BATCH:
                    total += self._insert(batch)
                    batch = []
            return total + self._insert(batch)

    def close(self) -> None:
        for reader in self._readers:
            reader.close()

    def _insert(self, rows: list[tuple[object, ...]]) -> int:
        self._writer.execute("BEGIN IMMEDIATE")
        self._writer.executemany(_INSERT, rows)
        self._writer.execute("COMMIT")
        return len(rows)

    def _imported(self, record: dict[str, object]) -> tuple[object, ...]:
        metadata = record["metadata"]
        assert isinstance(metadata, dict)
        return (
            record["user"],
            record["content"],
            record["kind"],
            record["importance"],
            record["occurred_at"],
            metadata["channel"],
            json.dumps(metadata),
            self._vectors.of(str(record["content"])).tobytes(),
        )

    def _lexical(self, query: Query, narrowing: str, values: list[object]) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query.text))
        match = f'owner : "{query.user}" AND content : ({words})'
        join = "JOIN memory ON memory.id = memory_text.rowid" if narrowing else ""
        rows = self._reader().execute(
            _LEXICAL.format(join=join, narrowing=narrowing),
            (match, *values, _CANDIDATES),
        )
        return [row for (row,) in rows]

    def _nearest(self, query: Query, narrowing: str, values: list[object]) -> list[int]:
        rows = self._reader().execute(
            _EMBEDDINGS.format(narrowing=narrowing), (query.user, *values)
        )
        held = rows.fetchall()
        if not held:
            return []
        matrix = np.frombuffer(b"".join(blob for _, blob in held), dtype=np.float32)
        similarity = matrix.reshape(len(held), -1) @ query.vector
        top = min(_CANDIDATES, len(held))
        nearest = np.argpartition(-similarity, top - 1)[:top]
        nearest = nearest[np.argsort(-similarity[nearest], kind="stable")]
        return [held[i][0] for i in nearest]

    def _row(self, item: Item) -> tuple[object, ...]:
        return (
            item.user,
            item.text,
            item.kind,
            item.importance,
            item.occurred_at.timestamp(),
            item.metadata["channel"],
            json.dumps(item.metadata),
            self._blob(item),
        )

    def _blob(self, item: Item) -> bytes:
        return self._vectors.of(item.text).tobytes()

    def _reader(self) -> sqlite3.Connection:
        reader: sqlite3.Connection | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = self._connect()
        return reader

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file, timeout=30, isolation_level=None, check_same_thread=False
        )
        self._readers.append(connection)
        return connection


def _narrowing(where: Where | None) -> tuple[str, list[object]]:
    """The SQL of a filter and its values; columns are qualified, as the text arm joins."""
    clauses: list[str] = []
    values: list[object] = []
    if where and where.kind:
        clauses.append("AND memory.kind = ?")
        values.append(where.kind)
    if where and (where.since or where.until):
        clauses.append("AND memory.occurred_at >= ? AND memory.occurred_at < ?")
        values += [(where.since or EPOCH).timestamp()]
        values += [where.until.timestamp() if where.until else 1e12]
    if where and where.channel:
        clauses.append("AND memory.channel = ?")
        values.append(where.channel)
    return " ".join(clauses), values
