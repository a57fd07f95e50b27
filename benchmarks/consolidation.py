"""Question: what does consolidation cost for each new memory, and does it grow with the store?

Episodes of one user, made of a fixed seed: subjects and things, English and Chinese, so that many
belong together. Measured, on SQLite with the hashing embedder (whose cost is small beside the rest):
the first consolidation of everything, one when nothing is new, and one when ten memories are. The
baseline is one recall for each memory: the least that looking for what belongs to it could cost.

    python -m benchmarks.consolidation [memories ...]        default: 1000 4000

Fixed seed; prints a table and writes JSON beside it.
"""

from __future__ import annotations

import json
import platform
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import perdure
from perdure.testing import FakeClock, HashingEmbedder

NEW = 10
BATCH = 500
SUBJECTS = "boat garden cello kitchen bicycle choir workshop violin canoe attic terrace 帆船 菜园 厨房".split()
THINGS = [
    f"{thing}{part}"
    for thing in ("mast", "fence", "shelf", "wheel", "lathe", "paddle", "窗户", "木板", "轮子")
    for part in ("", " handle", " cover", " stain", "的把手")
]


class Told:
    """Statements that follow from one seed."""

    def __init__(self) -> None:
        self._chance = random.Random(20310725)

    def words(self) -> str:
        subject, thing = self._chance.choice(SUBJECTS), self._chance.choice(THINGS)
        number = self._chance.randint(1, 999)
        if not subject.isascii():
            return f"{subject}需要第{number}号{thing}。"
        return f"The {subject} needs a {thing} of kind {number}."


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(memories: int) -> dict[str, float]:
    """CPU times for one size."""
    told, clock = Told(), FakeClock("2031-03-10T09:00:00+00:00")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "memory.db")
        with perdure.open(path, clock=clock, embedder=HashingEmbedder()) as memory:
            for start in range(0, memories, BATCH):
                items = [
                    {
                        "content": told.words(),
                        "kind": "episodic",
                        "occurred_at": clock.now() - timedelta(hours=start + number),
                    }
                    for number in range(min(BATCH, memories - start))
                ]
                memory.remember_many(items)
            asked = [told.words() for _ in range(100)]
            baseline = seconds(lambda: [memory.recall(words) for words in asked]) / len(asked)
            first = seconds(lambda: memory.consolidate(limit=2 * memories))
            nothing = seconds(memory.consolidate)
            for _ in range(NEW):
                memory.remember(told.words(), kind="episodic")
            more = seconds(memory.consolidate)
            made = sum("summary" in item.metadata for item in memory.list(limit=10 * memories))
    return {
        "memories": memories,
        "summaries": made,
        "first_ms_per_memory": 1000 * first / memories,
        "nothing_new_ms": 1000 * nothing,
        "new_ms_per_memory": 1000 * more / NEW,
        "baseline_ms_per_memory": 1000 * baseline,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main(sizes: list[int]) -> None:
    rows = []
    for memories in sizes:
        rows.append(compare(memories))
        print({name: round(value, 3) for name, value in rows[-1].items()}, flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    document = {"python": platform.python_version(), "machine": platform.machine(), "rows": rows}
    (results / "consolidation.json").write_text(
        json.dumps(document, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main([int(item) for item in sys.argv[1:]] or [1_000, 4_000])
