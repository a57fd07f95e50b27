"""HTTP clients that each belong to one event loop.

A connection is tied to the loop it was opened in and cannot be used or closed from another. An
adapter outlives loops (each `asyncio.run` makes one), so it keeps a client for each and closes it
while its loop can still do so.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from perdure.errors import Closed

_CLOSE_TIMEOUT_S = 5.0


class Closable(Protocol):
    """What is asked of a client."""

    async def close(self) -> None:
        """Give back the connections."""
        ...


Client = TypeVar("Client", bound=Closable)


@dataclass(frozen=True, slots=True)
class _LoopClient(Generic[Client]):
    client: Client
    limits: Mapping[str, asyncio.Semaphore]
    keeper: AsyncGenerator[None, None]


class LoopClients(Generic[Client]):
    """One client per event loop, and per loop a limit on what each channel does at once.

    `owner` is who is said to be closed when a client is asked for too late.
    """

    def __init__(
        self, make: Callable[[], Client], limits: Mapping[str, int], *, owner: str
    ) -> None:
        self._make = make
        self._limits = limits
        self._owner = owner
        self._lock = threading.Lock()
        self._clients: dict[asyncio.AbstractEventLoop, _LoopClient[Client]] = {}
        self._is_closed = False

    @contextlib.asynccontextmanager
    async def channel(self, name: str) -> AsyncIterator[Client]:
        """The running loop's client, once the channel's limit lets one more in."""
        own = await self._own()
        async with own.limits[name]:
            if self._is_closed:
                raise Closed(f"the {self._owner} was closed")
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

    async def _own(self) -> _LoopClient[Client]:
        loop = asyncio.get_running_loop()
        with self._lock:
            if self._is_closed:
                raise Closed(f"the {self._owner} was closed")
            own = self._clients.get(loop)
            if own is not None:
                return own
            self._drop_dead()
            own = self._clients[loop] = self._opened(loop)
        # Started, so that the loop knows of the generator: `asyncio.run` finishes every generator
        # it knows before it closes the loop, and so closes the client in time.
        await anext(own.keeper)
        return own

    def _opened(self, loop: asyncio.AbstractEventLoop) -> _LoopClient[Client]:
        client = self._make()
        limits = {name: asyncio.Semaphore(most) for name, most in self._limits.items()}
        return _LoopClient(client, limits, self._kept(loop, client))

    async def _kept(
        self, loop: asyncio.AbstractEventLoop, client: Client
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
