"""What does a walk of two steps cost among 100,000 facts of one user, and reading one's own facts?

Usage: python -m benchmarks.graph [--facts N] [--entities N] [--rounds N]

The facts join two of the entities at random, by one of five relations. Beside the walk through
the public interface stands the same walk as one statement over a bare SQLite table with
the same edges and the same two indexes, in the same run. Prints CPU and wall time per walk, and
keeps them in `benchmarks/results/graph.json`.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import perdure
from benchmarks.harness import environment
from perdure.domain.changes import Change, ChangeSet, Operation
from perdure.domain.records import Kind
from perdure.stores.sqlite.options import SqliteOptions
from perdure.stores.sqlite.store import SqliteStore
from perdure.testing import FakeClock
from perdure.testing.builders import NOON, a_memory

RESULTS = Path(__file__).parent / "results" / "graph.json"
RELATIONS = ("knows", "depends_on", "part_of", "uses", "works_on")
WHO = perdure.Scope(user="graph")
WALK = """
WITH first AS (
    SELECT * FROM edges WHERE subject = ?1 UNION SELECT * FROM edges WHERE object = ?1
), names AS (SELECT subject AS name FROM first UNION SELECT object FROM first)
SELECT * FROM edges WHERE subject IN (SELECT name FROM names)
UNION SELECT * FROM edges WHERE object IN (SELECT name FROM names)
"""


def main() -> None:
    """Fill, walk, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=200)
    asked = parser.parse_args()
    edges = _edges(asked.facts, asked.entities)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.db"
        _fill(path, edges)
        bare = _bare(Path(folder) / "bare.db", edges)
        with perdure.open(path, embedder="off", clock=FakeClock(NOON)) as memory:
            graph = memory.scoped(user=WHO.user).graph
            starts = [f"entity {number}" for number in range(asked.rounds)]
            figures = {
                "two hops": _timed(lambda name: len(graph.neighbours(name, 2)), starts),
                "bare SQLite, two hops": _timed(
                    lambda name: len(bare.execute(WALK, (name,)).fetchall()), starts
                ),
                "facts of one subject": _timed(lambda name: len(graph.facts(subject=name)), starts),
            }
    for name, figure in figures.items():
        print(name, json.dumps(figure))
    about = {"environment": environment(RESULTS.parent), "asked": vars(asked), "figures": figures}
    RESULTS.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _edges(facts: int, entities: int) -> list[tuple[str, str, str]]:
    chance = random.Random(7)
    return [
        (
            f"entity {chance.randrange(entities)}",
            chance.choice(RELATIONS),
            f"entity {chance.randrange(entities)}",
        )
        for _ in range(facts)
    ]


def _fill(path: Path, edges: list[tuple[str, str, str]]) -> None:
    from perdure.ports.blocking import run_now

    store = SqliteStore.open(SqliteOptions(path=path))
    for start in range(0, len(edges), 5_000):
        changes = tuple(
            Change(
                operation=Operation.CREATED,
                after=replace(
                    a_memory(f"{one} {relation} {other}", scope=WHO, kind=Kind.SEMANTIC),
                    subject=one,
                    predicate=relation,
                    object=other,
                    polarity="+",
                ),
            )
            for one, relation, other in edges[start : start + 5_000]
        )
        run_now(store.apply(ChangeSet(changes=changes, at=NOON)))
    run_now(store.close())


def _bare(path: Path, edges: list[tuple[str, str, str]]) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE edges (subject TEXT, predicate TEXT, object TEXT)")
    connection.executemany("INSERT INTO edges VALUES (?, ?, ?)", edges)
    connection.execute("CREATE INDEX by_subject ON edges (subject)")
    connection.execute("CREATE INDEX by_object ON edges (object)")
    connection.commit()
    return connection


def _timed(call: Callable[[str], int], names: list[str]) -> dict[str, float]:
    for name in names[:5]:
        call(name)
    found, cpu, wall = [], [], []
    for name in names:
        began_cpu, began = time.process_time(), time.perf_counter()
        found.append(call(name))
        cpu.append((time.process_time() - began_cpu) * 1e3)
        wall.append((time.perf_counter() - began) * 1e3)
    return {
        "cpu_ms": round(sum(cpu) / len(cpu), 3),
        "wall_ms_median": round(median(wall), 3),
        "facts_found": round(sum(found) / len(found), 1),
    }


if __name__ == "__main__":
    main()
