"""How the core runs: in the calling thread, or on an event loop (`perdure.looping`)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from threading import TIMEOUT_MAX, Event, Lock, Thread
from typing import Any, ParamSpec, Protocol, TypeVar

from perdure.ports.archive import Archive
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.embedder import Embedder
from perdure.ports.language_model import LanguageModel
from perdure.ports.store import Store
from perdure.ports.working_store import WorkingStore

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


Work = Callable[[], Coroutine[Any, Any, None]]


class Repeating(Protocol):
    """Work that repeats itself."""

    async def stop(self) -> None:
        """Repeat it no more, and wait until it is not running."""
        ...


class RepeatingThread:
    """Work that repeats itself in a thread of its own."""

    def __init__(self, work: Work, *, first_s: float, every_s: float) -> None:
        self._work = work
        self._first_s, self._every_s = first_s, every_s
        self._stopped = Event()
        # A daemon: a program that forgets to close its store can still end.
        self._thread = Thread(target=self._repeat, name="perdure-upkeep", daemon=True)
        self._thread.start()

    def _repeat(self) -> None:
        wait = self._first_s
        while not self._stopped.wait(min(wait, TIMEOUT_MAX)):
            run_now(self._work())
            wait = self._every_s

    async def stop(self) -> None:
        """Repeat it no more, and wait until it is not running."""
        self._stopped.set()
        self._thread.join()


class Running(Protocol):
    """Makes adapters fit the way the core runs, and owns the threads that takes."""

    def store(self, store: Store) -> Store:
        """The store as the core may call it."""
        ...

    def embedder(self, embedder: Embedder) -> Embedder:
        """The embedder as the core may call it; any number of them, at any time."""
        ...

    def language_model(self, model: LanguageModel, *, timeout_s: float) -> LanguageModel:
        """The language model as the core may call it; one that takes too long is out of reach."""
        ...

    def archive(self, archive: Archive) -> Archive:
        """The archive as the core may call it."""
        ...

    def working_store(self, store: WorkingStore) -> WorkingStore:
        """The store of tasks as the core may call it; closed with the rest."""
        ...

    async def offload(
        self,
        work: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Run blocking work, such as reading a file, where it holds up nobody else."""
        ...

    def repeat(self, work: Work, *, first_s: float, every_s: float) -> Repeating:
        """Run the work beside everything else, first after `first_s` and then every `every_s`
        seconds, until it is stopped. It must not raise."""
        ...

    @property
    def searching(self) -> AbstractContextManager[object]:
        """What a search holds while it computes; see `engine.core.Core.searching`."""
        ...

    async def close(self) -> None:
        """Let go of threads and loops, once nothing is called any more."""
        ...


class Portal(Protocol):
    """Runs coroutines of the core for blocking callers; any thread may call."""

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The coroutine's result, or its exception."""
        ...

    def close(self) -> None:
        """Let go of what the portal owns."""
        ...


class DirectPortal:
    """Runs the coroutine in the calling thread: a call costs no switch of threads."""

    def call(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        return run_now(start())

    def close(self) -> None:
        return None


class Direct:
    """Everything computes in the calling thread; an embedder that needs a loop brings its own."""

    def __init__(self) -> None:
        self._closers: list[Callable[[], None]] = []
        self._searching = Lock()

    @property
    def searching(self) -> AbstractContextManager[object]:
        return self._searching

    def store(self, store: Store) -> Store:
        return store

    def embedder(self, embedder: Embedder) -> Embedder:
        if is_blocking(embedder):
            return embedder
        # Not imported before it is needed: asyncio would double the time of `import perdure`.
        from perdure.looping import LoopedEmbedder

        looped = LoopedEmbedder(embedder)
        self._closers.append(looped.close)
        return looped

    def language_model(self, model: LanguageModel, *, timeout_s: float) -> LanguageModel:
        if is_blocking(model):
            return model
        from perdure.looping import LoopedLanguageModel  # as above

        looped = LoopedLanguageModel(model, timeout_s=timeout_s)
        self._closers.append(looped.close)
        return looped

    def archive(self, archive: Archive) -> Archive:
        return archive  # all of them compute in the calling thread

    def working_store(self, store: WorkingStore) -> WorkingStore:
        if is_blocking(store):
            return store
        from perdure.looping import LoopedWorkingStore  # as above

        looped = LoopedWorkingStore(store)
        self._closers.append(looped.close)
        return looped

    async def offload(
        self,
        work: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        return work(*args, **kwargs)

    def repeat(self, work: Work, *, first_s: float, every_s: float) -> Repeating:
        return RepeatingThread(work, first_s=first_s, every_s=every_s)

    async def close(self) -> None:
        for close in self._closers:
            close()
