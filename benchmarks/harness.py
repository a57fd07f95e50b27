"""Timing, percentiles, fsync counting, the environment, and the files results are written to."""

from __future__ import annotations

import json
import os
import platform
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Many-threaded BLAS on a small machine costs far more than it gains; all processes get these."""

QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
}
"""Telemetry and downloads off, for every system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of operations: wall and CPU milliseconds of each, or of the whole block.

    CPU is that of the whole process (all threads, user and system) and of children it waited for.
    `operations` counts what was done; with `wall_ms` of one entry the block was timed as a whole.
    """

    operations: int
    wall_ms: list[float]
    cpu_ms: list[float]
    extra: dict[str, Any] = field(default_factory=dict)


def cpu_s() -> float:
    """CPU seconds of this process and of its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def each(calls: Iterable[Callable[[], Any]], *, budget_s: float = 20.0) -> Block:
    """Time every call by itself; stops early, after at least five, when the budget is spent."""
    wall_ms: list[float] = []
    cpu_ms: list[float] = []
    end = time.perf_counter() + budget_s
    for call in calls:
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        wall_ms.append((time.perf_counter() - wall) * 1e3)
        cpu_ms.append((time.process_time() - cpu) * 1e3)
        if len(wall_ms) >= 5 and time.perf_counter() > end:
            break
    return Block(operations=len(wall_ms), wall_ms=wall_ms, cpu_ms=cpu_ms)


def whole(operations: int, call: Callable[[], Any]) -> Block:
    """Time one call that does `operations` things."""
    cpu, wall = cpu_s(), time.perf_counter()
    call()
    return Block(
        operations=operations,
        wall_ms=[(time.perf_counter() - wall) * 1e3],
        cpu_ms=[(cpu_s() - cpu) * 1e3],
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the values lie, interpolated."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summarise(blocks: Sequence[Block]) -> dict[str, Any]:
    """Figures per operation over all blocks.

    `wall_ms` and `cpu_ms` are the median of the blocks' means, so one disturbed block does not
    move them; percentiles are over single operations where these were timed; `per_s` is the median
    and `per_s_best` the highest of the blocks' rates by wall time. On a busy machine the highest
    comes nearest to what an idle one gives.
    """
    wall = [sum(block.wall_ms) / block.operations for block in blocks]
    cpu = [sum(block.cpu_ms) / block.operations for block in blocks]
    figures: dict[str, Any] = {
        "operations": sum(block.operations for block in blocks),
        "blocks": len(blocks),
        "wall_ms": statistics.median(wall),
        "cpu_ms": statistics.median(cpu),
        "wall_ms_spread": [min(wall), max(wall)],
        "cpu_ms_spread": [min(cpu), max(cpu)],
        "per_s": statistics.median(1e3 / value for value in wall),
        "per_s_best": max(1e3 / value for value in wall),
    }
    singles = [ms for block in blocks if len(block.wall_ms) > 1 for ms in block.wall_ms]
    if singles:
        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        figures["wall_ms_at"] = {name: percentile(singles, share) for name, share in shares.items()}
        cpus = [ms for block in blocks if len(block.cpu_ms) > 1 for ms in block.cpu_ms]
        figures["cpu_ms_at"] = {name: percentile(cpus, share) for name, share in shares.items()}
    for name in {name for block in blocks for name in block.extra}:
        figures[name] = [block.extra[name] for block in blocks if name in block.extra]
    return figures


def paired_ratio(
    ours: Sequence[Block], base: Sequence[Block], of: str = "cpu_ms"
) -> dict[str, float]:
    """How many times the base's figure ours is, round by round, as both ran interleaved.

    The median over the rounds with the lowest and highest; noise that lasts longer than a round
    hits both sides of each ratio.
    """
    ratios = [
        (sum(getattr(a, of)) / a.operations) / max(sum(getattr(b, of)) / b.operations, 1e-9)
        for a, b in zip(ours, base, strict=False)
    ]
    return {"median": statistics.median(ratios), "low": min(ratios), "high": max(ratios)}


def size_on_disk(folder: Path) -> int:
    """Bytes of all files below the folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def environment(scratch: Path) -> dict[str, Any]:
    """What the figures depend on; nothing that names a person or a host."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "file_system": _file_system(scratch),
        "fsync_ms": _fsync_ms(scratch),
        "load_average": load_average(),
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "blas_threads": 1,
    }


def load_average() -> list[float]:
    """How busy the machine is: runnable processes over 1, 5 and 15 minutes."""
    return list(os.getloadavg())


def waited_s() -> float | None:
    """Seconds since the machine started in which something ready to run had no core.

    None where the kernel does not say.
    """
    pressure = Path("/proc/pressure/cpu")
    if not pressure.exists():
        return None
    found = re.search(r"some .*total=(\d+)", pressure.read_text())
    return int(found[1]) / 1e6 if found else None


def counting_fsyncs(report: Path) -> list[str]:
    """The words to put before a command so that its fsyncs are counted into `report`.

    Empty where `strace` is not installed: then fsyncs are not measured, and the table says so.
    """
    strace = shutil.which("strace")
    if strace is None:
        return []
    calls = "trace=fsync,fdatasync,sync_file_range,msync"
    return [strace, "-f", "-qq", "-c", "--seccomp-bpf", "-e", calls, "-o", str(report)]


def fsyncs_in(report: Path) -> int:
    """How many fsync and fdatasync calls a `strace -c` report holds."""
    total = 0
    for line in report.read_text().splitlines():
        found = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(fsync|fdatasync)$", line)
        total += int(found.group(1)) if found else 0
    return total


def write_results(name: str, results: dict[str, Any], table: str) -> Path:
    """Write `results/NAME.json` and the same as a table in `results/NAME.md`."""
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(_rounded(results), indent=1, ensure_ascii=False) + "\n", "utf-8")
    path.with_suffix(".md").write_text(table, "utf-8")
    return path


def read_results(name: str) -> dict[str, Any]:
    """What `write_results` wrote under that name; empty when nothing was."""
    path = Path(__file__).parent / "results" / f"{name}.json"
    held: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return held


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is right-aligned."""
    lines = ["| " + " | ".join(header) + " |", "|---" + "|--:" * (len(header) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def block_as_json(block: Block) -> dict[str, Any]:
    """For the pipe between a worker and the suite."""
    return asdict(block)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return value


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*:\s*(.+)", text)
    return found.group(1) if found else platform.processor()


def _file_system(folder: Path) -> str:
    """The type of the file system that holds the folder, from the longest matching mount point."""
    try:
        mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    except OSError:
        return "unknown"
    where = str(folder.resolve())
    holding = [(point, kind) for point, kind in mounts if where.startswith(point)]
    return max(holding, key=lambda mount: len(mount[0]), default=("", "unknown"))[1]


def _fsync_ms(folder: Path) -> dict[str, float]:
    """What one 4 kB append with fsync costs here: the floor of every durable add."""
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / "fsync-probe"
    times = []
    with probe.open("wb") as file:
        for _ in range(200):
            start = time.perf_counter()
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
            times.append((time.perf_counter() - start) * 1e3)
    probe.unlink()
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def say(text: str) -> None:
    """Progress for a person, on standard error."""
    print(text, file=sys.stderr, flush=True)
