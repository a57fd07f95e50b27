"""The same request again: the same answer, nothing stored."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import perdure
from perdure import Conflict, MemoryManager, Outcome, State


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with perdure.open("memory://", embedder="off") as manager:
        yield manager.scoped(user="ilka")


def test_the_same_request_again_gets_the_same_answer_and_says_so(memory: MemoryManager) -> None:
    first = memory.remember("The kiln is cold.", idempotency_key="r1")
    again = memory.remember("The kiln is cold.", idempotency_key="r1")
    assert (first.repeated, again.repeated) == (False, True)
    assert again == first
    assert memory.count() == 1


def test_repeated_and_new_requests_may_share_a_batch(memory: MemoryManager) -> None:
    texts = ["one kiln", "two kilns", "three kilns"]
    items = [{"content": text, "idempotency_key": text} for text in texts]
    memory.remember_many(items[:2])
    answers = memory.remember_many(items)
    assert [answer.repeated for answer in answers] == [True, True, False]
    assert [answer.memory.content for answer in answers] == texts
    assert memory.count() == 3


def test_a_repeated_request_does_not_bring_back_what_was_forgotten(memory: MemoryManager) -> None:
    first = memory.remember("The kiln is cold.", idempotency_key="r1")
    memory.forget(first.memory)
    again = memory.remember("The kiln is cold.", idempotency_key="r1")
    assert again.repeated
    assert again.memory.state is State.FORGOTTEN
    assert memory.count() == 0


def test_a_key_for_something_already_known_is_kept_too(memory: MemoryManager) -> None:
    known = memory.remember("The kiln is cold.")
    first = memory.remember("The kiln is cold.", idempotency_key="r1")
    assert first.outcome is Outcome.ALREADY_KNOWN
    memory.forget(known.memory)
    assert memory.remember("The kiln is cold.", idempotency_key="r1").repeated
    assert memory.count() == 0


def test_another_request_with_the_key_conflicts_and_stores_nothing(memory: MemoryManager) -> None:
    memory.remember("The kiln is cold.", idempotency_key="r1")
    with pytest.raises(Conflict, match="'r1'"):
        memory.remember_many(
            [{"content": "unrelated"}, {"content": "The kiln is hot.", "idempotency_key": "r1"}]
        )
    assert memory.count() == 1
