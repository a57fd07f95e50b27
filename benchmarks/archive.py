"""How fast do memories go into the archive and come back, how small is what stays, what does a
million cost?

    python -m benchmarks.archive                        # ten users with 5,000 memories each
    python -m benchmarks.archive --users 2 --each 500   # smaller, writes no results

Each round archives one user's memories (a batch of 5,000) to files and restores them, through the
public calls. The baseline does in the same round the least that one could do with the same rows:
read them from a table of SQLite with an FTS5 index, write them with pyarrow (zstd, fsync), read
them back, compare the bytes' checksum, and only then empty the rows in one durable transaction;
restoring reads the file and fills the rows again. It keeps no journal, no versions and no other
words than the current ones, and nobody may write meanwhile.

Data, users and vectors are those of the other benchmarks (`data.py`: some 100 characters, 384
dimensions, float32). The first round warms up and is left out. Bytes are those of the closed store
after a compaction. Writes `results/archive.json` and a table beside it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import perdure
from benchmarks.archive_costs import Assumptions, as_json, table
from benchmarks.baselines.raw_sqlite import RawSqlite
from benchmarks.data import DIMENSION, Dataset, Item, LookupEmbedder, VectorTable
from benchmarks.harness import (
    Block,
    environment,
    markdown_table,
    paired_ratio,
    size_on_disk,
    summarise,
    whole,
    write_results,
)
from perdure.ports.embedder import EmbeddingModel

TARGET_PER_S = 20_000
TARGET_USD, AIM_USD = 3.0, 1.0
MODEL = EmbeddingModel(name="benchmark", dimension=DIMENSION)


class Ours:
    """A store on a file with its archive in the folder beside it."""

    def __init__(self, folder: Path, vectors: VectorTable) -> None:
        self.path = folder / "memory.db"
        self.cold = folder / "memory.db.archive"
        folder.mkdir()
        self._embedder = LookupEmbedder(vectors, MODEL)
        self.open()

    def open(self) -> None:
        """Open the store."""
        self.memory = perdure.open(self.path, embedder=self._embedder)

    def add(self, user: str, items: Sequence[Item]) -> list[str]:
        """Store a user's memories; their ids."""
        asked = [
            {
                "content": item.text, "kind": item.kind, "importance": item.importance,
                "occurred_at": item.occurred_at, "metadata": item.metadata, "understand": False,
                "scope": perdure.Scope(user=user),
            }
            for item in items
        ]  # fmt: skip
        stored = [self.memory.remember_many(part) for part in _parts(asked, 1_000)]
        return [one.memory.id for part in stored for one in part]

    def archive(self, user: str, ids: Sequence[str]) -> None:
        """Put all of them away."""
        assert self.memory.scoped(user=user).archive(ids).count == len(ids)

    def restore(self, user: str, ids: Sequence[str]) -> None:
        """Bring all of them back."""
        assert self.memory.scoped(user=user).restore_archived().count == len(ids)

    def sizes(self) -> tuple[int, int]:
        """Bytes of the store once it is closed and compacted, and bytes of the archive's objects."""
        self.memory.close()
        with sqlite3.connect(self.path) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        sizes = self.path.stat().st_size, size_on_disk(self.cold) if self.cold.exists() else 0
        self.open()
        return sizes


class Least:
    """The same by hand; see the module."""

    COLUMNS = ("id", "owner", "content", "kind", "importance", "occurred_at", "channel",
               "metadata", "embedding")  # fmt: skip

    def __init__(self, folder: Path, vectors: VectorTable) -> None:
        store = RawSqlite()
        store.setup(folder, vectors)
        self._store, self._writer, self._folder = store, store._writer, folder

    def add(self, user: str, items: Sequence[Item]) -> list[str]:
        """Store a user's memories; their ids."""
        ids = [one for part in _parts(items, 1_000) for one in self._store.add_many(part)]
        marks = [(user, int(one)) for one in ids]
        self._writer.execute("BEGIN")
        self._writer.executemany("UPDATE memory SET owner = ? WHERE id = ?", marks)
        self._writer.execute("COMMIT")
        return ids

    def archive(self, user: str, ids: Sequence[str]) -> None:
        """Write the user's rows to a file, compare it, empty the rows."""
        rows = self._writer.execute(
            f"SELECT {', '.join(self.COLUMNS)} FROM memory WHERE owner = ?", (user,)
        ).fetchall()
        assert len(rows) == len(ids)
        columns = dict(zip(self.COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table(columns), sink, compression="zstd", compression_level=3)
        data = sink.getvalue().to_pybytes()
        path = self._folder / f"{user}.parquet"
        with path.open("wb") as file:
            file.write(data)
            os.fsync(file.fileno())
        if hashlib.sha256(path.read_bytes()).digest() != hashlib.sha256(data).digest():
            raise AssertionError("not read back as it was written")
        self._writer.execute("BEGIN IMMEDIATE")
        self._writer.execute(
            "UPDATE memory SET content = '', metadata = '', embedding = x'' WHERE owner = ?",
            (user,),
        )
        self._writer.execute("COMMIT")

    def restore(self, user: str, ids: Sequence[str]) -> None:
        """Fill the rows from the file."""
        read = pq.read_table(self._folder / f"{user}.parquet")
        names = ("content", "metadata", "embedding", "id")
        rows = list(zip(*(read[name].to_pylist() for name in names), strict=True))
        assert len(rows) == len(ids)
        self._writer.execute("BEGIN IMMEDIATE")
        self._writer.executemany(
            "UPDATE memory SET content = ?, metadata = ?, embedding = ? WHERE id = ?", rows
        )
        self._writer.execute("COMMIT")

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()


def _parts(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[first : first + size] for first in range(0, len(items), size)]


def measured(folder: Path, users: int, each: int) -> dict[str, Any]:
    """All rounds of both sides, and the sizes."""
    data = Dataset(users * each, users)
    vectors = data.table()
    ours, least = Ours(folder / "ours", vectors), Least(folder / "least", vectors)
    names = [f"user {number}" for number in range(users)]
    ids: dict[str, dict[str, list[str]]] = {}
    for number, name in enumerate(names):
        items = list(data.items(number * each, (number + 1) * each))
        ids[name] = {"ours": ours.add(name, items), "least": least.add(name, items)}
    before = ours.sizes()
    blocks: dict[str, list[Block]] = {}
    sides: dict[str, Ours | Least] = {"ours": ours, "least": least}
    for name in names:
        for what in ("archive", "restore"):
            for side, store in sides.items():
                work, mine = getattr(store, what), ids[name][side]
                block = whole(each, lambda work=work, mine=mine, name=name: work(name, mine))
                blocks.setdefault(f"{what} {side}", []).append(block)
    for name in names:
        ours.archive(name, ids[name]["ours"])
    after = ours.sizes()
    ours.memory.close()
    least.close()
    count = users * each
    figures = {name: summarise(found[1:]) for name, found in blocks.items()}
    ratios = {
        what: {
            of: paired_ratio(blocks[f"{what} ours"][1:], blocks[f"{what} least"][1:], of)
            for of in ("cpu_ms", "wall_ms")
        }
        for what in ("archive", "restore")
    }
    sizes = {
        "hot": before[0] / count,
        "stub": after[0] / count,
        "cold": after[1] / count,
    }
    return {"figures": figures, "ours_over_least": ratios, "bytes_per_memory": sizes}


def told(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    rows = []
    for what in ("archive", "restore"):
        for side in ("ours", "least"):
            found = result["figures"][f"{what} {side}"]
            rows.append([
                f"{what}, {side}", f"{found['per_s']:,.0f}", f"{found['per_s_best']:,.0f}",
                f"{1e3 / found['cpu_ms']:,.0f}",
            ])  # fmt: skip
        ratio = result["ours_over_least"][what]["cpu_ms"]
        rows.append([f"{what}, CPU ours / least", f"{ratio['median']:.2f}",
                     f"{ratio['low']:.2f} to {ratio['high']:.2f}", ""])  # fmt: skip
    sizes = result["bytes_per_memory"]
    machine = result["environment"]
    return "\n".join([
        "# Archive\n",
        f"{machine['processor']}, {machine['cores']} cores, {machine['file_system']}; Python "
        f"{machine['python']}, {machine['date']}, commit {machine['commit']}. "
        f"{result['users']} users with {result['each']:,} memories each. Wanted: "
        f"{TARGET_PER_S:,} memories a second each way.\n",
        markdown_table(["", "memories/s, median", "best round", "per CPU second"], rows),
        "## Size\n",
        f"Bytes per memory in the store: {sizes['hot']:,.0f} before archiving, {sizes['stub']:,.0f} "
        f"after it; {sizes['cold']:,.0f} in the archive.\n",
        "## Cost of a million memories\n",
        f"Wanted: under {TARGET_USD:g} USD a month, better {AIM_USD:g}. Without the machine that "
        "computes, its working memory and language models. Assumptions below the table.\n",
        table((sizes["hot"], sizes["stub"], sizes["cold"]), Assumptions()),
    ])  # fmt: skip


def main() -> None:
    """Measure, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument("--each", type=int, default=5_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        result = {
            "users": asked.users, "each": asked.each, "environment": environment(folder),
            **measured(folder, asked.users, asked.each),
        }  # fmt: skip
    sizes = result["bytes_per_memory"]
    result["costs"] = as_json((sizes["hot"], sizes["stub"], sizes["cold"]), Assumptions())
    print(told(result))
    print(json.dumps(result))
    if asked.users * asked.each >= 50_000:
        write_results("archive", result, told(result))


if __name__ == "__main__":
    main()
