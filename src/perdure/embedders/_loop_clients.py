"""HTTP clients that each belong to one event loop.

A connection is tied to the loop it was opened in and cannot be used or closed from another. An
embedder outlives loops (each `asyncio.run` makes one), so it keeps a client for each and closes it
while its loop can still do so.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perdure.errors import Closed
from perdure.ports.embedder import Purpose

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CLOSE_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class _LoopClient:
    client: AsyncOpenAI
    limits: Mapping[Purpose, asyncio.Semaphore]
    keeper: AsyncGenerator[None, None]


class LoopClients:
    """One client per event loop, and per loop a limit on what each channel does at once."""

    def __init__(self, make: Callable[[], AsyncOpenAI], limits: Mapping[Purpose, int]) -> None:
        self._make = make
        self._limits = limits
        self._lock = threading.Lock()
        self._clients: dict[asyncio.AbstractEventLoop, _LoopClient] = {}
        self._is_closed = False

    @contextlib.asynccontextmanager
    async def channel(self, purpose: Purpose) -> AsyncIterator[AsyncOpenAI]:
        """The running loop's client, once the purpose's limit lets one more in."""
        own = await self._own()
        async with own.limits[purpose]:
            if self._is_closed:
                raise Closed("the embedder was closed")
            yield own.client

    async def aclose(self) -> None:
        """Close the clients of all loops that still run; refuse new work. May be repeated."""
        with self._lock:
            self._is_closed = True
            clients = list(self._clients.items())
        here = asyncio.get_running_loop()
        for loop, own in clients:
            if loop is here:
                await own.keeper.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(own.keeper.aclose(), loop)
                # A loop that is just ending closes its client itself.
                with contextlib.suppress(TimeoutError, asyncio.CancelledError, RuntimeError):
                    await asyncio.wait_for(asyncio.wrap_future(closing), _CLOSE_TIMEOUT_S)

    async def _own(self) -> _LoopClient:
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._is_closed:
                raise Closed("the embedder was closed")
            own = self._clients.get(loop)
            if own is not None:
                return own
            self._drop_dead()
            own = self._clients[loop] = self._opened(loop)
        # Started, so that the loop knows of the generator: `asyncio.run` finishes every generator
        # it knows before it closes the loop, and so closes the client in time.
        await anext(own.keeper)
        return own

    def _opened(self, loop: asyncio.AbstractEventLoop) -> _LoopClient:
        client = self._make()
        limits = {purpose: asyncio.Semaphore(most) for purpose, most in self._limits.items()}
        return _LoopClient(client, limits, self._kept(loop, client))

    async def _kept(
        self, loop: asyncio.AbstractEventLoop, client: AsyncOpenAI
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await client.close()

    def _drop_dead(self) -> None:
        """Let go of clients whose loop was closed without finishing its generators."""
        for loop in [loop for loop in self._clients if loop.is_closed()]:
            del self._clients[loop]
