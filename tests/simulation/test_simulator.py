"""Random agents, restarts, clock jumps and failures: what must always hold does; and a store that
breaks one of the rules is found out."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from perdure.domain.changes import Applied
from perdure.domain.erasure import Erased
from perdure.domain.visibility import View
from perdure.ports.blocking import run_now
from perdure.stores.memory import MemoryStore
from perdure.testing.simulator import in_memory, run_seed, simulate
from perdure.testing.simulator.__main__ import main, report
from perdure.testing.simulator.running import simulate_anew

BLOCK = 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 160, BLOCK))
def test_everything_holds_in_memory(first):
    run_block("memory", first, steps=30)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 60, BLOCK))
def test_everything_holds_on_sqlite(first):
    run_block("sqlite", first, steps=30)


@pytest.mark.slow
def test_everything_holds_on_postgres(postgres_url):
    for seed in range(4):
        told = run_seed(seed, store=postgres_url, steps=25)
        assert told.ok, report(told, "postgresql://…")


def run_block(store, first, *, steps):
    for seed in range(first, first + BLOCK):
        told = run_seed(seed, store=store, steps=steps)
        assert told.ok, report(told, store)


def test_a_seed_takes_the_same_course_every_time():
    one, other = (run_seed(3, store="memory", steps=25) for _ in range(2))
    assert one.ok
    assert one.lines == other.lines
    assert run_seed(4, store="memory", steps=25).lines != one.lines


def test_a_shorter_run_begins_as_the_longer_one():
    long, short = (run_seed(5, store="memory", steps=steps) for steps in (20, 8))
    assert long.lines[:8] == short.lines[:8]


class Forgetful(MemoryStore):
    """Says that it wrote, and did not: every fifth time."""

    writes = 0

    async def apply(self, changes):
        if changes.changes:
            self.writes += 1
            if self.writes % 5 == 0:
                return Applied(sequence=1)
        return await super().apply(changes)


class Leaky(MemoryStore):
    """Shows a tenant's memories to all its users."""

    async def query(self, query):
        view = query.condition.view
        wide = View(scope=view.scope, now=view.now, include=view.include, everything=True)
        return await super().query(replace(query, condition=replace(query.condition, view=wide)))


class Doubling(MemoryStore):
    """Does not tell what stands in a slot, nor minds."""

    async def slot(self, scope, key):
        return []

    async def apply(self, changes):
        return await super().apply(replace(changes, slots=()))


class Clinging(MemoryStore):
    """Says that it erased, and did not."""

    async def erase(self, erasure):
        return Erased()


class Murmuring(MemoryStore):
    """Erases the memory and leaves the journal as it was."""

    async def erase(self, erasure):
        with self._lock:
            before = {
                walls: list(entries) for walls, entries in self._open_tables().journal.items()
            }
            erased = await super().erase(erasure)
            for walls, entries in before.items():
                self._tables.journal[walls][: len(entries)] = entries
        return erased


class Careless(MemoryStore):
    """Loses track of what lies in the archive."""

    async def archived_batches(self):
        return {}


BROKEN = {
    Forgetful: "is lost|not stored|stored by nobody|otherwise|words|NotFound|finds",
    Leaky: "was shown",
    Doubling: "two values at one moment",
    Clinging: "back although it was erased",
    Murmuring: "still holds|journal|certificate",
    Careless: "nowhere|batch|archive",
}
SEEDS = 40


@pytest.mark.parametrize("broken", list(BROKEN), ids=lambda broken: broken.__name__)
def test_a_store_that_breaks_a_rule_is_found_out(broken):
    for seed in range(SEEDS):
        told = run_now(simulate_anew(staging_with(broken), seed, steps=40))
        if not told.ok:
            assert re.search(BROKEN[broken], told.failure), told.failure
            return
    pytest.fail(f"{SEEDS} seeds found nothing")


def staging_with(broken):
    @asynccontextmanager
    async def staging():
        async with in_memory() as stage:

            async def opened():
                return broken(salts=bytes)

            yield replace(stage, open_store=opened)

    return staging


def test_a_failing_seed_is_cut_short_and_told_with_its_command():
    told = run_now(simulate_anew(staging_with(Leaky), 1, steps=40))
    assert told.steps < 40
    text = report(told, "memory")
    assert f"--store memory --seed 1 --steps {told.steps}" in text

    async def again():
        async with staging_with(Leaky)() as stage:
            return await simulate(stage, 1, steps=told.steps)

    assert run_now(again()).failure == told.failure


def test_the_command_tells_how_many_held(capsys):
    assert main(["--seeds", "2", "--steps", "6"]) == 0
    assert "2 seeds of 6 steps on memory: none failed" in capsys.readouterr().out


def test_the_command_tells_the_steps_of_one_seed(capsys):
    assert main(["--seed", "2", "--steps", "6"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 7


def test_the_command_refuses_an_unknown_store(capsys):
    assert main(["--store", "tape"]) == 2
    assert "memory, sqlite or postgresql" in capsys.readouterr().err
