"""Where does the time of one operation go?

Usage: python -m benchmarks.profile_one OPERATION [--system NAME] [--size N] [--count N]
                                        [--sampling] [--sort tottime|cumulative] [--lines N]

OPERATION is add, batch, recall, recall_kind, recall_time, recall_metadata, get, list, update,
delete or open. The store (100 users) is filled by another process and copied, so a run leaves
nothing behind. First the operation is timed without a profiler, then profiled with cProfile in
every thread the system starts (threads other than the caller's include the warm-up), or sampled
with pyinstrument (`--sampling`, the calling thread only). The profile is kept in
`benchmarks/.profiles/OPERATION.prof` for other viewers.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness import ONE_THREAD, Block, summarise
from benchmarks.processes import Stores
from benchmarks.registry import ENTRIES, SUBJECT

os.environ.update(ONE_THREAD)

PROFILES = Path(__file__).parent / ".profiles"
PREPARED = ["get", "update", "delete"]
"""Operations on memories that are stored for the purpose."""


def main() -> None:
    """Time, then profile."""
    arguments = _arguments()
    PROFILES.mkdir(exist_ok=True)
    stores = Stores(PROFILES, keep=False)
    stores.start()
    path = stores.copy(arguments.system, arguments.size)
    started = _profile_new_threads() if not arguments.sampling else []
    try:
        _run(arguments, path, started)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _run(arguments: argparse.Namespace, path: Path, started: list[cProfile.Profile]) -> None:
    from benchmarks.operations import Runner  # after the pinning of BLAS threads

    def opened() -> Runner:
        return Runner(
            system=arguments.system, path=str(path), size=arguments.size, users=100, queries=2_000
        )

    if arguments.operation == "open":
        _profile(opened, started, arguments)
        return
    runner = opened()
    operation = _operation(runner, arguments.operation, arguments.count)
    operation(0)
    figures = summarise([operation(1)])
    print(
        f"{arguments.operation}: {figures['cpu_ms']:.3f} ms CPU, {figures['wall_ms']:.3f} ms wall "
        f"per operation over {figures['operations']}, without a profiler"
    )
    _profile(lambda: operation(2), started, arguments)
    runner.close()


def _operation(runner: Any, name: str, count: int) -> Callable[[int], Block]:
    """A function of the round (0, 1, 2) that runs the operation `count` times on fresh targets."""
    if name == "add":
        return lambda turn: runner.add(first=turn * count, count=count)
    if name == "batch":
        return lambda turn: runner.add_batches(
            first=turn * 5_000, batches=max(1, count // 100), size=100
        )
    if name.startswith("recall"):
        where = name.partition("_")[2] or "none"
        return lambda turn: runner.recall(first=turn * count, count=count, where=where)
    if name == "list":
        return lambda turn: runner.newest(first=turn * count, count=count)
    runner.prepare(first=0, count=3 * count)
    more = {"source": 10_000} if name == "update" else {}
    return lambda turn: getattr(runner, name)(first=turn * count, count=count, **more)


def _profile(
    call: Callable[[], Any], started: list[cProfile.Profile], arguments: argparse.Namespace
) -> None:
    if arguments.sampling:
        _sample(call)
        return
    profile = cProfile.Profile()
    profile.runcall(call)
    kept = PROFILES / f"{arguments.operation}.prof"
    stats = pstats.Stats(profile)
    for other in started:
        stats.add(other)
    stats.dump_stats(kept)
    stats.strip_dirs().sort_stats(arguments.sort).print_stats(arguments.lines)
    print(f"{len(started)} other threads are included; kept in {kept.relative_to(Path.cwd())}")


def _sample(call: Callable[[], Any]) -> None:
    from pyinstrument import Profiler  # optional: only for --sampling

    profiler = Profiler(interval=0.0005)
    with profiler:
        call()
    print(profiler.output_text(color=sys.stdout.isatty(), show_all=True))


def _profile_new_threads() -> list[cProfile.Profile]:
    """Profile every thread started from now on; the list grows as they start.

    Interpreters that allow one profiler at a time leave those threads out.
    """
    started: list[cProfile.Profile] = []
    run = threading.Thread.run

    def profiled(self: threading.Thread) -> None:
        profile = cProfile.Profile()
        try:
            profile.enable()
        except ValueError:
            run(self)
            return
        started.append(profile)
        try:
            run(self)
        finally:
            profile.disable()

    threading.Thread.run = profiled  # type: ignore[method-assign]
    return started


def _arguments() -> argparse.Namespace:
    recalls = ["recall", "recall_kind", "recall_time", "recall_metadata"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("operation", choices=["add", "batch", *recalls, "list", *PREPARED, "open"])
    parser.add_argument("--system", default=SUBJECT, choices=list(ENTRIES))
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--sampling", action="store_true")
    parser.add_argument("--sort", default="tottime", choices=["tottime", "cumulative"])
    parser.add_argument("--lines", type=int, default=40)
    return parser.parse_args()


if __name__ == "__main__":
    main()
