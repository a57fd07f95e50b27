"""Blocking adapters on an event loop: each call crosses to a worker thread once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

from perdure.ports.blocking import run_now
from perdure.ports.embedder import Embedder, EmbeddingModel, FloatArray, Purpose
from perdure.ports.store import Store


class ThreadedStore:
    """A blocking store behind a pool of worker threads.

    A call that is cancelled goes on in its thread to the end: a write is whole or absent.
    """

    def __init__(self, store: Store, pool: ThreadPoolExecutor) -> None:
        self._store = store
        self._pool = pool

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self._store, name)

        async def crossing(*args: Any, **kwargs: Any) -> Any:
            work = partial(_run, method, args, kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

        return crossing


def _run(
    method: Callable[..., Coroutine[Any, Any, Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return run_now(method(*args, **kwargs))


def threaded_store(store: Store, pool: ThreadPoolExecutor) -> Store:
    """The store with every method run in the pool."""
    return cast(Store, ThreadedStore(store, pool))


class ThreadedEmbedder:
    """A blocking embedder behind a pool of worker threads (None: the event loop's own)."""

    def __init__(self, embedder: Embedder, pool: ThreadPoolExecutor | None) -> None:
        self._embedder = embedder
        self._pool = pool

    @property
    def model(self) -> EmbeddingModel:
        """The model of the embedder inside."""
        return self._embedder.model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the embedder inside, in a worker thread."""
        work = partial(_run, self._embedder.embed, (texts,), {"purpose": purpose})
        result: FloatArray = await asyncio.get_running_loop().run_in_executor(self._pool, work)
        return result
