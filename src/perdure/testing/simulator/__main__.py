"""`python -m perdure.testing.simulator --seeds 10000 --store sqlite`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from perdure.errors import Misconfigured
from perdure.testing.simulator.running import STEPS, Simulation, run_seed
from perdure.testing.simulator.stages import staging_of

MOST_TOLD = 5
"""After so many failing seeds the rest is not waited for."""


def main(arguments: list[str] | None = None) -> int:
    """Run the seeds; 0 when everything held, 1 when something did not, 2 for a wrong call."""
    asked = _parser().parse_args(arguments)
    try:
        staging_of(asked.store)
    except Misconfigured as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    seeds = (
        [asked.seed] if asked.seed is not None else range(asked.first, asked.first + asked.seeds)
    )
    began, done, failed = time.monotonic(), 0, 0
    for told in _results(seeds, asked.store, asked.steps, asked.jobs):
        done += 1
        if asked.seed is not None:
            print("\n".join(told.lines))  # noqa: T201
        if not told.ok:
            failed += 1
            print(report(told, asked.store), flush=True)  # noqa: T201
            if failed == MOST_TOLD:
                print(f"gave up after {failed} failing seeds")  # noqa: T201
                break
        elif done % 500 == 0:
            print(f"{done} seeds in {time.monotonic() - began:.0f} s", flush=True)  # noqa: T201
    took = time.monotonic() - began
    print(  # noqa: T201
        f"{done} seeds of {asked.steps} steps on {asked.store.partition('://')[0]}: "
        f"{failed or 'none'} failed, {took:.0f} s"
    )
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m perdure.testing.simulator",
        description="Random agents, restarts, clock jumps and failures, and what must always hold.",
    )
    parser.add_argument("--store", default="memory", help="memory, sqlite or postgresql://…")
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds (100)")
    parser.add_argument("--first", type=int, default=0, help="the first of them (0)")
    parser.add_argument("--seed", type=int, help="one seed alone, told step by step")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"steps of each ({STEPS})")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    return parser


def _results(seeds: Iterable[int], store: str, steps: int, jobs: int) -> Iterator[Simulation]:
    run = partial(run_seed, store=store, steps=steps)
    if jobs <= 1:
        yield from map(run, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(run, seeds, chunksize=4)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def report(told: Simulation, store: str) -> str:
    """What was broken, the last steps before it, and how to see it again."""
    last = "\n".join(f"    {line}" for line in told.lines[-8:])
    return f"seed {told.seed} failed: {told.failure}\n{last}\n  again: {replay(told, store)}"


def replay(told: Simulation, store: str) -> str:
    """The command that runs this simulation again."""
    name = f"'{store}'" if "://" in store else store
    return f"python -m perdure.testing.simulator --store {name} --seed {told.seed} --steps {told.steps}"


if __name__ == "__main__":
    sys.exit(main())
