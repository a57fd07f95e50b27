"""A process killed in the middle of an erasure has erased all of it or nothing, and what it left
behind in the files goes with the next check."""

import os
import random
import signal

import pytest

from perdure.domain.erasure import Erased, Erasure
from perdure.domain.scope import Scope
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore, compacting
from perdure.testing.builders import NOON, a_change, a_change_set, a_memory, successor, vectors_of
from tests.faults.writers import Child, named

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

KILLS = 8
MEMORIES = 60
SEED = int(os.environ.get("PERDURE_FAULT_SEED", "20310725"))


@pytest.fixture
def options(tmp_path):
    return SqliteOptions(path=tmp_path / "memory.db", checkpoint_bytes=1 << 19)


def user(number):
    return Scope(user=f"u{number}")


def secret(number):
    return f"secret-of-{number}-秘密"


def fill(store, number):
    """A user's memories, half of them changed once."""
    memories = [
        named(a_memory(f"{secret(number)} {n}" * 9, scope=user(number)), f"{number}-{n}")
        for n in range(MEMORIES)
    ]
    vectors = vectors_of((1.0, 0.0, 0.0, 0.0))
    run_now(store.apply(a_change_set(*(a_change(item, vectors=vectors) for item in memories))))
    changed = [
        a_change(successor(item, content=f"{secret(number)} changed"), before=item)
        for item in memories[::2]
    ]
    run_now(store.apply(a_change_set(*changed)))


def erase_one_after_the_other(options, numbers):
    """A child's work: it tells before it begins and after each user that was erased."""

    def work(tell):
        store = SqliteStore.open(options)
        tell("ready")
        for number in numbers:
            erased = run_now(store.erase(Erasure(scope=user(number), ids=None, at=NOON)))
            assert isinstance(erased, Erased)
            tell(f"erased {number}")
            assert run_now(store.compact())
            tell(f"compacted {number}")

    return work


def raw(options):
    return b"".join(file.read_bytes() for file in options.path.parent.iterdir())


def left_of(store, number):
    """How many of the user's memories have contents, in records and in journal entries."""
    ids = [f"{number}-{n}" for n in range(MEMORIES)]
    whole = run_now(store.whole(user(number), ids)).values()
    return (
        sum(bool(item.memory.content) for item in whole),
        sum(not entry.is_emptied for item in whole for entry in item.entries[:1]),
        sum(item.vectors is not None for item in whole),
    )


def test_all_or_nothing_and_in_the_end_nothing_is_left(options):
    chance = random.Random(SEED)
    whole, gone = (MEMORIES, MEMORIES, MEMORIES // 2), (0, 0, 0)
    for kill in range(KILLS):
        numbers = range(kill * 3, kill * 3 + 3)
        store = SqliteStore.open(options)
        for number in numbers:
            fill(store, number)
        run_now(store.close())
        told = Child(erase_one_after_the_other(options, numbers)).kill_after(
            chance.uniform(0.0, 0.25)
        )
        store = SqliteStore.open(options)
        acknowledged = [number for number in numbers if f"erased {number}" in told]
        erased = [number for number in numbers if left_of(store, number) == gone]
        assert all(left_of(store, number) in (whole, gone) for number in numbers)
        assert set(acknowledged) <= set(erased)
        findings = run_now(store.check(repair=True))
        assert all(finding.place == "files" and finding.repaired for finding in findings)
        assert run_now(store.check(repair=False)) == []
        run_now(store.close())
        data = raw(options)
        for number in numbers:
            assert (secret(number).encode() in data) == (number not in erased)


def erase_and_stop(options, *, inside):
    """A child's work: it erases the first user and tells so once, then waits to be killed: after
    the erasing, or in the middle of freeing the file."""

    def work(tell):
        store = SqliteStore.open(options)

        def told_and_stopped(*_):
            tell("here")
            signal.pause()

        run_now(store.erase(Erasure(scope=user(0), ids=None, at=NOON)))
        if inside:
            compacting.flush = told_and_stopped
            run_now(store.compact())
        told_and_stopped()

    return work


@pytest.mark.parametrize("inside", [False, True], ids=["before freeing", "while freeing"])
def test_what_was_not_freed_is_made_up_for(options, inside):
    store = SqliteStore.open(options)
    for number in range(4):
        fill(store, number)
    run_now(store.close())
    assert Child(erase_and_stop(options, inside=inside)).kill_after(0) == ["here"]
    store = SqliteStore.open(options)
    assert left_of(store, 0) == (0, 0, 0)
    [finding] = run_now(store.check(repair=True))
    assert finding.place == "files"
    assert finding.repaired
    assert run_now(store.check(repair=False)) == []
    run_now(store.close())
    assert secret(0).encode() not in raw(options)
    assert secret(1).encode() in raw(options)
