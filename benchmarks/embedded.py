"""How fast, how small and how exact is the embedded product beside raw SQLite and its peers?

Usage: python -m benchmarks.embedded [--quick | --large] [--systems a,b] [--cases x,y]
                                     [--output NAME] [--keep] [--saved NAME] [--refill]

Every case runs the same operations on the same data in every system, in short blocks taken in turn,
so that whatever else the machine does hits all of them; ratios are taken round by round. Writes
`results/NAME.json` and `.md`, and prints the table. `--quick` only shows that everything runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from benchmarks import harness, registry, report, targets
from benchmarks.cases import CASES
from benchmarks.harness import say
from benchmarks.plan import FULL, LARGE, QUICK
from benchmarks.processes import Stores
from benchmarks.registry import BASELINE, SUBJECT
from benchmarks.rounds import Bench

SCRATCH = Path(__file__).parent / ".stores"


def main() -> int:
    """Run what the arguments ask for; 1 when a quick run met an error of subject or baseline."""
    arguments = _arguments()
    root = SCRATCH / (f"quick-{os.getpid()}" if arguments.quick else "full")
    bench = Bench(
        plan=QUICK if arguments.quick else LARGE if arguments.large else FULL,
        systems=_chosen_systems(arguments),
        stores=Stores(root, keep=True),
    )
    bench.stores.start(refill=arguments.refill)
    results: dict[str, Any] = {"environment": harness.environment(root)}
    if arguments.keep:
        bench.resume(harness.read_results(arguments.output))
    table = ""
    for name in arguments.cases.split(",") if arguments.cases else CASES:
        say(f"{name}: {CASES[name].__doc__}")
        CASES[name](bench)
        table = _finish(results, bench, arguments)
    bench.stores.finish()
    if arguments.quick:
        shutil.rmtree(root)
    print(table)
    return 1 if arguments.quick and report.has_errors(results) else 0


def _finish(results: dict[str, Any], bench: Bench, arguments: argparse.Namespace) -> str:
    """Judge and write what there is so far; a run that is stopped leaves its finished cases."""
    results["environment"]["load_average_at_end"] = harness.load_average()
    results["systems"] = dict(bench.about)
    results["busyness"] = dict(bench.busyness)
    results["cases"] = {case: dict(systems) for case, systems in bench.cases.items()}
    if arguments.saved:
        report.add_saved(results, arguments.saved)
    results["targets"] = targets.judge(results["cases"])
    table = report.as_markdown(results, quick=arguments.quick)
    if not arguments.quick:
        harness.write_results(arguments.output, results, table)
    return table


def _chosen_systems(arguments: argparse.Namespace) -> list[str]:
    if arguments.systems:
        return list(arguments.systems.split(","))
    own = (BASELINE, SUBJECT)
    wanted = [name for name in registry.ENTRIES if not name.startswith(f"{SUBJECT}_")]
    if arguments.quick:
        wanted = [name for name in wanted if name in own]
    chosen = [name for name in wanted if registry.ENTRIES[name].is_installed]
    for name in wanted:
        if name not in chosen:
            say(f"{name} is not installed here and is left out")
    return chosen


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="tiny sizes; nothing is written")
    size.add_argument("--large", action="store_true", help="also a store of a million")
    parser.add_argument("--systems", help=f"comma-separated, of: {', '.join(registry.ENTRIES)}")
    parser.add_argument("--cases", help=f"comma-separated, of: {', '.join(CASES)}")
    parser.add_argument("--output", default="embedded", help="name of the result files")
    parser.add_argument("--saved", help="fill in systems not run from these saved results")
    parser.add_argument(
        "--keep", action="store_true", help="keep what NAME.json has of other cases"
    )
    parser.add_argument("--refill", action="store_true", help="fill the peers' stores anew too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
