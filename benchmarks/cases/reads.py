"""What it costs to recall and read memories, and to change single ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import harness
from benchmarks.operations import FILTERS
from benchmarks.processes import Worker
from benchmarks.registry import BASELINE, SUBJECT
from benchmarks.rounds import Bench, Blocks, Request, Turn

_FILTERED = ("10k", "100k")
"""The store sizes at which recall is also measured with filters."""

_SLOW = {"mem0": 1}
"""Recalls per thread of systems that would take minutes."""


def recall(bench: Bench) -> None:
    """Recall for one of 100 users, by store size, without and with filters."""
    for label, size in bench.plan.sizes.items():
        names = list(FILTERS) if label in _FILTERED else ["none"]
        cases = {name: f"recall_{label}{_suffix(name)}" for name in names}
        turns = {cases[name]: _recalling(bench, name) for name in names}
        warm_up = ("recall", {"first": 0, "count": bench.plan.warm_up})
        with bench.opened(bench.able(size), size) as workers:
            blocks = bench.take_turns(workers, turns, warm_up=warm_up)
            _find_targets(bench, cases["none"], workers)
        _compare_with_unfiltered(bench, cases, blocks)


def recall_one_user(bench: Bench) -> None:
    """Recall where one user has 100k memories."""
    case = "recall_one_user_100k"
    able = [name for name in bench.able(bench.plan.one_user) if name != "chroma"]
    with bench.opened(able, bench.plan.one_user, users=1) as workers:
        warm_up = ("recall", {"first": 0, "count": min(20, bench.plan.warm_up)})
        bench.take_turns(workers, {case: _recalling(bench, "none")}, warm_up=warm_up)
        _find_targets(bench, case, workers)


def recall_threads(bench: Bench) -> None:
    """Eight threads recalling from a store of 10k."""
    case = "recall_10k_8_threads"

    def eight(turn: int, system: str) -> Request:
        count = _SLOW.get(system, bench.plan.recalls_per_thread)
        return "recall_in_threads", {"first": 100 + turn * 300, "threads": 8, "count": count}

    with bench.opened(bench.systems, bench.plan.base) as workers:
        for name, worker in workers.items():
            count = 0 if name in _SLOW else bench.plan.warm_up
            bench.attempt(case, name, worker.call, "recall", first=1_000, count=max(1, count))
        bench.take_turns(workers, {case: eight})


def read_and_change(bench: Bench) -> None:
    """Get, list 50, update and delete in a store of 10k."""
    count, rounds = bench.plan.reads, bench.plan.rounds

    def third(which: int, turn: int) -> dict[str, Any]:
        return {"first": (which * rounds + turn) * count, "count": count}

    turns: dict[str, Turn] = {
        "get": lambda turn, _: ("get", third(0, turn)),
        "list_50": lambda turn, _: ("newest", third(0, turn)),
        "update": lambda turn, _: (
            "update",
            {**third(1, turn), "source": 10_000 + turn * count},
        ),
        "delete": lambda turn, _: ("delete", third(2, turn)),
    }
    with bench.opened(bench.systems, bench.plan.base) as workers:
        for name, worker in workers.items():
            total = 3 * rounds * count
            bench.attempt("get", name, worker.call, "prepare", first=0, count=total)
        bench.take_turns(workers, turns, warm_up=("get", {"first": 0, "count": 5}))


def exactness(bench: Bench) -> None:
    """The vector arm's recall@10 against exact cosine over the user's memories."""
    for system in bench.with_variants():
        if system == BASELINE or system.startswith(SUBJECT):
            bench.attempt("exactness", system, _exactness, bench, system)


def _exactness(bench: Bench, system: str) -> None:
    path = bench.stores.copy(system, bench.plan.base, bench.plan.users)
    with bench.worker(system, path, bench.plan.base) as worker:
        found = worker.call("exactness", count=bench.plan.exactness_cases)
    bench.figures("exactness", system).update(found)
    bench.stores.discard(path)


def _suffix(filter_name: str) -> str:
    return "" if filter_name == "none" else f"_{filter_name}"


def _recalling(bench: Bench, where: str) -> Turn:
    def recall_block(turn: int, _: str) -> Request:
        count = bench.plan.recalls
        first = bench.plan.warm_up + turn * count
        return "recall", {"first": first, "count": count, "where": where}

    return recall_block


def _find_targets(bench: Bench, case: str, workers: Mapping[str, Worker]) -> None:
    """Whether recall finds what was asked for: speed means nothing without it."""
    for name, worker in workers.items():
        count = 20 if name in _SLOW else bench.plan.recalls
        found = bench.attempt(case, name, worker.call, "found", first=0, count=count)
        bench.figures(case, name).update(found or {})


def _compare_with_unfiltered(
    bench: Bench, cases: Mapping[str, str], blocks: Mapping[str, Blocks]
) -> None:
    plain = blocks[cases["none"]]
    for name, case in cases.items():
        if name == "none":
            continue
        for system, filtered in blocks[case].items():
            ratio = harness.paired_ratio(filtered, plain[system])
            bench.figures(case, system)["to_unfiltered"] = ratio
