"""A process killed at any moment has lost nothing it acknowledged."""

import os
import random

import pytest

from perdure.domain.scope import Scope
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from tests.faults.writers import (
    Child,
    add_batches,
    add_from_threads,
    add_singly,
    change_again_and_again,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    # Forking is the point, and the children use nothing that other threads could have locked.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

KILLS = 15
SEED = int(os.environ.get("PERDURE_FAULT_SEED", "20310725"))
ILKA = Scope(user="ilka")


@pytest.fixture
def options(tmp_path):
    # So small that processes are also killed while they fold the log into the file.
    return SqliteOptions(path=tmp_path / "memory.db", checkpoint_bytes=1 << 19)


def killed(work_for, options, seed):
    """What children acknowledged, each killed at a random moment; the file is checked between."""
    chance = random.Random(f"{SEED}/{seed}")
    told = []
    for number in range(KILLS):
        child = Child(work_for(options, f"k{number}"))
        told += child.kill_after(chance.uniform(0.0, 0.15))
        store = SqliteStore.open(options)
        yield told, store
        run_now(store.close())


def present(store, ids, user="ilka"):
    return run_now(store.get(Scope(user=user), ids)).keys()


def assert_sound(store):
    assert run_now(store.check(repair=False)) == []


def test_single_adds(options):
    for told, store in killed(add_singly, options, "single"):
        assert present(store, told) == set(told)
        assert_sound(store)
    assert len(told) >= KILLS


def test_batches_are_whole_or_absent(options):
    for told, store in killed(add_batches, options, "batch"):
        for user in range(3):
            expected = {f"{name}-{i}" for name in told for i in range(user, 20, 3)}
            assert present(store, list(expected), f"u{user}") == expected
        assert run_now(store.sizes(_everyone())).memories.get("active", 0) % 20 == 0
        assert_sound(store)
    assert len(told) >= KILLS


def _everyone():
    from perdure.domain.visibility import View
    from perdure.testing.builders import NOON

    return View(scope=Scope(), now=NOON, everything=True)


def test_adds_of_several_threads(options):
    for told, store in killed(add_from_threads, options, "threads"):
        assert present(store, told) == set(told)
        assert_sound(store)
    assert len(told) >= KILLS


def test_changes_of_one_memory(options):
    for told, store in killed(change_again_and_again, options, "changes"):
        latest = {name: int(version) for name, version in (item.split("=") for item in told)}
        for name, memory in run_now(store.get(ILKA, list(latest))).items():
            # What was on its way when the process was killed may have been written too.
            assert memory.version in (latest[name], latest[name] + 1)
            assert memory.content == f"version {memory.version} of {name}"
            assert len(run_now(store.history(ILKA, name))) == memory.version
        assert_sound(store)
    assert len(latest) == KILLS
