"""Does a year of memories stay within the quota, and how long does the upkeep of it take?

    python -m benchmarks.year                            # 200 memories a day
    python -m benchmarks.year --per-day 20               # smaller

One agent of one user takes in so many memories a day, recalls some, uses half of what it recalled,
and maintains every night; the clock is a fake one. The quota is that of the settings (50,000).
Printed are, month by month, the hot memories, what the upkeep did, and the time it took.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import perdure
from perdure.testing import FakeClock

DAY = timedelta(days=1)
WORDS = (
    "kettle harbour ledger opening garden violin meeting invoice train recipe window marble "
    "orchard signal ticket pillow lantern copper bridge saffron"
).split()
KINDS = ("episodic", "episodic", "episodic", "long_term")
RESULTS = Path(__file__).parent / "results" / "year.json"


def note(dice: Random, number: int) -> dict[str, Any]:
    """One memory: one in ten is long enough to be compressed, one in twenty is important."""
    length = 90 if dice.random() < 0.1 else 14
    return {
        "content": f"{number} " + " ".join(dice.choice(WORDS) for _ in range(length)),
        "kind": dice.choice(KINDS),
        "importance": 0.9 if dice.random() < 0.05 else dice.random() * 0.79,
        "understand": False,
    }


def lived(path: Path, *, days: int, per_day: int, recalls: int) -> dict[str, Any]:
    """A year in a store."""
    dice, clock = Random(20310101), FakeClock("2031-01-01T20:00:00Z")
    months: list[dict[str, Any]] = []
    settings = perdure.Settings(durability="normal")
    with perdure.open(path, embedder="off", clock=clock, settings=settings) as memory:
        agent = memory.scoped(user="ilka", agent="tutor")
        upkeep_s, slowest_s, done, number = 0.0, 0.0, Counter[str](), 0
        for day in range(1, days + 1):
            agent.remember_many([note(dice, number + place) for place in range(per_day)])
            number += per_day
            for _ in range(recalls):
                found = agent.recall(f"{dice.randrange(number)} {dice.choice(WORDS)}", limit=3)
                agent.feedback(
                    [hit.memory for hit in found if dice.random() < 0.5] or found[0].memory
                )
            started = time.perf_counter()
            plan = agent.maintain()
            took = time.perf_counter() - started
            upkeep_s, slowest_s = upkeep_s + took, max(slowest_s, took)
            done.update(plan.counts)
            if day % 30 == 0 or day == days:
                states = agent.stats().memories
                hot = sum(states.get(name, 0) for name in ("active", "compressed", "superseded"))
                months.append({"day": day, "stored": number, "hot": hot, "did": dict(done)})
                print(json.dumps(months[-1]), flush=True)
            clock.advance(DAY)
        notes = agent.maintain(dry_run=True).notes
        ratio = agent.stats().utility_ratio
    return {
        "days": days, "per_day": per_day, "quota": settings.quota, "months": months,
        "most_hot": max(month["hot"] for month in months), "upkeep_s": round(upkeep_s, 2),
        "slowest_upkeep_s": round(slowest_s, 2), "utility_ratio": ratio, "notes": notes,
    }  # fmt: skip


def main() -> None:
    """Live the year, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--per-day", type=int, default=200)
    parser.add_argument("--recalls", type=int, default=5)
    asked = parser.parse_args()
    started, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path = Path(folder, "memory.db")
        result = lived(path, days=asked.days, per_day=asked.per_day, recalls=asked.recalls)
        result["store_mb"] = round(path.stat().st_size / 2**20, 1)
    result |= {
        "wall_s": round(time.perf_counter() - started, 1),
        "cpu_s": round(time.process_time() - cpu, 1),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
    print(json.dumps({key: value for key, value in result.items() if key != "months"}, indent=2))
    if asked.per_day >= 200 and asked.days >= 365:
        RESULTS.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
