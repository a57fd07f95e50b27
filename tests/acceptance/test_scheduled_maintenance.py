"""Upkeep in the background: it runs, it shows, it stops, and it survives what goes wrong."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta

import pytest

import perdure
from perdure import Settings
from perdure.testing import FakeClock, HashingEmbedder
from tests.acceptance.home import START

OFTEN = timedelta(milliseconds=10)
PATIENCE_S = 20.0
PAUSE = threading.Event()


def until(condition):
    """Wait until the condition holds; fail when it does not in good time."""
    for _ in range(int(PATIENCE_S / 0.01)):
        if condition():
            return
        PAUSE.wait(0.01)
    raise AssertionError("it did not come about")


def upkeep_threads():
    return [thread for thread in threading.enumerate() if thread.name == "perdure-upkeep"]


def test_it_runs_by_itself_until_it_is_stopped(home, clock):
    memory = home.open(settings=Settings(quota=1))
    ilka = memory.scoped(user="ilka")
    for number in range(4):
        ilka.remember(f"Note: {number}")
    started = memory.start_maintenance(OFTEN)
    assert started.every == OFTEN
    assert started.next_at == clock.now() + OFTEN
    until(lambda: memory.maintenance_status().runs > 2)
    assert ilka.count() == 1
    stopped = memory.stop_maintenance()
    assert (stopped.every, stopped.next_at, stopped.is_running) == (None, None, False)
    ilka.remember("Note: another")
    assert memory.maintenance_status().runs == stopped.runs
    assert ilka.count() == 2
    assert ilka.history(ilka.list(include="archived").items[0].id)[-1].actor == "maintenance"


def test_a_setting_starts_it_and_closing_ends_it(home):
    before = len(upkeep_threads())
    memory = home.open(settings=Settings(maintenance_every=OFTEN))
    until(lambda: memory.stats().maintenance.runs > 1)
    memory.close()
    assert len(upkeep_threads()) == before


def test_it_goes_on_after_an_error_and_shows_it(file_home):
    memory = file_home.open()
    core = memory._core._core if file_home.form == "sync" else memory.manager._core
    whole, broken = core.store.due, []

    async def failing(*args):
        if len(broken) < 2:
            broken.append(args)
            raise perdure.Unavailable("the disk is on holiday")
        return await whole(*args)

    # The store's own method gives way: what is tested is what lies above it.
    object.__setattr__(core, "store", _Standing(core.store, failing))
    memory.start_maintenance(OFTEN)
    until(lambda: len(broken) == 2)
    until(lambda: memory.maintenance_status().runs > 1)
    status = memory.maintenance_status()
    assert status.failures == 2
    assert status.last_error is None
    memory.stop_maintenance()


class _Standing:
    """A store of which one method was replaced."""

    def __init__(self, store, due):
        self._store = store
        self.due = due

    def __getattr__(self, name):
        return getattr(self._store, name)


def test_an_error_is_shown_until_a_run_succeeds(file_home):
    memory = file_home.open()
    core = memory._core._core if file_home.form == "sync" else memory.manager._core

    async def failing(*_):
        raise perdure.Unavailable("the disk is on holiday")

    object.__setattr__(core, "store", _Standing(core.store, failing))
    with pytest.raises(perdure.Unavailable):
        memory.maintain()
    status = memory.maintenance_status()
    assert status.last_error == "the disk is on holiday"
    assert (status.failures, status.runs, status.is_running) == (1, 0, False)


def test_of_two_openings_one_does_the_work(shared_home):
    one, other = (
        shared_home.open(settings=Settings(quota=2, maintenance_every=OFTEN)) for _ in range(2)
    )
    for number in range(10):
        one.remember(f"Note: {number}")
    until(lambda: one.count() == 2)
    until(lambda: min(item.maintenance_status().runs for item in (one, other)) > 0)
    assert not one.maintenance_status().failures
    assert not other.maintenance_status().failures
    archived = one.stats().memories["archived"]
    assert archived == 8


def test_a_program_that_forgets_to_close_ends_all_the_same(tmp_path):
    import subprocess
    import sys

    program = (
        "import perdure, datetime\n"
        f"memory = perdure.open({str(tmp_path / 'm.db')!r}, embedder='off')\n"
        "memory.start_maintenance(datetime.timedelta(milliseconds=1))\n"
        "memory.remember('A note.')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


async def test_closing_stops_the_task_before_the_store_goes(tmp_path):
    memory = await perdure.open_async(
        tmp_path / "m.db", embedder=HashingEmbedder(), clock=FakeClock(START),
        settings=Settings(maintenance_every=OFTEN),
    )  # fmt: skip
    await memory.remember("A note.")
    await memory.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "perdure-upkeep"]
