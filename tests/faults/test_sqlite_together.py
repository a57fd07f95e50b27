"""Several processes and threads on one file."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from perdure.domain.changes import Applied, Refused
from perdure.domain.query import Condition
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.ports.blocking import run_now
from perdure.stores.sqlite import SqliteOptions, SqliteStore
from perdure.testing.builders import ILKA, NOON, a_change_set, a_memory
from tests.faults.writers import Child, named

PROCESSES, ADDS, THREADS = 4, 300, 16


@pytest.fixture
def options(tmp_path):
    return SqliteOptions(path=tmp_path / "memory.db", checkpoint_bytes=1 << 20)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_four_processes_add_at_once(options):
    def adding(process):
        def work(tell):
            store = SqliteStore.open(options)
            for number in range(ADDS):
                scope = Scope(user=f"u{number % 2}")
                memory = named(a_memory("from four", scope=scope), f"{process}-{number}")
                assert isinstance(run_now(store.apply(a_change_set(memory))), Applied)
                tell(memory.id)
            run_now(store.close())

        return work

    children = [Child(adding(process)) for process in range(PROCESSES)]
    told = []
    for child in children:
        ended_well, acknowledged = child.finish()
        assert ended_well
        told += acknowledged
    assert len(told) == PROCESSES * ADDS
    store = SqliteStore.open(options)
    found = {}
    for user in ("u0", "u1"):
        found |= run_now(store.get(Scope(user=user), told))
    assert found.keys() == set(told)
    assert run_now(store.check(repair=False)) == []
    assert os.path.getsize(f"{options.path}-wal") < 16 << 20
    run_now(store.close())


def test_the_same_fact_from_many_threads_is_stored_once(options):
    store = SqliteStore.open(options)

    def add(number):
        fact = a_memory("The kettle is blue.")
        return run_now(store.apply(a_change_set(fact, unless_known=frozenset((0,)))))

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(add, range(THREADS)))
    assert sum(isinstance(answer, Applied) for answer in answers) == 1
    refused = [answer for answer in answers if isinstance(answer, Refused)]
    assert len({answer.known[0].id for answer in refused}) == 1
    assert run_now(store.count(Condition(view=View(scope=ILKA, now=NOON)))) == 1
    run_now(store.close())


def test_threads_that_search_while_others_write_see_every_acknowledged_write(options):
    from perdure.domain.analysis import query_lexemes
    from perdure.domain.query import Search

    store = SqliteStore.open(options)
    searching = Search(
        condition=Condition(view=View(scope=ILKA, now=NOON)),
        vector=None,
        model=None,
        terms=query_lexemes("kettle"),
        limit=10_000,
    )

    def add_and_search(thread):
        for number in range(25):
            memory = named(a_memory(f"kettle {number}"), f"{thread}-{number}")
            run_now(store.apply(a_change_set(memory)))
            found = run_now(store.search(searching))
            assert memory.id in {candidate.id for candidate in found.candidates}
            assert len(found.candidates) == found.considered

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add_and_search, range(8)))
    assert run_now(store.search(searching)).considered == 200
    run_now(store.close())
