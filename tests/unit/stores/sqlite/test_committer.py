"""Group commit."""

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from perdure.domain.changes import Applied
from perdure.errors import Closed, InvalidInput, Unavailable
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, durability
from perdure.testing.builders import a_change_set, a_memory


@pytest.fixture
def flushes(monkeypatch):
    """Counts flushes of the log, each of which waits for `gate` when it is given one."""

    class Flushes:
        count = 0
        gate = None

    def flush(descriptor):
        Flushes.count += 1
        if Flushes.gate is not None:
            assert Flushes.gate.wait(10)
        os.fdatasync(descriptor)

    monkeypatch.setattr(durability, "flush", flush)
    return Flushes


@pytest.fixture
def store(options, open_store):
    return open_store(options)


def wait_until(condition):
    done = threading.Event()
    for _ in range(10_000):
        if condition():
            return
        done.wait(0.001)
    raise AssertionError("it never came to be")


def test_a_single_add_is_flushed_exactly_once(store, flushes):
    for expected in range(1, 6):
        run_now(store.apply(a_change_set(a_memory())))
        assert flushes.count == expected


def test_an_add_is_not_acknowledged_before_it_is_flushed(store, flushes):
    flushes.gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(run_now, store.apply(a_change_set(a_memory())))
        wait_until(lambda: flushes.count == 1)
        assert not answer.done()
        flushes.gate.set()
        assert isinstance(answer.result(10), Applied)


def test_those_who_wait_share_a_flush(store, flushes):
    flushes.gate = threading.Event()
    with ThreadPoolExecutor(20) as pool:
        first = pool.submit(run_now, store.apply(a_change_set(a_memory())))
        wait_until(lambda: flushes.count == 1)
        others = [pool.submit(run_now, store.apply(a_change_set(a_memory()))) for _ in range(19)]
        wait_until(lambda: len(store._committer._queue) == 19)
        flushes.gate.set()
        assert all(isinstance(item.result(10), Applied) for item in [first, *others])
    assert flushes.count == 2


def test_writers_that_come_again_are_written_together(store, flushes, monkeypatch):
    def slow(descriptor):
        flushes.count += 1
        time.sleep(0.002)

    monkeypatch.setattr(durability, "flush", slow)

    def add(thread):
        for _ in range(10):
            assert isinstance(run_now(store.apply(a_change_set(a_memory()))), Applied)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert flushes.count <= 40


def test_normal_durability_does_not_flush(path, flushes, open_store):
    store = open_store(SqliteOptions(path=path, durability="normal"))
    run_now(store.apply(a_change_set(a_memory())))
    assert flushes.count == 0


def test_a_refusal_waits_for_what_it_is_based_on(store, flushes):
    memory = a_memory()
    flushes.gate = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        adding = pool.submit(run_now, store.apply(a_change_set(memory)))
        wait_until(lambda: flushes.count == 1)
        again = a_change_set(a_memory(), unless_known=frozenset((0,)))
        refused = pool.submit(run_now, store.apply(again))
        wait_until(lambda: len(store._committer._queue) == 1)
        assert not refused.done()
        flushes.gate.set()
        assert refused.result(10).known[0] == memory
        adding.result(10)


def test_an_error_in_one_ticket_reaches_only_its_caller(store):
    def fail(tx):
        tx.execute("DELETE FROM memories")
        raise InvalidInput("only mine")

    kept = a_memory()
    run_now(store.apply(a_change_set(kept)))
    gate, inside = threading.Event(), threading.Event()

    def hold(tx):
        inside.set()
        assert gate.wait(10)

    with ThreadPoolExecutor(3) as pool:
        holding = pool.submit(store._write, hold)
        assert inside.wait(10)
        failing = pool.submit(store._write, fail)
        adding = pool.submit(run_now, store.apply(a_change_set(a_memory())))
        wait_until(lambda: len(store._committer._queue) == 2)
        gate.set()
        holding.result(10)
        with pytest.raises(InvalidInput, match="only mine"):
            failing.result(10)
        assert isinstance(adding.result(10), Applied)
    assert run_now(store.get(kept.scope, [kept.id])) == {kept.id: kept}
    assert run_now(store.check(repair=False)) == []


def test_after_a_failed_flush_nothing_is_acknowledged(store, monkeypatch):
    def fail(descriptor):
        raise OSError(5, "Input/output error")

    run_now(store.apply(a_change_set(a_memory())))
    monkeypatch.setattr(durability, "flush", fail)
    with pytest.raises(Unavailable, match="could not be flushed"):
        run_now(store.apply(a_change_set(a_memory())))
    # A second flush may succeed without having written what the first one could not.
    monkeypatch.undo()
    with pytest.raises(Unavailable, match="open the store again"):
        run_now(store.apply(a_change_set(a_memory())))


def test_an_interrupted_leader_loses_nobodys_write(store):
    gate, inside = threading.Event(), threading.Event()

    def interrupted(tx):
        inside.set()
        assert gate.wait(10)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(3) as pool:
        leading = pool.submit(store._write, interrupted)
        assert inside.wait(10)
        adding = [pool.submit(run_now, store.apply(a_change_set(a_memory()))) for _ in range(2)]
        wait_until(lambda: len(store._committer._queue) == 2)
        gate.set()
        assert isinstance(leading.exception(10), KeyboardInterrupt)
        assert all(isinstance(item.result(10), Applied) for item in adding)
    assert run_now(store.check(repair=False)) == []


def test_a_group_whose_leader_was_interrupted_is_written_by_its_members(store):
    gate, inside, interruptions = threading.Event(), threading.Event(), [KeyboardInterrupt]

    def hold(tx):
        inside.set()
        assert gate.wait(10)

    def interrupt_once(tx):
        if interruptions:
            raise interruptions.pop()

    with ThreadPoolExecutor(4) as pool:
        holding = pool.submit(store._write, hold)
        assert inside.wait(10)
        waiting = [pool.submit(store._write, interrupt_once)]
        wait_until(lambda: len(store._committer._queue) == 1)
        waiting += [pool.submit(run_now, store.apply(a_change_set(a_memory()))) for _ in range(2)]
        wait_until(lambda: len(store._committer._queue) == 3)
        gate.set()
        holding.result(10)
        errors = [item.exception(10) for item in waiting]
        answers = [item.result() for item in waiting[1:] if item.exception() is None]
    # Whoever led was interrupted; the others' tickets had been taken, and were written all the same.
    assert sum(isinstance(error, KeyboardInterrupt) for error in errors) == 1
    assert sum(error is None for error in errors) == 2
    assert all(isinstance(answer, Applied) for answer in answers)
    assert run_now(store.check(repair=False)) == []


def test_a_closed_store_takes_no_writes(store):
    run_now(store.close())
    with pytest.raises(Closed):
        run_now(store.apply(a_change_set(a_memory())))
    with pytest.raises(Closed):
        run_now(store.get(a_memory().scope, ["x"]))


def test_a_lock_held_too_long_is_said(path, open_store):
    store = open_store(SqliteOptions(path=path, busy_timeout_s=0.05))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="locked by another program"):
        run_now(store.apply(a_change_set(a_memory())))
    other.execute("ROLLBACK")
    other.close()
    assert isinstance(run_now(store.apply(a_change_set(a_memory()))), Applied)


def test_the_log_is_folded_when_enough_was_written(path, open_store):
    store = open_store(SqliteOptions(path=path, checkpoint_bytes=1 << 20))
    for _ in range(300):
        run_now(store.apply(a_change_set(a_memory())))
    log = os.path.getsize(f"{path}-wal")
    assert log < 3 << 20


def test_closing_waits_for_who_is_writing(store, flushes):
    flushes.gate = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        adding = pool.submit(run_now, store.apply(a_change_set(a_memory())))
        wait_until(lambda: flushes.count == 1)
        closing = pool.submit(run_now, store.close())
        wait_until(lambda: store._is_closed)
        assert not closing.done()
        flushes.gate.set()
        closing.result(10)
        assert isinstance(adding.result(10), Applied)


def test_what_was_written_by_an_interrupted_leader_is_flushed_once_and_not_written_again(
    store, monkeypatch
):
    gate, inside, flushed = threading.Event(), threading.Event(), []

    def flush(descriptor):
        flushed.append(descriptor)
        if len(flushed) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(durability, "flush", flush)

    def hold(tx):
        inside.set()
        assert gate.wait(10)

    with ThreadPoolExecutor(4) as pool:
        holding = pool.submit(store._write, hold)
        assert inside.wait(10)
        adding = [pool.submit(run_now, store.apply(a_change_set(a_memory()))) for _ in range(3)]
        wait_until(lambda: len(store._committer._queue) == 3)
        gate.set()
        holding.result(10)
        errors = [item.exception(10) for item in adding]
    assert sum(isinstance(error, KeyboardInterrupt) for error in errors) == 1
    assert all(isinstance(item.result(), Applied) for item in adding if item.exception() is None)
    assert store._committer._state.sequence == 3
    assert len(flushed) >= 3
    assert run_now(store.check(repair=False)) == []
