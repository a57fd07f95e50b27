"""A store after a fork belongs to the parent."""

import os
import sys

import pytest

from perdure.domain.changes import Applied
from perdure.errors import Unavailable
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteStore
from perdure.testing.builders import a_change_set, a_memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def in_child(action):
    """Run an action in a forked child that ends as a program ends; whether it went well."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            action()
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def test_a_child_is_told_to_open_the_file_itself(options, open_store):
    store = open_store(options)
    memory = a_memory()
    run_now(store.apply(a_change_set(memory)))

    def try_both():
        with pytest.raises(Unavailable, match="forked"):
            run_now(store.apply(a_change_set(a_memory())))
        with pytest.raises(Unavailable, match="forked"):
            run_now(store.get(memory.scope, [memory.id]))
        run_now(store.close())

    assert in_child(try_both)
    assert isinstance(run_now(store.apply(a_change_set(a_memory()))), Applied)
    assert run_now(store.check(repair=False)) == []


def test_a_child_that_opens_the_file_itself_may_write(options, open_store):
    store = open_store(options)
    run_now(store.apply(a_change_set(a_memory())))
    theirs = a_memory()

    def write():
        own = SqliteStore.open(options)
        assert isinstance(run_now(own.apply(a_change_set(theirs))), Applied)
        run_now(own.close())

    assert in_child(write)
    assert run_now(store.get(theirs.scope, [theirs.id])) == {theirs.id: theirs}
    assert isinstance(run_now(store.apply(a_change_set(a_memory()))), Applied)
    assert run_now(store.check(repair=False)) == []


def test_closing_in_a_child_takes_nothing_from_the_parent(options, path, open_store):
    store = open_store(options)
    run_now(store.apply(a_change_set(a_memory())))
    log = os.path.getsize(f"{path}-wal")
    assert in_child(lambda: run_now(store.close()))
    assert os.path.getsize(f"{path}-wal") == log
    assert isinstance(run_now(store.apply(a_change_set(a_memory()))), Applied)
