"""How long does it take to erase one user of many, and until no byte of it is left in the file?

    python -m benchmarks.erasure [--memories 100000] [--users 100] [--dimension 256]

Fills a store with `memories` of `users`, each with a vector, and erases one user after the other:
six on SQLite and six on the in-memory store. Tells the operation (one durable transaction, after
which no read finds anything) from freeing the file that follows. Two baselines, on the same store
in the same run: another user's memories are forgotten, which hides them and frees nothing; and the
whole file is written anew (`VACUUM`), which is the plain way to free it. The first erasure is told
apart: it overwrites what all splits of pages since the filling left. After each erasure the raw
files are searched for the user's words. Prints the seconds, and writes them to
`results/erasure.json` when all is at its defaults.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from perdure.domain.changes import Operation, Vectors
from perdure.domain.erasure import Erased, Erasure
from perdure.domain.records import State
from perdure.domain.scope import Scope
from perdure.ports.blocking import run_now
from perdure.stores.memory import MemoryStore
from perdure.stores.sqlite import SqliteOptions, SqliteStore, compacting
from perdure.testing import NOON, a_change, a_change_set, a_memory, successor

WORDS = (
    "kettle garden train chess opening river mountain coffee doctor appointment report invoice "
    "sister city teacher piano lesson budget flight 红茶 围棋 医生"
).split()
ROUNDS = 5
DEFAULTS = {"memories": 100_000, "users": 100, "dimension": 256}
RESULTS = Path(__file__).parent / "results" / "erasure.json"


def fill(store: Any, *, memories: int, users: int, dimension: int) -> None:
    """The same memories on every run."""
    chance = np.random.default_rng(20310725)
    each = memories // users
    for user in range(users):
        rows = chance.standard_normal((each, dimension)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        texts = [" ".join(chance.choice(WORDS, 14)) for _ in range(each)]
        changes = [
            a_change(
                a_memory(f"user {user}, note {n}: {text}", scope=Scope(user=str(user))),
                vectors=Vectors(model="benchmark", rows=rows[n : n + 1]),
            )
            for n, text in enumerate(texts)
        ]
        run_now(store.apply(a_change_set(*changes)))


def erase(store: Any, user: int) -> int:
    """Erase one user; how many memories that were."""
    erased = run_now(store.erase(Erasure(scope=Scope(user=str(user)), ids=None, at=NOON)))
    assert isinstance(erased, Erased)
    return len(erased.ids)


def forget(store: Any, user: int) -> int:
    """Hide one user's memories, one change each."""
    scope = Scope(user=str(user))
    found = run_now(store.get(scope, list(run_now(store.inventory(scope)))))
    changes = [
        a_change(
            successor(memory, state=State.FORGOTTEN, retired_at=NOON),
            before=memory,
            operation=Operation.FORGOTTEN,
        )
        for memory in found.values()
    ]
    run_now(store.apply(a_change_set(*changes)))
    return len(changes)


class Stopwatch:
    """Seconds of wall clock and of this process, by what was done."""

    def __init__(self) -> None:
        self.wall: dict[str, list[float]] = {}
        self.cpu: dict[str, list[float]] = {}

    def time(self, name: str, work: Callable[[], object]) -> None:
        """Do it and note how long it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.wall.setdefault(name, []).append(time.perf_counter() - wall)
        self.cpu.setdefault(name, []).append(time.process_time() - cpu)

    def figures(self) -> dict[str, Any]:
        """The first of each, and the median and the worst of the others."""
        return {
            name: {
                "first_s": round(wall[0], 3),
                "median_s": round(statistics.median(wall[1:]), 3),
                "worst_s": round(max(wall[1:]), 3),
                "median_cpu_s": round(statistics.median(self.cpu[name][1:]), 3),
            }
            for name, wall in self.wall.items()
        }


def measured(store: Any, left: Callable[[int], bool], rewrite: Callable[[], object]) -> Any:
    """The figures of some rounds, each with users of its own."""
    watch = Stopwatch()
    for user in range(ROUNDS + 1):
        other = ROUNDS + 1 + user
        watch.time("erase", lambda user=user: erase(store, user))  # type: ignore[misc]
        watch.time("free the file", lambda: run_now(store.compact()))
        if left(user):
            raise SystemExit(f"words of user {user} are left")
        watch.time("baseline: forget", lambda other=other: forget(store, other))  # type: ignore[misc]
    for _ in range(3):
        watch.time("baseline: write the file anew", rewrite)
    for place, (erased, freed) in enumerate(
        zip(watch.wall["erase"], watch.wall["free the file"], strict=True)
    ):
        watch.wall.setdefault("erase and free", []).append(erased + freed)
        watch.cpu.setdefault("erase and free", []).append(
            watch.cpu["erase"][place] + watch.cpu["free the file"][place]
        )
    return watch.figures()


def on_disk(path: Path, asked: dict[str, int]) -> dict[str, Any]:
    """The figures of SQLite."""
    store = SqliteStore.open(SqliteOptions(path=path))
    fill(store, **asked)

    def left(user: int) -> bool:
        words = f"user {user}, note".encode()
        return any(words in file.read_bytes() for file in path.parent.iterdir())

    def rewrite() -> None:
        assert store._committer.exclusively(compacting._rewrite)

    try:
        return {**measured(store, left, rewrite), "bytes": path.stat().st_size}
    finally:
        run_now(store.close())


def in_memory(asked: dict[str, int]) -> dict[str, Any]:
    """The figures of the in-memory store, which has no file."""
    store = MemoryStore()
    fill(store, **asked)
    return {**measured(store, lambda _: False, lambda: None), "bytes": store._tables.bytes()}


def main() -> None:
    """Measure both stores and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in DEFAULTS.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = vars(parser.parse_args())
    results: dict[str, Any] = {
        **asked, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        results["SQLite"] = on_disk(Path(folder) / "memory.db", asked)
    results["in memory"] = in_memory(asked)
    print(json.dumps(results, indent=2))
    if asked == DEFAULTS:
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
