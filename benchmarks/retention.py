"""How long does planning upkeep take, and does it grow with what is due or with the store?

    python -m benchmarks.retention                      # a million memories, one in a hundred due
    python -m benchmarks.retention --memories 20000     # smaller

The store is made so that a scan would meet much that is old and stays: a third are facts that still
hold, a tenth are important, a twentieth are pinned, all of them older than anything that is due.
Each figure is taken in a fresh process that opens the store, so memory is the peak beyond an open
store. The baseline in the same run reads every memory through the public listing and asks the same
rule about each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import perdure
from perdure.domain.changes import Change, ChangeSet, Operation
from perdure.domain.records import Memory
from perdure.domain.resting import lifeline_of
from perdure.domain.retention import action_for
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.engine.maintenance_planning import Planner
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing import FakeClock

NOW = datetime(2031, 7, 1, tzinfo=UTC)
DAY = timedelta(days=1)
USERS = 100
PER_WRITE = 2_000
WORDS = "kettle harbour ledger opening garden violin meeting invoice train recipe".split()
RESULTS = Path(__file__).parent / "results" / "retention.json"


def memories(count: int, due: float) -> Iterator[Memory]:
    """A store's worth of them, `due` of all old enough for the archive."""
    dice = Random(20310701)
    for number in range(count):
        fields: dict[str, Any] = {"importance": dice.random() * 0.79}
        draw = dice.random()
        if draw < due:
            at = NOW - DAY * dice.uniform(91, 300)
        elif draw < due + 1 / 3:
            at = NOW - DAY * dice.uniform(301, 900)
            fields |= {"subject": "user", "predicate": "owns", "object": str(number)}
        elif draw < due + 1 / 3 + 0.1:
            at, fields = NOW - DAY * dice.uniform(301, 900), {"importance": 0.9}
        elif draw < due + 1 / 3 + 0.15:
            at = NOW - DAY * dice.uniform(301, 900)
            fields["pinned"] = True
        else:
            at = NOW - DAY * dice.uniform(0, 89)
        words = " ".join(dice.choice(WORDS) for _ in range(14))
        yield Memory(
            id=f"{number:08x}", content=f"{number} {words}", scope=Scope(user=f"u{number % USERS}"),
            occurred_at=at, recorded_at=at, valid_from=at, **fields,
        )  # fmt: skip


def fill(path: Path, count: int, due: float) -> None:
    """Make the store."""
    store = SqliteStore.open(SqliteOptions(path=path, durability="normal"))
    made = memories(count, due)
    while some := list(islice(made, PER_WRITE)):
        changes = tuple(Change(operation=Operation.CREATED, after=item) for item in some)
        run_now(store.apply(ChangeSet(changes=changes, at=NOW)))
    run_now(store.close())


def measured(path: Path, how: str) -> dict[str, Any]:
    """One way of planning, in this process."""
    with perdure.open(path, embedder="off", clock=FakeClock(NOW)) as memory:
        memory.stats()
        core = memory._core._core
        held = peak_kb(reset=True)
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.perf_counter()
        actions = _planned(core) if how == "plan" else _scanned(core)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "actions": actions,
        "wall_s": round(wall, 3),
        "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 3),
        "peak_mb": round((peak_kb() - held) / 1024, 1),
    }


def peak_kb(*, reset: bool = False) -> int:
    """The most memory this process has held since the last reset (Linux)."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def _planned(core: Any) -> int:
    planner = Planner(core, View(scope=Scope(), now=NOW, everything=True))

    async def plan() -> int:
        parts = (planner.leaving, planner.evicted, planner.compressed)
        return sum([len(await part(None)) for part in parts])

    return run_now(plan())


def _scanned(core: Any) -> int:
    from perdure.domain.query import Condition, Position, Query, sort_value

    view = View(
        scope=Scope(), now=NOW, everything=True, include=frozenset(("former", "superseded"))
    )
    retention = core.settings.retention

    async def scan() -> int:
        found, after = 0, None
        while True:
            query = Query(condition=Condition(view=view), limit=5_000, after=after)
            page = await core.store.query(query)
            for item in page:
                found += action_for(lifeline_of(item), retention, NOW, archives=True) is not None
            if len(page) < query.limit:
                return found
            after = Position(sort_value(page[-1], query.order), page[-1].id)

    return run_now(scan())


def main() -> None:
    """Make the store, measure both ways in turn, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--due", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(measured(Path(asked.measure[0]), asked.measure[1])))
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path = Path(folder, "memory.db")
        fill(path, asked.memories, asked.due)
        rounds = [
            {how: _in_a_process(path, how) for how in ("plan", "scan")} for _ in range(asked.rounds)
        ]
        size = path.stat().st_size
    best = {how: min((item[how] for item in rounds), key=lambda it: it["wall_s"])
            for how in ("plan", "scan")}  # fmt: skip
    result = {
        "memories": asked.memories,
        "due": asked.due,
        "store_mb": round(size / 2**20, 1),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "rounds": rounds,
        "best": best,
        "scan_over_plan_cpu": round(best["scan"]["cpu_s"] / max(best["plan"]["cpu_s"], 1e-3), 1),
    }
    print(json.dumps(result, indent=2))
    if asked.memories >= 1_000_000:
        RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _in_a_process(path: Path, how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.retention", "--measure", str(path), how]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()
