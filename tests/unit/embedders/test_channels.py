"""Order of events, never time on the clock: threads meet at events the tests hold."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from perdure.embedders.channels import ChannelledEmbedder
from perdure.errors import EmbedderRejected, InvalidInput, Misconfigured
from perdure.ports.blocking import run_now
from perdure.ports.embedder import Embedder, FloatArray, Purpose
from tests.unit.embedders.recording import RecordingEmbedder

PATIENCE_S = 10.0
"""How long a test waits for what must happen before it calls it a failure."""

GATE_S = 3 * PATIENCE_S
"""How long a gate stays shut at most: longer, or what waits for it would happen after all."""


class Gate:
    """Holds documents inside the inner embedder until they are let through, one call at a time."""

    def __init__(self, *, holds_queries: bool = False) -> None:
        self._holds_queries = holds_queries
        self._entered: threading.Semaphore = threading.Semaphore(0)
        self._allowed: threading.Semaphore = threading.Semaphore(0)
        self.open = threading.Event()

    def __call__(self, texts: list[str], purpose: Purpose) -> None:
        if purpose == "query" and not self._holds_queries:
            return
        self._entered.release()
        if not self.open.is_set():
            assert self._allowed.acquire(timeout=GATE_S)

    def wait_until_entered(self) -> None:
        assert self._entered.acquire(timeout=PATIENCE_S)

    def is_entered(self) -> bool:
        return self._entered.acquire(timeout=0.05)

    def let_one_through(self) -> None:
        self._allowed.release()

    def let_all_through(self) -> None:
        self.open.set()
        self._allowed.release(100)


@contextmanager
def opened_at_the_end(*gates: Gate) -> Iterator[ThreadPoolExecutor]:
    """Threads for a test; whatever happens, nobody stays behind a gate."""
    with ThreadPoolExecutor(16) as threads:
        try:
            yield threads
        finally:
            for gate in gates:
                gate.let_all_through()


def ask(embedder: Embedder, *texts: str) -> FloatArray:
    return run_now(embedder.embed(texts, purpose="query"))


def write(embedder: Embedder, *texts: str) -> FloatArray:
    return run_now(embedder.embed(texts, purpose="document"))


def until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(2000):
        if condition():
            return
        pause.wait(0.005)
    raise AssertionError("it never happened")


def numbered(count: int) -> list[str]:
    return [f"text {number}" for number in range(count)]


def waiting(embedder: ChannelledEmbedder) -> int:
    return sum(len(job.queued) for job in list(embedder._vectors._jobs))


def test_a_query_is_answered_while_a_chunk_of_a_bulk_write_is_being_embedded() -> None:
    gate = Gate()
    inner = RecordingEmbedder(gate)
    embedder = ChannelledEmbedder(inner, chunk_texts=4)
    with opened_at_the_end(gate) as threads:
        bulk = threads.submit(write, embedder, *numbered(40))
        gate.wait_until_entered()
        answer = threads.submit(ask, embedder, "a question").result(PATIENCE_S)
        assert answer.shape == (1, 32)
        assert not bulk.done()
        assert inner.calls == [("document", numbered(4)), ("query", ["a question"])]


def test_no_further_chunk_starts_before_the_query_is_answered() -> None:
    documents, queries = Gate(), Gate(holds_queries=True)

    def before(texts: list[str], purpose: Purpose) -> None:
        (queries if purpose == "query" else documents)(texts, purpose)

    inner = RecordingEmbedder(before)
    embedder = ChannelledEmbedder(inner, chunk_texts=4)
    with opened_at_the_end(documents, queries) as threads:
        bulk = threads.submit(write, embedder, *numbered(12))
        documents.wait_until_entered()
        question = threads.submit(ask, embedder, "a question")
        queries.wait_until_entered()
        documents.let_one_through()
        assert not documents.is_entered()
        queries.let_one_through()
        question.result(PATIENCE_S)
        documents.wait_until_entered()
        documents.let_all_through()
        assert np.array_equal(bulk.result(PATIENCE_S), write(RecordingEmbedder(), *numbered(12)))
    assert [purpose for purpose, _ in inner.calls] == ["document", "query", "document", "document"]


def test_queries_without_end_do_not_put_documents_off_for_ever() -> None:
    queries = Gate(holds_queries=True)

    def before(texts: list[str], purpose: Purpose) -> None:
        if purpose == "query":
            queries(texts, purpose)

    embedder = ChannelledEmbedder(RecordingEmbedder(before), patience=3)
    with opened_at_the_end(queries) as threads:
        # One query is always running: the next begins before the last is answered.
        running = threads.submit(ask, embedder, "first")
        queries.wait_until_entered()
        document = threads.submit(write, embedder, "a document")
        until(lambda: waiting(embedder) == 1)
        for number in range(3):
            assert not document.done()
            following = threads.submit(ask, embedder, f"question {number}")
            queries.wait_until_entered()
            queries.let_one_through()
            until(lambda both=(running, following): any(each.done() for each in both))
            running = following if running.done() else running
        assert document.result(PATIENCE_S).shape == (1, 32)


def test_writers_that_come_together_share_a_chunk() -> None:
    gate = Gate()
    inner = RecordingEmbedder(gate)
    embedder = ChannelledEmbedder(inner, chunk_texts=16)
    with opened_at_the_end(gate) as threads:
        first = threads.submit(write, embedder, "first")
        gate.wait_until_entered()
        others = [threads.submit(write, embedder, text) for text in numbered(8)]
        until(lambda: waiting(embedder) == 8)
        gate.let_all_through()
        found = [each.result(PATIENCE_S) for each in [first, *others]]
    assert [len(texts) for _, texts in inner.calls] == [1, 8]
    expected = write(RecordingEmbedder(), "first", *numbered(8))
    assert np.array_equal(np.concatenate(found), expected)


def test_a_single_write_goes_along_with_a_bulk_one() -> None:
    gate = Gate()
    inner = RecordingEmbedder(gate)
    embedder = ChannelledEmbedder(inner, chunk_texts=4)
    with opened_at_the_end(gate) as threads:
        bulk = threads.submit(write, embedder, *numbered(40))
        gate.wait_until_entered()
        single = threads.submit(write, embedder, "single")
        until(lambda: waiting(embedder) == 37)
        gate.let_one_through()
        gate.wait_until_entered()
        gate.let_one_through()
        assert single.result(PATIENCE_S).shape == (1, 32)
        assert not bulk.done()
    assert "single" in inner.calls[1][1]


def test_chunks_are_bounded_by_texts_and_by_characters() -> None:
    inner = RecordingEmbedder()
    embedder = ChannelledEmbedder(inner, chunk_texts=3, chunk_chars=10)
    write(embedder, "12345", "12345", "1", "x" * 50, "1", "2", "3", "4")
    assert [texts for _, texts in inner.calls] == [
        ["12345", "12345"],
        ["1"],
        ["x" * 50],
        ["1", "2", "3"],
        ["4"],
    ]


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_chunks_run_at_once_than_there_are_workers(workers: int) -> None:
    gate = Gate()
    embedder = ChannelledEmbedder(RecordingEmbedder(gate), chunk_texts=1, workers=workers)
    with opened_at_the_end(gate) as threads:
        for number in range(6):
            threads.submit(write, embedder, str(number), f"{number} again")
        for _ in range(workers):
            gate.wait_until_entered()
        assert not gate.is_entered()


def test_a_failure_reaches_only_the_call_whose_text_fails() -> None:
    gate = Gate()

    def before(texts: list[str], purpose: Purpose) -> None:
        gate(texts, purpose)
        if "bad" in texts:
            raise EmbedderRejected("not that one")

    embedder = ChannelledEmbedder(RecordingEmbedder(before))
    with opened_at_the_end(gate) as threads:
        first = threads.submit(write, embedder, "first")
        gate.wait_until_entered()
        good = threads.submit(write, embedder, "good", "better")
        bad = threads.submit(write, embedder, "fine", "bad")
        until(lambda: waiting(embedder) == 4)
        gate.let_all_through()
        assert first.result(PATIENCE_S).shape == (1, 32)
        assert np.array_equal(good.result(PATIENCE_S), write(RecordingEmbedder(), "good", "better"))
        with pytest.raises(EmbedderRejected, match="not that one"):
            bad.result(PATIENCE_S)


def test_a_failed_bulk_write_stops_at_its_first_failing_chunk() -> None:
    def before(texts: list[str], purpose: Purpose) -> None:
        raise EmbedderRejected("no")

    inner = RecordingEmbedder(before)
    embedder = ChannelledEmbedder(inner, chunk_texts=4)
    with pytest.raises(EmbedderRejected):
        write(embedder, *numbered(40))
    assert len(inner.calls) == 1
    assert waiting(embedder) == 0


def test_an_interrupted_thread_leaves_the_texts_of_others_to_them() -> None:
    gate = Gate()
    is_interrupted = threading.Event()

    def before(texts: list[str], purpose: Purpose) -> None:
        gate(texts, purpose)
        if not is_interrupted.is_set() and len(texts) > 1:
            is_interrupted.set()
            raise KeyboardInterrupt

    embedder = ChannelledEmbedder(RecordingEmbedder(before))
    outcomes: list[str] = []

    def write_and_tell(text: str) -> None:
        try:
            write(embedder, text)
        except KeyboardInterrupt:
            outcomes.append("interrupted")
        else:
            outcomes.append("done")

    first = threading.Thread(target=write_and_tell, args=("first",))
    first.start()
    gate.wait_until_entered()
    others = [threading.Thread(target=write_and_tell, args=(text,)) for text in numbered(3)]
    for thread in others:
        thread.start()
    until(lambda: waiting(embedder) == 3)
    gate.let_all_through()
    for thread in [first, *others]:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    assert sorted(outcomes) == ["done", "done", "done", "interrupted"]
    assert write(embedder, "afterwards").shape == (1, 32)


def test_an_interrupted_call_leaves_nothing_in_the_queue() -> None:
    def before(texts: list[str], purpose: Purpose) -> None:
        raise KeyboardInterrupt

    embedder = ChannelledEmbedder(RecordingEmbedder(before), chunk_texts=2)
    with pytest.raises(KeyboardInterrupt):
        write(embedder, *numbered(10))
    assert waiting(embedder) == 0


def test_many_threads_get_their_own_rows() -> None:
    embedder = ChannelledEmbedder(RecordingEmbedder(), chunk_texts=5, workers=2)
    plain = RecordingEmbedder()

    def one(number: int) -> bool:
        texts = [f"{number} {position}" for position in range(number % 13)]
        return np.array_equal(write(embedder, *texts), write(plain, *texts))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(one, range(200)))


def test_an_embedder_that_breaks_its_promise_is_named() -> None:
    class Short(RecordingEmbedder):
        async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
            return (await super().embed(texts, purpose=purpose))[:-1]

    with pytest.raises(Misconfigured, match=r"hashing@1/32 returned shape \(1, 32\) for 2 texts"):
        write(ChannelledEmbedder(Short()), "a", "b")


def test_everything_else_is_the_inner_embedders() -> None:
    inner = RecordingEmbedder(is_symmetric=False)
    embedder = ChannelledEmbedder(inner)
    assert embedder.model == inner.model
    assert embedder.is_blocking
    assert not embedder.is_symmetric
    embedder.warm_up()
    run_now(embedder.aclose())
    assert inner.was_warmed
    assert inner.was_closed


def test_an_embedder_that_needs_an_event_loop_is_refused() -> None:
    class Waiting:
        model = RecordingEmbedder().model

        async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
            await asyncio.sleep(0)
            raise NotImplementedError

    with pytest.raises(InvalidInput, match="Waiting needs an event loop"):
        ChannelledEmbedder(Waiting())


@pytest.mark.parametrize("name", ["chunk_texts", "chunk_chars", "workers", "patience"])
def test_a_bound_below_one_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        ChannelledEmbedder(RecordingEmbedder(), **{name: 0})
