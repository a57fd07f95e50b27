"""A manager may be moved to an embedder that runs another way than itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

import perdure
from perdure import EmbeddingModel
from perdure.ports.embedder import FloatArray, Purpose
from perdure.testing import HashingEmbedder


class Awaiting:
    """An embedder that needs an event loop, as a remote service does."""

    def __init__(self) -> None:
        self._inner = HashingEmbedder(128)

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        await asyncio.sleep(0)
        return await self._inner.embed(texts, purpose=purpose)


class Watched(HashingEmbedder):
    """A blocking embedder that remembers in which threads it ran."""

    def __init__(self) -> None:
        super().__init__(128)
        self.threads: set[int] = set()

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        self.threads.add(threading.get_ident())
        return await super().embed(texts, purpose=purpose)


def test_a_manager_without_an_event_loop_moves_to_an_embedder_that_needs_one() -> None:
    before = threading.active_count()
    with perdure.open("memory://", embedder="off") as memory:
        memory.remember("The kiln is cold.")
        done = memory.reembed(Awaiting())
        assert (done.embedded, done.remaining) == (1, 0)
        [hit] = memory.recall("The kiln is cold.")
        assert hit.explanation.arms["vector"] == pytest.approx(1.0)
    assert threading.active_count() == before


def test_an_embedder_counts_also_when_it_is_empty_as_a_collection() -> None:
    class Empty(HashingEmbedder):
        def __len__(self) -> int:
            return 0

    with perdure.open("memory://", embedder="off") as memory:
        memory.remember("The kiln is cold.")
        assert memory.reembed(Empty(64)).embedded == 1


async def test_a_blocking_embedder_does_not_hold_up_the_event_loop() -> None:
    async with await perdure.open_async("memory://", embedder="off") as memory:
        await memory.remember("The kiln is cold.")
        embedder = Watched()
        done = await memory.reembed(embedder)
        assert done.embedded == 1
    assert embedder.threads
    assert threading.get_ident() not in embedder.threads
