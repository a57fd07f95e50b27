"""Running on an event loop. Imported only when something needs one: asyncio is not light."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar, cast

from perdure.domain.scope import Scope
from perdure.domain.working import TaskKey
from perdure.errors import LanguageModelUnavailable
from perdure.ports.archive import Archive
from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.embedder import (
    Embedder,
    EmbeddingModel,
    FloatArray,
    Purpose,
    TokenRows,
    forget_texts,
    tokens_of,
)
from perdure.ports.language_model import ChatMessage, LanguageModel, identity_of
from perdure.ports.store import Store
from perdure.ports.working_store import StoredTask, WorkingStore

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Work = Callable[[], Coroutine[Any, Any, None]]
JOIN_TIMEOUT_S = 10.0
WORKERS = 16
QUERY_WORKERS = 2


async def close_adapter(adapter: object) -> None:
    """Let an adapter close its connections, if it has any."""
    aclose = getattr(adapter, "aclose", None)
    if aclose is not None:
        await aclose()


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

    def clear(self) -> None:
        """Have the embedder inside forget what it remembers."""
        forget_texts(self._embedder)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the embedder inside; the calling thread waits."""
        return self._portal.call(lambda: self._embedder.embed(texts, purpose=purpose))

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """As the embedder inside; the calling thread waits."""
        return self._portal.call(lambda: tokens_of(self._embedder, texts, purpose=purpose))

    def close(self) -> None:
        """Let go of the loop, and of what the embedder opened on it."""
        self._portal.call(lambda: close_adapter(self._embedder))
        self._portal.close()


class TimedLanguageModel:
    """A language model whose every call ends in time, whatever it waits for."""

    def __init__(self, model: LanguageModel, *, timeout_s: float) -> None:
        self._model = model
        self._timeout_s = timeout_s

    @property
    def identity(self) -> str:
        """The name of the model inside."""
        return identity_of(self._model)

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As the model inside."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._model.complete(messages, schema=schema)
        except TimeoutError as error:
            raise LanguageModelUnavailable(
                f"the language model {self.identity} gave no answer in {self._timeout_s:g} s"
            ) from error


class LoopedLanguageModel:
    """A language model that needs an event loop, for callers without one: it has its own."""

    is_blocking = True

    def __init__(self, model: LanguageModel, *, timeout_s: float) -> None:
        self._model = model
        self._timed = TimedLanguageModel(model, timeout_s=timeout_s)
        self._portal = LoopPortal()

    @property
    def identity(self) -> str:
        """The name of the model inside."""
        return self._timed.identity

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As the model inside; the calling thread waits."""
        return self._portal.call(lambda: self._timed.complete(messages, schema=schema))

    def close(self) -> None:
        """Let go of the loop, and of what the model opened on it."""
        self._portal.call(lambda: close_adapter(self._model))
        self._portal.close()


class LoopedWorkingStore:
    """A store of tasks that needs an event loop, for callers without one: it has its own."""

    is_blocking = True

    def __init__(self, store: WorkingStore) -> None:
        self._store = store
        self._portal = LoopPortal()

    async def load(self, key: TaskKey, *, now: datetime) -> StoredTask | None:
        return self._portal.call(lambda: self._store.load(key, now=now))

    async def write(self, task: StoredTask, *, expected: int, now: datetime) -> bool:
        return self._portal.call(lambda: self._store.write(task, expected=expected, now=now))

    async def delete(self, key: TaskKey, *, expected: int | None, now: datetime) -> bool:
        return self._portal.call(lambda: self._store.delete(key, expected=expected, now=now))

    async def tasks(self, scope: Scope, *, now: datetime) -> list[StoredTask]:
        return self._portal.call(lambda: self._store.tasks(scope, now=now))

    async def aclose(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the loop, and of what the store opened on it."""
        self._portal.call(self._store.aclose)
        self._portal.close()


class ThreadedLanguageModel:
    """A language model that computes in the calling thread, behind worker threads."""

    def __init__(self, model: LanguageModel, pool: ThreadPoolExecutor) -> None:
        self._model = model
        self._pool = pool

    @property
    def identity(self) -> str:
        """The name of the model inside."""
        return identity_of(self._model)

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As the model inside, in a worker thread."""
        work = partial(_run, self._model.complete, (messages,), {"schema": schema})
        result: dict[str, Any] = await asyncio.get_running_loop().run_in_executor(self._pool, work)
        return result


class ThreadedAdapter:
    """A blocking store or archive behind a pool of worker threads.

    A call that is cancelled goes on in its thread to the end: a write is whole or absent.
    """

    def __init__(self, adapter: Store | Archive, pool: ThreadPoolExecutor) -> None:
        self._adapter = adapter
        self._pool = pool

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self._adapter, name)

        async def crossing(*args: Any, **kwargs: Any) -> Any:
            work = partial(_run, method, args, kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)

        return crossing


def _run(
    method: Callable[..., Coroutine[Any, Any, Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return run_now(method(*args, **kwargs))


class ThreadedEmbedder:
    """A blocking embedder behind worker threads; queries have their own, so that they never wait
    behind a bulk write."""

    def __init__(
        self, embedder: Embedder, *, queries: ThreadPoolExecutor, documents: ThreadPoolExecutor
    ) -> None:
        self._embedder = embedder
        self._pools = {"query": queries, "document": documents}

    @property
    def model(self) -> EmbeddingModel:
        """The model of the embedder inside."""
        return self._embedder.model

    def clear(self) -> None:
        """Have the embedder inside forget what it remembers."""
        forget_texts(self._embedder)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the embedder inside, in a worker thread."""
        work = partial(_run, self._embedder.embed, (texts,), {"purpose": purpose})
        pool = self._pools[purpose]
        result: FloatArray = await asyncio.get_running_loop().run_in_executor(pool, work)
        return result

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """As the embedder inside, in a worker thread."""
        work = partial(_run, tokens_of, (self._embedder, texts), {"purpose": purpose})
        pool = self._pools[purpose]
        result: list[TokenRows] = await asyncio.get_running_loop().run_in_executor(pool, work)
        return result


class RepeatingTask:
    """Work that repeats itself as a task of the running loop."""

    def __init__(self, work: Work, *, first_s: float, every_s: float) -> None:
        self._work = work
        self._first_s, self._every_s = first_s, every_s
        self._stopped = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._repeat(), name="perdure-upkeep")

    async def _repeat(self) -> None:
        wait = self._first_s
        while not await self._is_stopped_within(wait):
            await self._work()
            wait = self._every_s

    async def _is_stopped_within(self, wait_s: float) -> bool:
        try:
            async with asyncio.timeout(wait_s):
                return await self._stopped.wait()
        except TimeoutError:
            return False

    async def stop(self) -> None:
        """Repeat it no more, and wait until it is not running."""
        self._stopped.set()
        await self._task


class OnLoop:
    """The core runs on an event loop; what blocks runs in a pool of worker threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="perdure")
        self._queries = ThreadPoolExecutor(QUERY_WORKERS, thread_name_prefix="perdure-query")
        self._adapters: list[object] = []
        self._is_closed = False

    @property
    def searching(self) -> AbstractContextManager[object]:
        return nullcontext()  # searches wait for one another's input and output

    def store(self, store: Store) -> Store:
        return cast(Store, ThreadedAdapter(store, self._pool)) if is_blocking(store) else store

    def embedder(self, embedder: Embedder) -> Embedder:
        if is_blocking(embedder):
            return ThreadedEmbedder(embedder, queries=self._queries, documents=self._pool)
        self._adapters.append(embedder)
        return embedder

    def language_model(self, model: LanguageModel, *, timeout_s: float) -> LanguageModel:
        if is_blocking(model):
            return ThreadedLanguageModel(model, self._pool)
        self._adapters.append(model)
        return TimedLanguageModel(model, timeout_s=timeout_s)

    def archive(self, archive: Archive) -> Archive:
        if is_blocking(archive):
            return cast(Archive, ThreadedAdapter(archive, self._pool))
        return archive

    def working_store(self, store: WorkingStore) -> WorkingStore:
        self._adapters.append(store)
        return store  # one that computes in the calling thread never takes long

    async def offload(
        self,
        work: Callable[Parameters, Result],
        /,
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        bound = partial(work, *args, **kwargs)
        if self._is_closed:
            return bound()  # a second close: nothing is left to wait for
        return await asyncio.get_running_loop().run_in_executor(self._pool, bound)

    def repeat(self, work: Work, *, first_s: float, every_s: float) -> RepeatingTask:
        return RepeatingTask(work, first_s=first_s, every_s=every_s)

    async def close(self) -> None:
        self._is_closed = True
        for adapter in self._adapters:
            await close_adapter(adapter)
        self._pool.shutdown(wait=True)
        self._queries.shutdown(wait=True)
