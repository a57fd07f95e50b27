"""What it costs to import, to start on a store, to hold it in memory, and to keep it on disk."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import harness, registry
from benchmarks.data import Dataset
from benchmarks.harness import cpu_s
from benchmarks.processes import WorkerFailed, child_environment
from benchmarks.rounds import Bench


def import_time(bench: Bench) -> None:
    """CPU and wall seconds of a process that only imports, byte code compiled."""
    own = Path(sys.executable)
    commands = {"python alone": (own, "pass"), "numpy alone": (own, "import numpy")}
    for name in bench.systems:
        entry = registry.ENTRIES[name]
        commands[name] = (entry.python, f"import {entry.imports}")
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for turn in range(bench.plan.starts + 1):
        for name, (python, statement) in commands.items():
            cpu, wall = cpu_s(), time.perf_counter()
            _start(bench, [str(python), "-c", statement])
            if turn > 0:
                seconds[name].append((cpu_s() - cpu, time.perf_counter() - wall))
    for name, pairs in seconds.items():
        bench.figures("import_time", name).update(
            cpu_s=statistics.median(cpu for cpu, _ in pairs),
            wall_s=statistics.median(wall for _, wall in pairs),
        )


def start(bench: Bench) -> None:
    """Open + first recall in a fresh process, peak memory, and bytes on disk, at 10k."""
    questions = _write_questions(bench)
    bare = _bare_peak_mb(bench)
    starts: dict[str, list[dict[str, float]]] = {}
    for _ in range(bench.plan.starts):
        for system in bench.with_variants():
            measured = bench.attempt(
                "open_first_recall", system, _start_lean, bench, system, questions
            )
            if measured is not None:
                starts.setdefault(system, []).append(measured)
    for system, several in starts.items():
        middle = {key: statistics.median(one[key] for one in several) for key in several[0]}
        bench.figures("open_first_recall", system).update(
            {key: middle[key] for key in ("open_ms", "wall_ms", "cpu_ms")}
        )
        bench.figures("memory_10k", system).update(
            mb_above_interpreter=middle["peak_mb_after_all_users"] - bare,
            after_first_recall_mb=middle["peak_mb_after_first"] - bare,
        )
        _weigh(bench, system)


def _weigh(bench: Bench, system: str) -> None:
    """Bytes on disk, and what the fill took."""
    size, users = bench.plan.base, bench.plan.users
    on_disk = harness.size_on_disk(bench.stores.filled(system, size, users))
    bench.figures("size_10k", system)["bytes_per_memory"] = on_disk / size
    fill = bench.stores.fill_block(system, size, users)
    bench.figures("fill_10k", system).update(harness.summarise([fill]))


def _start_lean(bench: Bench, system: str, questions: Path) -> dict[str, float]:
    path = bench.stores.copy(system, bench.plan.base, bench.plan.users)
    command = [str(registry.ENTRIES[system].python), "-m", "benchmarks.lean", system]
    output = _start(bench, [*command, str(path), str(questions)])
    bench.stores.discard(path)
    measured: dict[str, float] = json.loads(output)
    return measured


def _bare_peak_mb(bench: Bench) -> float:
    """Peak memory of an interpreter that does nothing."""
    statement = "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    return float(_start(bench, [sys.executable, "-c", statement])) * 1024 / 1e6


def _write_questions(bench: Bench) -> Path:
    """One question per user, for processes that must not hold the data set."""
    data = Dataset(bench.plan.base, bench.plan.users)
    by_user = {query.user: query for query in data.queries(20 * bench.plan.users)}
    path = bench.stores.empty("questions").with_suffix(".npz")
    np.savez(
        path,
        texts=[query.text for query in by_user.values()],
        users=list(by_user),
        vectors=np.stack([query.vector for query in by_user.values()]),
    )
    return path


def _start(bench: Bench, command: Sequence[str]) -> str:
    """What a fresh process prints."""
    done = subprocess.run(
        command,
        env=child_environment(bench.stores.root),
        cwd=registry.HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise WorkerFailed(done.stderr.strip().split("\n")[-1])
    return done.stdout
