"""Does a year of memories stay within the quota, and how long does the upkeep of it take?

    python -m benchmarks.year                            # two lives of a year, 200 memories a day
    python -m benchmarks.year --days 60 --per-day 50     # smaller, nothing is kept
    python scripts/build_year.py                         # the table and the picture of the last run

One agent of one user takes in so many memories a day, in calls of 20; asks, says which answers it
used, brings back some of what it misses, and maintains every night. The clock is a fake one, the
settings are the defaults (quota 50,000, compressed after 30 idle days, archived after 90) but for
`durability="normal"`; the archive is a folder; vectors come from `HashingEmbedder`, so that the
time is that of the memory and not of a model. In the ordinary life time bounds the store; in the
other, four in five memories are knowledge that still holds, which no time archives, so that the
quota must.

Used is, of the hits for a question, what is about the topic that was asked for: the data know it.
The figures of strength are taken once a week by listing every hot memory; that is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

import perdure
from benchmarks.year_life import HOUR, LIVES, Habits, Life
from perdure.domain.resting import HOT, lifeline_of
from perdure.domain.strength import strength_at
from perdure.testing import FakeClock, HashingEmbedder

DAY = timedelta(days=1)
DIMENSION = 256
RESTORES_A_DAY = 3
RESULTS = Path(__file__).parent / "results" / "year.json"


class Year:
    """One life in a store, watched."""

    def __init__(self, path: Path, life: Life, memory: Any, clock: FakeClock) -> None:
        self._path = path
        self._life = life
        self._clock = clock
        self._agent = memory.scoped(user="ilka", agent="tutor")
        self._decay = memory._core._core.settings.retention.decay
        self._ids: list[str] = []
        self._did: Counter[str] = Counter()
        self._slowest_upkeep_s = 0.0
        self.cpu: Counter[str] = Counter()
        self.weeks: list[dict[str, Any]] = []

    def lived(self, days: int) -> dict[str, Any]:
        """The figures of a life of so many days."""
        for day in range(days):
            self._clock.set(self._morning + DAY * day)
            self._one_day(day)
            if day % 7 == 6 or day == days - 1:
                with self._timed("measuring"):
                    self.weeks.append(self._looked_at(day + 1))
        return {"did": dict(self._did), "weeks": self.weeks, "verify": self._verified()}

    @property
    def _morning(self) -> Any:
        return START

    def _one_day(self, day: int) -> None:
        for batch in self._life.batches(day):
            with self._timed("remember_many"):
                told = self._agent.remember_many(batch)
            self._ids += [answer.memory.id for answer in told]
            self._clock.advance(HOUR)
        restored = 0
        for question in self._life.questions(day):
            with self._timed("recall"):
                found = self._agent.recall(question.text, limit=question.limit)
            topic = self._life.topic_of(question.about)
            used = [
                hit.memory for hit in found
                if self._life.topic_of(hit.memory.metadata["number"]) == topic
            ]  # fmt: skip
            with self._timed("feedback"):
                if used:
                    self._agent.feedback(used)
            if not used and restored < RESTORES_A_DAY:
                restored += self._brought_back(self._ids[question.about])
        started = time.process_time()
        with self._timed("maintain"):
            plan = self._agent.maintain()
        self._slowest_upkeep_s = max(self._slowest_upkeep_s, time.process_time() - started)
        self._did.update(plan.counts)

    def _brought_back(self, memory_id: str) -> bool:
        """Whether the memory that was asked for lay in the archive, and was brought back."""
        with self._timed("restore"):
            if self._agent.get(memory_id).state != "archived":
                return False
            self._agent.restore(memory_id)
        self._did["restore"] += 1
        return True

    def _looked_at(self, day: int) -> dict[str, Any]:
        stats, now = self._agent.stats(), self._clock.now()
        hot = [item for item in self._all() if item.state in HOT]
        strengths = np.array([strength_at(lifeline_of(item), now, self._decay) for item in hot])
        week = stats.utility_by_week[-1]
        return {
            "day": day,
            "stored": len(self._ids),
            "memories": {name: stats.memories.get(name, 0) for name in (*HOT, "archived")},
            "hot": sum(stats.memories.get(name, 0) for name in HOT),
            "strength": {
                "mean": round(float(strengths.mean()), 4),
                **{f"p{q}": round(float(np.percentile(strengths, q)), 4) for q in (10, 50, 90)},
            },
            "recalled": week.recalled,
            "used": week.used,
            "utility": None if week.ratio is None else round(week.ratio, 4),
            "store_bytes": stats.bytes,
            "archive_bytes": folder_bytes(Path(f"{self._path}.archive")),
            "did": dict(self._did),
        }

    def _all(self) -> Iterator[Any]:
        cursor = None
        while True:
            page = self._agent.list(limit=5_000, cursor=cursor, include=("superseded",))
            yield from page.items
            if (cursor := page.next_cursor) is None:
                return

    def _verified(self) -> dict[str, Any]:
        with self._timed("verify"):
            return {"problems": [str(item) for item in self._agent.verify().problems]}

    @property
    def slowest_upkeep_s(self) -> float:
        """CPU seconds of the longest night."""
        return self._slowest_upkeep_s

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        started = time.process_time()
        yield
        self.cpu[what] += time.process_time() - started


START = FakeClock("2031-01-01T08:00:00Z").now()


def folder_bytes(folder: Path) -> int:
    """What all files below it take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def lived(habits: Habits, *, days: int, per_day: int, asks: int, quota: int) -> dict[str, Any]:
    """A year in a store of its own."""
    life = Life(habits, days=days, per_day=per_day, asks=asks)
    settings = perdure.Settings(durability="normal", quota=quota)
    wall, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        path, clock = Path(folder, "memory.db"), FakeClock(START)
        embedder = HashingEmbedder(DIMENSION)
        with perdure.open(path, embedder=embedder, clock=clock, settings=settings) as memory:
            year = Year(path, life, memory, clock)
            result = year.lived(days)
            spent = {name: round(seconds, 2) for name, seconds in year.cpu.items()}
        last = year.weeks[-1]
        store, archive = path.stat().st_size, folder_bytes(Path(f"{path}.archive"))
    return {
        "life": habits.name, "title": habits.title, "days": days, "per_day": per_day,
        "quota": settings.quota, "most_hot": max(week["hot"] for week in year.weeks),
        "cpu_s": round(time.process_time() - cpu - year.cpu["measuring"] - year.cpu["verify"], 1),
        "wall_s": round(time.perf_counter() - wall, 1),
        "cpu_s_by_call": spent, "slowest_upkeep_s": round(year.slowest_upkeep_s, 2),
        "store_bytes": store, "archive_bytes": archive,
        "store_bytes_per_hot_memory": round(store / last["hot"]),
        "archive_bytes_per_archived_memory": round(archive / max(1, last["memories"]["archived"])),
        **result,
    }  # fmt: skip


def main() -> None:
    """Live the lives, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--per-day", type=int, default=200)
    parser.add_argument("--asks", type=int, default=10)
    parser.add_argument("--quota", type=int, default=perdure.Settings().quota)
    parser.add_argument("--life", choices=[habits.name for habits in LIVES])
    parser.add_argument("--output", type=Path, help="where the figures go; one life is merged in")
    asked = parser.parse_args()
    chosen = [habits for habits in LIVES if asked.life in (None, habits.name)]
    output = asked.output or (RESULTS if (asked.days, asked.per_day) == (365, 200) else None)
    for habits in chosen:
        result = lived(
            habits, days=asked.days, per_day=asked.per_day, asks=asked.asks, quota=asked.quota
        )
        print(json.dumps({key: it for key, it in result.items() if key != "weeks"}, indent=2))
        if output is not None:
            keep(output, result)


def keep(output: Path, result: dict[str, Any]) -> None:
    """Put the life in the place of the one of the same name."""
    document: dict[str, Any] = {"lives": []}
    if output.exists():
        document = json.loads(output.read_text(encoding="utf-8"))
    names = [habits.name for habits in LIVES]
    lives = [life for life in document["lives"] if life["life"] != result["life"]] + [result]
    document = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "embedder": f"HashingEmbedder({DIMENSION})",
        "lives": sorted(lives, key=lambda life: names.index(life["life"])),
    }
    output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
