"""What `check` of any store finds in a journal."""

from dataclasses import replace

import pytest

from perdure.domain.changes import Operation
from perdure.domain.journal import emptied
from perdure.domain.records import State
from perdure.domain.visibility import View
from perdure.ports.blocking import run_now
from perdure.stores._verification import chain_findings
from perdure.stores.memory import MemoryStore
from perdure.testing import ILKA, NOON, a_change, a_change_set, a_memory, successor


@pytest.fixture
def chain():
    """A memory that was stored and then archived, without anything being emptied."""
    store, memory = MemoryStore(), a_memory("a kettle")
    run_now(store.apply(a_change_set(memory)))
    away = successor(memory, state=State.ARCHIVED, content="")
    change = a_change(away, before=memory, operation=Operation.ARCHIVED)
    run_now(store.apply(a_change_set(change)))
    return run_now(store.changes_since(View(scope=ILKA, now=NOON), 0))


def problems(entries):
    return [finding.problem for finding in chain_findings(entries)]


def test_contents_may_be_gone_where_a_later_entry_says_why(chain):
    assert problems(chain) == []
    assert problems([emptied(chain[0]), chain[1]]) == []


def test_contents_that_are_gone_for_no_reason_are_found(chain):
    assert problems([emptied(chain[0])]) == [
        "the contents of entry 1 are gone, and no entry says why"
    ]
    assert problems([chain[0], emptied(chain[1])]) == [
        "the contents of entry 2 are gone, and no entry says why"
    ]


def test_a_seal_that_is_not_that_of_the_contents_is_found(chain):
    forged = replace(chain[0], seal="00" * 16)
    assert problems([forged, chain[1]]) == ["entry 1 was altered after it was written"]


def test_another_seal_is_found(chain):
    forged = replace(emptied(chain[0]), seal="00" * 16)
    assert problems([forged, chain[1]]) == ["entry 1 was altered after it was written"]
