"""Where a test's memories live, and through which client it speaks to them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import perdure
from perdure.testing import FakeClock, HashingEmbedder

decided_by_the_engine = pytest.mark.parametrize(
    "home", ["memory-sync", "sqlite-async"], indirect=True
)
"""For a rule in which stores have no part, such as what a call refuses: two homes are enough."""

START = "2031-03-10T09:00:00+00:00"
"""When tests take place unless they say otherwise."""


class Loop:
    """An event loop in a thread of its own, on which asynchronous clients live."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = Thread(target=self.loop.run_forever, name="acceptance-loop")
        self._thread.start()

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def close(self) -> None:
        self.run(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class AsyncFace:
    """An asynchronous manager that is called like a blocking one, so that one test drives both."""

    def __init__(self, manager: Any, loop: Loop) -> None:
        self.manager = manager
        self._loop = loop

    def __enter__(self) -> AsyncFace:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self.manager.close())

    def scoped(self, **parts: str) -> AsyncFace:
        return AsyncFace(self.manager.scoped(**parts), self._loop)

    @property
    def graph(self) -> AsyncFace:
        return AsyncFace(self.manager.graph, self._loop)

    def working(self, task: str, **where: Any) -> AsyncFace:
        return AsyncFace(self.manager.working(task, **where), self._loop)

    def context(self, *args: Any, **options: Any) -> AsyncFace:
        return AsyncFace(self.manager.context(*args, **options), self._loop)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.manager, name)
        if not inspect.iscoroutinefunction(attribute):
            return attribute

        @wraps(attribute)
        def blocking(*args: Any, **kwargs: Any) -> Any:
            return self._loop.run(attribute(*args, **kwargs))

        return blocking


Face = Any
"""A `MemoryManager`, or an `AsyncFace` over an `AsyncMemoryManager`."""


@dataclass
class Home:
    """One empty store and one kind of client. What it opens it closes at the end of the test."""

    store: str
    form: str
    url: str
    loop: Callable[[], Loop]
    path: Path | None = None
    clock: FakeClock = field(default_factory=lambda: FakeClock(START))
    _opened: list[Any] = field(default_factory=list)

    @property
    def outlives_closing(self) -> bool:
        """Whether the memories are still there after all clients were closed."""
        return self.store != "memory"

    def open(self, **options: Any) -> Face:
        """A client; with the hashing embedder and the test's clock unless told otherwise."""
        options = {"embedder": HashingEmbedder(), "clock": self.clock, **options}
        if self.form == "async":
            opened = self.loop().run(perdure.open_async(self.url, **options))
            face: Face = AsyncFace(opened, self.loop())
        else:
            face = perdure.open(self.url, **options)
        self._opened.append(face)
        return face

    def close_all(self) -> None:
        for face in self._opened:
            face.close()
