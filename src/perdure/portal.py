"""From a blocking call to the asynchronous core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, Protocol, TypeVar

from perdure.ports.blocking import run_now
from perdure.ports.embedder import Embedder, EmbeddingModel, FloatArray, Purpose

Result = TypeVar("Result")
JOIN_TIMEOUT_S = 10.0


class Portal(Protocol):
    """Runs coroutines of the core for blocking callers; any thread may call."""

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The coroutine's result, or its exception."""
        ...

    def close(self) -> None:
        """Let go of what the portal owns."""
        ...


class DirectPortal:
    """Runs the coroutine in the calling thread: every adapter computes without a loop."""

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        return run_now(start())

    def close(self) -> None:
        return None


class LoopPortal:
    """Runs coroutines on an event loop in a thread of its own, for adapters that need one.

    Once closed it runs them in the calling thread: what is left to call refuses, or does nothing.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="perdure-loop", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        with self._lock:
            running = None if self._is_closed else self._submit(start())
        return run_now(start()) if running is None else running.result()

    def _submit(self, coroutine: Coroutine[Any, Any, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        self._submit(self._wind_up()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(JOIN_TIMEOUT_S)
        self._loop.close()

    async def _wind_up(self) -> None:
        """Wait for what was submitted before, so that no caller waits for a stopped loop."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()


class LoopedEmbedder:
    """An embedder that needs an event loop, for callers without one: it has its own."""

    is_blocking = True

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._portal = LoopPortal()

    @property
    def model(self) -> EmbeddingModel:
        """The model of the embedder inside."""
        return self._embedder.model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the embedder inside; the calling thread waits."""
        return self._portal.call(lambda: self._embedder.embed(texts, purpose=purpose))

    def close(self) -> None:
        """Let go of the loop, and of what the embedder opened on it."""
        self._portal.close()
