"""A simulator: random agents, restarts, clock jumps and failures, and what must always hold.

    python -m perdure.testing.simulator --seeds 10000 --store sqlite

runs seeds on a store that comes with the package; `simulate` runs one on any `Stage`, so also on
a store or an archive of your own.
"""

from perdure.testing.simulator.running import STEPS, Simulation, run_seed, shortest, simulate
from perdure.testing.simulator.stages import Staging, in_memory, on_postgres, on_sqlite
from perdure.testing.simulator.violation import Violation
from perdure.testing.simulator.world import SETTINGS, Stage

__all__ = [
    "SETTINGS",
    "STEPS",
    "Simulation",
    "Stage",
    "Staging",
    "Violation",
    "in_memory",
    "on_postgres",
    "on_sqlite",
    "run_seed",
    "shortest",
    "simulate",
]
