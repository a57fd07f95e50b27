"""One fresh process that opens a store and recalls, holding nothing but what a user's would.

Usage: python -m benchmarks.lean SYSTEM STORE QUERIES.npz

Prints one JSON line: time and CPU of open and first recall, and peak memory after the first recall
and after one recall for every user. The library is imported before the clock starts.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import registry
from benchmarks.data import Query, VectorTable
from benchmarks.system import K
from benchmarks.watching import peak_rss_mb, refuse_network


def main() -> None:
    """Measure; the first query belongs to one user, the others to all of them in turn."""
    answers = os.dup(1)
    os.dup2(2, 1)
    name, store, questions = sys.argv[1:]
    refuse_network()
    importlib.import_module(registry.ENTRIES[name].imports)
    held = np.load(questions)
    vectors = VectorTable()
    queries = []
    for text, user, vector in zip(held["texts"], held["users"], held["vectors"], strict=True):
        queries.append(Query(user=str(user), text=str(text), vector=vector, target=""))
        vectors.put(str(text), vector)
    system = registry.make(name)

    cpu, wall = time.process_time(), time.perf_counter()
    system.setup(Path(store), vectors)
    opened = time.perf_counter()
    system.recall(queries[0], K)
    first = {
        "open_ms": (opened - wall) * 1e3,
        "wall_ms": (time.perf_counter() - wall) * 1e3,
        "cpu_ms": (time.process_time() - cpu) * 1e3,
        "peak_mb_after_first": peak_rss_mb(),
    }
    for query in queries[1:]:
        system.recall(query, K)
    first["peak_mb_after_all_users"] = peak_rss_mb()
    os.write(answers, (json.dumps(first) + "\n").encode())
    system.close()


if __name__ == "__main__":
    main()
