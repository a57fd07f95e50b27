"""Forked children that write to a store and tell which writes were acknowledged."""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from perdure.domain.changes import Applied
from perdure.domain.scope import Scope
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteStore
from perdure.testing.builders import a_change, a_change_set, a_memory, successor, vectors_of

EAST = (1.0, 0.0, 0.0, 0.0)


class Child:
    """A forked process that runs `work(tell)`; `tell(text)` reaches the parent at once."""

    def __init__(self, work):
        reading, writing = os.pipe()
        self._pipe = reading
        self._process = os.fork()
        if self._process == 0:
            os.close(reading)
            code = 1
            try:
                work(lambda text: os.write(writing, f"{text}\n".encode()))
                code = 0
            except BaseException as error:
                print(f"child: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
            finally:
                sys.stderr.flush()
                os._exit(code)
        os.close(writing)

    def kill_after(self, seconds):
        """Wait for its first word, give it some time, and kill it; what it told."""
        told = os.read(self._pipe, 1 << 16)
        time.sleep(seconds)
        os.kill(self._process, signal.SIGKILL)
        return self._rest(told)

    def finish(self):
        """(whether it went well, what it told)."""
        told = self._rest(b"")
        return self.ended_well, told

    def _rest(self, told):
        while more := os.read(self._pipe, 1 << 16):
            told += more
        os.close(self._pipe)
        self.ended_well = os.waitpid(self._process, 0)[1] == 0
        # A killed process may leave half a line, which acknowledges nothing.
        return told.decode().split("\n")[:-1]


def named(memory, name):
    return replace(memory, id=name)


def add_singly(options, name):
    """A child's work: one memory after the other, until it is killed."""

    def work(tell):
        store = SqliteStore.open(options)
        for number in range(100_000):
            memory = named(a_memory(f"single {name} {number}"), f"{name}-{number}")
            change = a_change(memory, vectors=vectors_of(EAST) if number % 2 else None)
            assert isinstance(run_now(store.apply(a_change_set(change))), Applied)
            tell(memory.id)

    return work


def add_batches(options, name, size=20):
    """A child's work: batches, each told with one word, until it is killed."""

    def work(tell):
        store = SqliteStore.open(options)
        for number in range(100_000):
            memories = [
                named(a_memory(f"batch {name} {number} {i}", scope=Scope(user=f"u{i % 3}")),
                      f"{name}-{number}-{i}")
                for i in range(size)
            ]  # fmt: skip
            assert isinstance(run_now(store.apply(a_change_set(*memories))), Applied)
            tell(f"{name}-{number}")

    return work


def add_from_threads(options, name, threads=4):
    """A child's work: several threads at once, until it is killed."""

    def work(tell):
        store = SqliteStore.open(options)

        def add(thread):
            for number in range(100_000):
                memory = named(a_memory(f"thread {name}"), f"{name}-{thread}-{number}")
                assert isinstance(run_now(store.apply(a_change_set(memory))), Applied)
                tell(memory.id)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(add, range(threads)))

    return work


def change_again_and_again(options, name):
    """A child's work: new versions of one memory, until it is killed."""

    def work(tell):
        store = SqliteStore.open(options)
        memory = named(a_memory(f"version 1 of {name}"), name)
        run_now(store.apply(a_change_set(memory)))
        tell(f"{name}=1")
        for number in range(2, 100_000):
            after = successor(memory, content=f"version {number} of {name}")
            change = a_change(after, before=memory)
            assert isinstance(run_now(store.apply(a_change_set(change))), Applied)
            tell(f"{name}={number}")
            memory = after

    return work
