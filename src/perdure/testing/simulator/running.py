"""One simulation from one seed, and the shortest that still fails."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

from perdure.errors import Conflict, InvalidInput, NotFound, PerdureError
from perdure.ports.blocking import run_now
from perdure.testing.faults import Crash, How
from perdure.testing.simulator import invariants
from perdure.testing.simulator.acting import Actor, History
from perdure.testing.simulator.model import Model
from perdure.testing.simulator.operations import OPERATIONS, Operation
from perdure.testing.simulator.stages import Staging, needs_loop, staging_of
from perdure.testing.simulator.violation import Violation
from perdure.testing.simulator.words import Words
from perdure.testing.simulator.world import Stage, World

STEPS = 40
FAULT_RATE = 0.15
WHOLE_CHECK_EVERY = 10


@dataclass(slots=True)
class Simulation:
    """What happened: a line for each step, and what was broken, if anything was."""

    seed: int
    steps: int
    lines: list[str] = field(default_factory=list)
    failure: str | None = None
    failed_at: int | None = None

    @property
    def ok(self) -> bool:
        """Whether everything held."""
        return self.failure is None


async def simulate(stage: Stage, seed: int, *, steps: int = STEPS) -> Simulation:
    """Run a seed for so many steps on a fresh stage. The same every time.

    Never raises for what the memory does wrong: that stands in the answer.
    """
    told = Simulation(seed=seed, steps=steps)
    course = _Course(World(stage, seed), seed, told)
    try:
        await course.world.open()
        for step in range(steps):
            told.failed_at = step
            await course.step(step)
        told.failed_at = steps
        await course.end()
        told.failed_at = None
    except Exception as error:
        told.failure = f"{type(error).__name__}: {error}"
        told.lines.append(told.failure)
        if not isinstance(error, Violation):
            told.lines.append(traceback.format_exc())
        await _closed(course.world)
    return told


async def _closed(world: World) -> None:
    """Let go of files after a failure, which may have broken the closing too."""
    try:
        await world.close()
    except Exception:
        return


class _Course:
    """A simulation under way."""

    def __init__(self, world: World, seed: int, told: Simulation) -> None:
        self.world = world
        self._seed = seed
        self._told = told
        self._model = Model()
        self._words = Words()
        self._history = History()

    def _actor(self, chance: Random) -> Actor:
        return Actor(self.world, self._model, self._words, self._history, chance)

    async def step(self, number: int) -> None:
        """One operation of one agent, perhaps with a failure, and a look at what is left."""
        # Each step has a chance of its own, so that a shorter run begins as the longer one.
        chance = Random(f"{self._seed}.{number}")
        actor = self._actor(chance)
        [operation] = chance.choices(list(OPERATIONS), weights=list(OPERATIONS.values()))
        self.world.faults.disarm()
        self.world.clock.advance(timedelta(minutes=chance.choice((0, 0, 1, 30, 240, 1500))))
        if chance.random() < FAULT_RATE:
            self.world.faults.arm(chance.randint(1, 8), chance.choice(list(How)))
        outcome = await self._attempt(operation, actor)
        self._told.lines.append(
            f"{number:3} {self.world.clock.now():%m-%d %H:%M} {'/'.join(actor.user.walls)} "
            f"{operation.__name__}: {outcome}"
        )
        self._model.pending += actor.intent.says
        with self.world.faults.suspended():
            await invariants.check_user(actor, actor.user)
            if number % WHOLE_CHECK_EVERY == WHOLE_CHECK_EVERY - 1:
                await invariants.check_everything(actor)

    async def _attempt(self, operation: Operation, actor: Actor) -> str:
        """Do it; what came of it, in a word."""
        faults, model = self.world.faults, actor.model
        try:
            await operation(actor)
            failed = faults.failed
        except Crash:
            failed = faults.failed
            faults.disarm()
            model.is_uncertain(actor.intent)
            await self.world.lose()
            return f"died in {failed}"
        except PerdureError as error:
            failed = faults.failed
            if failed is not None:
                model.is_uncertain(actor.intent)
                return f"failed in {failed}: {type(error).__name__}"
            if isinstance(error, Conflict | NotFound | InvalidInput):
                return f"refused: {type(error).__name__}"
            raise
        finally:
            faults.disarm()
        return f"done, in spite of {failed}" if failed else "done"

    async def end(self) -> None:
        """Look at everything, also after a restart, after `verify`, and in the closed files."""
        actor = self._actor(Random(f"{self._seed}.end"))
        await self._checked(actor, invariants.check_everything)
        await self.world.reopen()
        await self._checked(actor, invariants.check_everything)
        await self._checked(actor, invariants.check_no_orphans)
        await self._checked(actor, invariants.check_erased_from_archive)
        await self._checked(actor, invariants.check_restorable)
        await self._checked(actor, invariants.check_everything)
        await self.world.close()
        invariants.check_files(actor)

    async def _checked(self, actor: Actor, check: Callable[[Actor], Awaitable[None]]) -> None:
        with self.world.faults.suspended():
            await check(actor)


async def simulate_anew(staging: Staging, seed: int, *, steps: int = STEPS) -> Simulation:
    """Run a seed on a stage that is set up for it; a failing one as short as it fails."""
    async with staging() as stage:
        told = await simulate(stage, seed, steps=steps)
    return told if told.ok else await shortest(staging, told)


async def shortest(staging: Staging, failing: Simulation) -> Simulation:
    """The shortest beginning of a failing simulation that is found to fail too.

    A shorter run looks at everything earlier, so it may show the same fault sooner, or, where
    something mended itself, another one.
    """
    low, high = 0, failing.steps if failing.failed_at is None else failing.failed_at + 1
    best = failing
    while low < high:
        middle = (low + high) // 2
        async with staging() as stage:
            tried = await simulate(stage, failing.seed, steps=middle)
        if tried.ok:
            low = middle + 1
        else:
            high, best = middle, tried
    return best


def run_seed(seed: int, *, store: str, steps: int = STEPS) -> Simulation:
    """Run a seed on `memory`, `sqlite` or a `postgresql://` URL; see `simulate_anew`."""
    work = simulate_anew(staging_of(store), seed, steps=steps)
    if needs_loop(store):
        return asyncio.run(work)
    return run_now(work)
