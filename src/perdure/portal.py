"""From a blocking call to the asynchronous core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, Protocol, TypeVar

from perdure.ports.blocking import run_now

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
    """Runs coroutines on an event loop in a thread of its own, for adapters that need one."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="perdure-loop", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        return asyncio.run_coroutine_threadsafe(start(), self._loop).result()

    def close(self) -> None:
        if self._loop.is_closed():
            return
        self.call(self._loop.shutdown_asyncgens)
        self.call(self._loop.shutdown_default_executor)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(JOIN_TIMEOUT_S)
        self._loop.close()
