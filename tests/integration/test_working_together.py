"""Several processes edit one task on a server: nothing is lost, and a stale edit is told."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
from datetime import timedelta
from uuid import uuid4

import pytest

import perdure
from perdure.domain.working import TaskKey
from perdure.ports.working_store import StoredTask
from perdure.testing import NOON, HashingEmbedder
from perdure.working_stores.redis import RedisWorkingStore

EDITS = 60

PROGRAM = textwrap.dedent("""
    import sys

    import perdure

    url, user, job, edits = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    settings = perdure.Settings(working=url, conflict_retries=200)
    with perdure.open("memory://", embedder="off", settings=settings) as memory:
        task = memory.scoped(user=user).working("shared")
        task.get()
        print("ready", flush=True)
        sys.stdin.readline()
        conflicts = 0
        for number in range(edits):
            if job == "append":
                task.set("/results/log/-", f"{sys.argv[5]} {number}")
                continue
            while True:
                now = task.get()
                try:
                    task.set("/results/n", now.results["n"] + 1, expected_version=now.version)
                    break
                except perdure.Conflict:
                    conflicts += 1
        print(conflicts)
""")


@pytest.fixture
def user():
    return uuid4().hex


@pytest.fixture
def task(valkey_url, user):
    settings = perdure.Settings(working=valkey_url)
    with perdure.open("memory://", embedder=HashingEmbedder(), settings=settings) as memory:
        task = memory.scoped(user=user).working("shared")
        task.begin("Count")
        yield task


def run_two(valkey_url: str, user: str, job: str) -> list[int]:
    """Run the program twice at the same moment; what each printed last."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, valkey_url, user, job, str(EDITS), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    return [int(text) for text in said]


def test_two_processes_that_say_the_version_conflict_cleanly(task, valkey_url, user):
    task.set("/results/n", 0)
    conflicts = run_two(valkey_url, user, "count")
    assert task.read("/results/n") == 2 * EDITS
    assert task.get().version == 2 + 2 * EDITS
    assert sum(conflicts) > 0, "the processes never met; the test shows nothing"


def test_edits_of_two_processes_that_name_no_version_all_happen(task, valkey_url, user):
    task.set("/results/log", [])
    run_two(valkey_url, user, "append")
    log = task.read("/results/log")
    for name in ("one", "two"):
        own = [line for line in log if line.startswith(name)]
        assert own == [f"{name} {number}" for number in range(EDITS)]


async def test_many_tasks_of_one_loop_edit_one_task(valkey_url, user):
    settings = perdure.Settings(working=valkey_url, conflict_retries=200)
    async with await perdure.open_async("memory://", embedder="off", settings=settings) as memory:
        task = memory.scoped(user=user).working("shared")
        await task.begin("Count", steps=[str(n) for n in range(20)])
        await asyncio.gather(*(task.set_step(str(n + 1), "done", result=n) for n in range(20)))
        assert [step.result for step in (await task.get()).steps] == list(range(20))


def test_one_client_works_on_loop_after_loop(valkey_url, user):
    store = RedisWorkingStore(valkey_url, timeout_s=5.0)
    key = TaskKey(scope=perdure.Scope(user=user), name="loops")
    task = StoredTask(
        key=key, version=1, document="{}", write="w", expires_at=NOON + timedelta(hours=1)
    )
    assert asyncio.run(store.write(task, expected=0, now=NOON))
    assert asyncio.run(store.load(key, now=NOON)) == task
    asyncio.run(store.aclose())
    with pytest.raises(perdure.Closed):
        asyncio.run(store.load(key, now=NOON))
