"""What it costs to store memories."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import harness
from benchmarks.harness import Block
from benchmarks.processes import WorkerFailed
from benchmarks.registry import BASELINE, SUBJECT
from benchmarks.rounds import Bench, Blocks, Request, Turn

_BEYOND = 15_000
"""Where warm-ups take their memories from: past those that are measured."""


def add(bench: Bench) -> None:
    """A single durable add to a store of 10k, and its fsyncs."""

    def one_by_one(turn: int, _: str) -> Request:
        return "add", {"first": turn * 500, "count": bench.plan.adds}

    with bench.opened(bench.systems, bench.plan.base) as workers:
        warm_up = ("add", {"first": _BEYOND, "count": bench.plan.adds})
        bench.take_turns(workers, {"add": one_by_one}, warm_up=warm_up)
    for system in bench.systems:
        bench.attempt("add", system, _count_fsyncs, bench, system)


def add_batch_100(bench: Bench) -> None:
    """Adding 100 memories in one call, counted by memory."""

    def batches(turn: int, _: str) -> Request:
        return "add_batches", {"first": turn * 1_000, "batches": bench.plan.batches, "size": 100}

    with bench.opened(bench.systems, bench.plan.base) as workers:
        warm_up = ("add_batches", {"first": _BEYOND, "batches": 2, "size": 100})
        bench.take_turns(workers, {"add_batch_100": batches}, warm_up=warm_up)


def add_8_threads(bench: Bench) -> None:
    """Eight threads of one process adding one memory at a time."""

    def eight(turn: int, _: str) -> Request:
        return (
            "add_in_threads",
            {"first": turn * 1_000, "threads": 8, "count": bench.plan.per_thread},
        )

    cases: dict[str, Turn] = {"add_8_threads": eight}
    with bench.opened(bench.systems, bench.plan.base) as workers:
        warm_up = ("add_in_threads", {"first": _BEYOND, "threads": 8, "count": 3})
        bench.take_turns(workers, cases, warm_up=warm_up)


def add_4_processes(bench: Bench) -> None:
    """Four processes adding to one store at once, and whether all of it is there afterwards."""
    case = "add_4_processes"
    blocks: Blocks = {}
    began = time.perf_counter(), harness.waited_s()
    for _ in range(max(2, bench.plan.rounds - 2)):
        for system in bench.systems:
            if bench.failed(case, system) and system not in blocks:
                continue
            block = bench.attempt(case, system, _four_processes, bench, system)
            if block is not None:
                blocks.setdefault(system, []).append(block)
    bench.note_busyness(case, *began)
    bench.record(case, blocks)


def import_file(bench: Bench) -> None:
    """Loading a file of 10k memories into an empty store."""
    files: dict[str, Path] = {}
    blocks: Blocks = {}
    for turn in range(bench.plan.import_rounds + 1):
        for system in bench.systems:
            if system not in (BASELINE, SUBJECT) or bench.failed("import", system):
                continue
            block = bench.attempt("import", system, _import_once, bench, system, files)
            if block is not None and turn > 0:
                blocks.setdefault(system, []).append(block)
    bench.record("import", blocks)


def _four_processes(bench: Bench, system: str) -> Block:
    count = bench.plan.per_process
    path = bench.stores.copy(system, bench.plan.base, bench.plan.users)
    with ExitStack() as stack:
        workers = [
            stack.enter_context(bench.worker(system, path, bench.plan.base)) for _ in range(4)
        ]
        held = workers[0].call("count")
        start_at = workers[0].call("clock") + 0.5
        for place, worker in enumerate(workers):
            worker.send("add", first=place * 2_000, count=count, start_at=start_at)
        blocks: list[Block] = [worker.receive() for worker in workers]
    with bench.worker(system, path, bench.plan.base) as worker:
        kept = worker.call("count") - held
    bench.stores.discard(path)
    began = min(block.extra["began"] for block in blocks)
    ended = max(block.extra["ended"] for block in blocks)
    return Block(
        operations=4 * count,
        wall_ms=[(ended - began) * 1e3],
        cpu_ms=[sum(sum(block.cpu_ms) for block in blocks)],
        extra={"lost": 4 * count - kept},
    )


def _import_once(bench: Bench, system: str, files: dict[str, Path]) -> Block:
    size = bench.plan.imported
    path = bench.stores.empty(system)
    with bench.worker(system, path, size) as worker:
        if system not in files:
            file = bench.stores.empty(f"{system}-import").with_suffix(".jsonl")
            worker.call("write_import_file", path=str(file), size=size)
            files[system] = file
        block: Block = worker.call("import_file", path=str(files[system]), size=size)
        if worker.call("count") != size:
            raise WorkerFailed("the import did not bring every memory")
    bench.stores.discard(path)
    return block


def _count_fsyncs(bench: Bench, system: str) -> None:
    """Count fsyncs per memory as the difference of two runs, so opening and closing cancel out."""
    first: Request = ("add", {"first": 0, "count": 10})
    more: dict[str, tuple[int, Request]] = {
        "fsyncs": (200, ("add", {"first": 1_000, "count": 200})),
        "fsyncs_batch_100": (500, ("add_batches", {"first": 1_000, "batches": 5, "size": 100})),
        "fsyncs_8_threads": (
            200,
            ("add_in_threads", {"first": 1_000, "threads": 8, "count": 25}),
        ),
    }
    figures = bench.figures("add", system)
    base = _fsyncs_of(bench, system, [first])
    if base is None:
        figures["fsyncs_note"] = "fsyncs not measured: strace is not installed"
        return
    for name, (count, request) in more.items():
        figures[name] = ((_fsyncs_of(bench, system, [first, request]) or base) - base) / count


def _fsyncs_of(bench: Bench, system: str, requests: Sequence[Request]) -> int | None:
    size = bench.plan.sizes["1k"]
    path = bench.stores.copy(system, size, bench.plan.users)
    counts = path.parent / f"{path.name}.fsyncs"
    prefix = harness.counting_fsyncs(counts)
    if not prefix:
        return None
    with bench.worker(system, path, size, prefix=prefix) as worker:
        for name, arguments in requests:
            worker.call(name, **arguments)
    bench.stores.discard(path)
    return harness.fsyncs_in(counts)
