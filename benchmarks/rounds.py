"""Running cases: opened systems, turns taken round by round, and what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import harness, registry, report
from benchmarks.harness import Block, say
from benchmarks.plan import Plan
from benchmarks.processes import Stores, Worker, WorkerFailed
from benchmarks.registry import BASELINE, SUBJECT

Figures = dict[str, Any]
Blocks = dict[str, list[Block]]
"""Measured blocks by system, one per round."""

Request = tuple[str, dict[str, Any]]
"""A call of `operations.Runner` with its arguments."""

Turn = Callable[[int, str], Request]
"""What to ask in one round (from 0) of one system."""


@dataclass(slots=True, kw_only=True)
class Bench:
    """One run: what it measures with, and the figures by case and system.

    A system that fails in a case leaves the error there, and what it measured before.
    """

    plan: Plan
    systems: list[str]
    stores: Stores
    cases: dict[str, dict[str, Figures]] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    busyness: dict[str, float] = field(default_factory=dict)
    _earlier: dict[str, dict[str, Figures]] = field(default_factory=dict)

    def resume(self, earlier: Mapping[str, Any]) -> None:
        """Start from earlier results; a case that is run again replaces its figures there."""
        self.about.update(earlier.get("systems", {}))
        self.busyness.update(earlier.get("busyness", {}))
        self._earlier = dict(earlier.get("cases", {}))
        self.cases.update(self._earlier)

    def able(self, size: int) -> list[str]:
        """The systems that can be given a store of this size."""
        return [name for name in self.systems if registry.ENTRIES[name].largest >= size]

    def with_variants(self) -> list[str]:
        """The systems of the run, and those that are settings of the subject."""
        variants = [name for name in registry.ENTRIES if name.startswith(f"{SUBJECT}_")]
        return self.systems + (variants if SUBJECT in self.systems else [])

    def worker(
        self, system: str, path: Path, size: int, *, users: int = 0, prefix: Sequence[str] = ()
    ) -> Worker:
        """A process with the system opened on `path`."""
        return Worker(system, path, size=size, users=users or self.plan.users, prefix=prefix)

    @contextmanager
    def opened(
        self, systems: Sequence[str], size: int, *, users: int = 0
    ) -> Iterator[dict[str, Worker]]:
        """A worker per system on a private copy of its filled store; failures are left out."""
        users = users or self.plan.users
        copies: list[Path] = []
        with ExitStack() as stack:
            workers: dict[str, Worker] = {}
            for system in systems:
                try:
                    copies.append(self.stores.copy(system, size, users))
                    worker = self.worker(system, copies[-1], size, users=users)
                    workers[system] = stack.enter_context(worker)
                    self.about.setdefault(system, worker.call("about"))
                except WorkerFailed as exc:
                    self.fail(f"open a store of {size}", system, exc)
            yield workers
        for copy in copies:
            self.stores.discard(copy)

    def take_turns(
        self,
        workers: Mapping[str, Worker],
        cases: Mapping[str, Turn],
        *,
        warm_up: Request | None = None,
    ) -> dict[str, Blocks]:
        """Run each case once per round and system, systems in turn within a case; record it all."""
        blocks: dict[str, Blocks] = {case: {} for case in cases}
        began = time.perf_counter(), harness.waited_s()
        if warm_up is not None:
            call, arguments = warm_up
            for name, worker in workers.items():
                self.attempt(next(iter(cases)), name, worker.call, call, **arguments)
        for turn in range(self.plan.rounds):
            for case, request in cases.items():
                for name, worker in workers.items():
                    if self.failed(case, name):
                        continue
                    call, arguments = request(turn, name)
                    block = self.attempt(case, name, worker.call, call, **arguments)
                    if block is not None:
                        blocks[case].setdefault(name, []).append(block)
        for case, measured in blocks.items():
            self.note_busyness(case, *began)
            self.record(case, measured)
        return blocks

    def note_busyness(self, case: str, wall: float, waited: float | None) -> None:
        """Keep how much of the time since then some process had to wait for a core.

        Near 0 for a case of one thread on an idle machine; near 1 its wall times mean little.
        """
        now = harness.waited_s()
        if waited is not None and now is not None:
            self.busyness[case] = min(1.0, (now - waited) / (time.perf_counter() - wall))

    def record(self, case: str, blocks: Mapping[str, list[Block]]) -> None:
        """Turn blocks into figures, with ratios to the baseline's blocks of the same rounds."""
        base = blocks.get(BASELINE, [])
        for system, measured in blocks.items():
            figures = harness.summarise(measured)
            for name in ("began", "ended"):
                figures.pop(name, None)
            if base and system != BASELINE:
                figures["cpu_to_raw"] = harness.paired_ratio(measured, base)
                figures["wall_to_raw"] = harness.paired_ratio(measured, base, "wall_ms")
            self.figures(case, system).update(figures)
            say(f"  {case:24} {system:12} {report.brief(figures)}")

    def figures(self, case: str, system: str) -> Figures:
        """The figures of a system in a case, to read or to add to."""
        if self.cases.get(case) is not None and self.cases[case] is self._earlier.get(case):
            self.cases[case] = {
                name: {**figures, "saved": True}
                for name, figures in self._earlier[case].items()
                if name not in self.systems
            }
        return self.cases.setdefault(case, {}).setdefault(system, {})

    def failed(self, case: str, system: str) -> bool:
        """Whether the system has failed in this case."""
        return "error" in self.figures(case, system)

    def attempt(
        self, case: str, system: str, call: Callable[..., Any], *args: Any, **arguments: Any
    ) -> Any:
        """The call's result; None, with the error kept in the case, when the system fails."""
        try:
            return call(*args, **arguments)
        except WorkerFailed as exc:
            self.fail(case, system, exc)
            return None

    def fail(self, case: str, system: str, exc: WorkerFailed) -> None:
        """Keep what the system failed with."""
        say(f"  {case:24} {system:12} {exc}")
        self.figures(case, system)["error"] = str(exc)
