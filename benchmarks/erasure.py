"""How long does it take to erase one user of many?

    python -m benchmarks.erasure [--memories 100000] [--users 100] [--dimension 256]

Fills a store with `memories` of `users`, each with a vector, and erases one user after the other:
five on SQLite and five on the in-memory store. Tells the operation (one durable transaction, after
which no read finds anything) from the rewriting of the file that follows; as the baseline the same
user's memories are forgotten one by one id, which hides them and frees nothing. Prints percentiles
and the environment, and one JSON line.
"""

from __future__ import annotations

import argparse
import json
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
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing import NOON, a_change, a_change_set, a_memory, successor

WORDS = (
    "kettle garden train chess opening river mountain coffee doctor appointment report invoice "
    "sister city teacher piano lesson budget flight 红茶 围棋 医生"
).split()
ROUNDS = 5


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


def timed(work: Callable[[], object]) -> float:
    """Seconds of wall clock."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measured(store: Any, size: Callable[[], int]) -> dict[str, Any]:
    """Seconds of each round, by what was done. The first round warms up and is left out."""
    seconds: dict[str, list[float]] = {"forget": [], "erase": [], "compact": []}
    for user in range(ROUNDS + 1):
        seconds["erase"].append(timed(lambda user=user: erase(store, user)))  # type: ignore[misc]
        seconds["compact"].append(timed(lambda: run_now(store.compact())))
        other = ROUNDS + 1 + user
        seconds["forget"].append(timed(lambda other=other: forget(store, other)))  # type: ignore[misc]
    return {
        "bytes": size(),
        **{
            name: {"median": statistics.median(found[1:]), "worst": max(found[1:])}
            for name, found in seconds.items()
        },
    }


def main() -> None:
    """Measure both stores and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--dimension", type=int, default=256)
    asked = vars(parser.parse_args())
    results: dict[str, Any] = {**asked, "python": platform.python_version(),
                               "sqlite": sqlite3.sqlite_version}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        on_disk = SqliteStore.open(SqliteOptions(path=path))
        fill(on_disk, **asked)
        results["sqlite store"] = measured(on_disk, lambda: path.stat().st_size)
        run_now(on_disk.close())
    in_memory = MemoryStore()
    fill(in_memory, **asked)
    results["memory store"] = measured(in_memory, in_memory._tables.bytes)
    for name in ("sqlite store", "memory store"):
        for what in ("forget", "erase", "compact"):
            found = results[name][what]
            print(f"{name:14}{what:10}median {found['median']:.3f} s, worst {found['worst']:.3f} s")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
