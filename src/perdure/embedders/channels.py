"""Two ways into one blocking embedder: at once for queries, in shared chunks for documents.

Like a group commit: threads that write at the same time put their texts in one queue, one of them
embeds a chunk for all, and the others find their rows done. A chunk costs the local encoder less
than half of what its texts cost one by one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from perdure.embedders._lifecycle import close, is_symmetric, warm_up
from perdure.errors import InvalidInput, Misconfigured
from perdure.ports.blocking import is_blocking
from perdure.ports.embedder import (
    Embedder,
    EmbeddingModel,
    FloatArray,
    Purpose,
    TokenRows,
    forget_texts,
    tokens_of,
)

Row = TypeVar("Row")
Embed = Callable[[Sequence[str]], Awaitable[Sequence[Row]]]

_WAIT_S = 1.0
"""Longest time asleep before looking again: a lost wake-up costs a second, not a hang."""


class _Job(Generic[Row]):
    """The documents of one call, and how far they are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.rows: dict[int, Row] = {}
        self.queued = deque(range(len(texts)))
        self.failure: Exception | None = None

    @property
    def is_over(self) -> bool:
        return len(self.rows) == len(self.texts) or self.failure is not None


_Item = tuple[_Job[Row], int]


class _Limits(NamedTuple):
    """What `ChannelledEmbedder` was made with."""

    chunk_texts: int
    chunk_chars: int
    workers: int
    patience: int


class _Queries:
    """How many queries are being answered, and how many were."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.asking = 0
        self.answered = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        """A query, for as long as it takes."""
        with self.changed:
            self.asking += 1
        try:
            yield
        finally:
            with self.changed:
                self.asking -= 1
                self.answered += 1
                self.changed.notify_all()


class _Documents(Generic[Row]):
    """The queue of documents for one of the inner embedder's methods."""

    def __init__(self, embed: Embed[Row], queries: _Queries, limits: _Limits) -> None:
        self._embed = embed
        self._queries = queries
        self._changed = queries.changed
        self._limits = limits
        self._jobs: deque[_Job[Row]] = deque()
        self._working = 0

    async def rows(self, texts: Sequence[str]) -> list[Row]:
        """What the method gives for each text, in order."""
        job = _Job[Row](texts)
        if texts:
            await self._finish(job)
        return [job.rows[index] for index in range(len(texts))]

    async def _finish(self, job: _Job[Row]) -> None:
        with self._changed:
            self._jobs.append(job)
        try:
            while not job.is_over:
                chunk = self._next_chunk(job)
                if chunk:
                    await self._embed_chunk(chunk)
        finally:
            # Also when this thread is interrupted: nobody waits for its texts any more.
            with self._changed:
                if job in self._jobs:
                    self._jobs.remove(job)
        if job.failure is not None:
            raise job.failure

    def _next_chunk(self, job: _Job[Row]) -> list[_Item[Row]]:
        """Wait for this thread's turn and take a chunk; empty when others finished the job."""
        with self._changed:
            first_answer = self._queries.answered
            while not job.is_over:
                has_waited = self._queries.answered - first_answer >= self._limits.patience
                may_work = self._working < self._limits.workers and self._jobs
                if may_work and (self._queries.asking == 0 or has_waited):
                    self._working += 1
                    return self._taken()
                self._changed.wait(_WAIT_S)
        return []

    def _taken(self) -> list[_Item[Row]]:
        """One text of each job in turn until the chunk is full; called with the lock held."""
        chunk: list[_Item[Row]] = []
        chars = 0
        while self._jobs and len(chunk) < self._limits.chunk_texts:
            job = self._jobs[0]
            size = len(job.texts[job.queued[0]])
            if chunk and chars + size > self._limits.chunk_chars:
                break
            chunk.append((job, job.queued.popleft()))
            chars += size
            self._jobs.popleft()
            if job.queued:
                self._jobs.append(job)
        return chunk

    async def _embed_chunk(self, chunk: list[_Item[Row]]) -> None:
        is_settled = False
        try:
            await self._settle(chunk)
            is_settled = True
        finally:
            with self._changed:
                self._working -= 1
                if not is_settled:
                    self._put_back(chunk)
                self._changed.notify_all()

    async def _settle(self, chunk: list[_Item[Row]]) -> None:
        """Give every text of the chunk its row, or its job the failure."""
        try:
            rows = await self._embed([job.texts[index] for job, index in chunk])
        except Exception as failure:
            jobs = list(dict.fromkeys(job for job, _ in chunk))
            if len(jobs) == 1:
                self._fail(jobs[0], failure)
                return
            for job in jobs:  # whose text was it?
                await self._settle([item for item in chunk if item[0] is job])
            return
        with self._changed:
            for (job, index), row in zip(chunk, rows, strict=True):
                job.rows[index] = row

    def _fail(self, job: _Job[Row], failure: Exception) -> None:
        with self._changed:
            job.failure = failure
            if job in self._jobs:
                self._jobs.remove(job)

    def _put_back(self, chunk: list[_Item[Row]]) -> None:
        """An interrupt hit the thread that worked for others: their texts are still to be done."""
        for job, index in reversed(chunk):
            if job.failure is None and index not in job.rows:
                job.queued.appendleft(index)
                if job not in self._jobs:
                    self._jobs.appendleft(job)


class ChannelledEmbedder:
    """An embedder for threads that ask while others write.

    A query goes to the inner embedder at once, on its own thread, and never waits for documents:
    at most one chunk per worker is running beside it, and no further chunk starts before it is
    answered. So that documents are not put off for ever, a chunk lets at most `patience` queries
    pass.

    Documents are embedded in chunks of at most `chunk_texts` texts and about `chunk_chars`
    characters by at most `workers` of the calling threads. A chunk takes one text of each waiting
    call in turn: a single write goes along with a bulk one instead of behind it. A failure reaches
    only the calls whose own texts fail.

    The inner embedder must be blocking and safe to call from several threads.
    """

    is_blocking = True

    def __init__(
        self,
        inner: Embedder,
        *,
        chunk_texts: int = 16,
        chunk_chars: int = 4_096,
        workers: int = 1,
        patience: int = 32,
    ) -> None:
        if not is_blocking(inner):
            raise InvalidInput(
                f"{type(inner).__name__} needs an event loop; ChannelledEmbedder is for embedders "
                "that compute in the calling thread (is_blocking = True)"
            )
        if min(chunk_texts, chunk_chars, workers, patience) < 1:
            raise InvalidInput(
                "chunk_texts, chunk_chars, workers and patience must be at least 1, not "
                f"{chunk_texts}, {chunk_chars}, {workers} and {patience}"
            )
        self._inner = inner
        self._queries = _Queries()
        limits = _Limits(chunk_texts, chunk_chars, workers, patience)
        self._vectors = _Documents(self._embedded, self._queries, limits)
        self._tokens = _Documents(self._embedded_tokens, self._queries, limits)

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    @property
    def is_symmetric(self) -> bool:
        return is_symmetric(self._inner)

    def warm_up(self) -> None:
        """Prepare the inner embedder, if it has anything to prepare."""
        warm_up(self._inner)

    def clear(self) -> None:
        """Have the inner embedder forget what it remembers."""
        forget_texts(self._inner)

    async def aclose(self) -> None:
        """Close the inner embedder."""
        await close(self._inner)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the inner embedder's, by the channel of the purpose."""
        if purpose == "query":
            with self._queries.one():
                return await self._inner.embed(texts, purpose="query")
        rows = await self._vectors.rows(texts)
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.model.dimension)

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """As the inner embedder's, by the channel of the purpose."""
        if purpose == "query":
            with self._queries.one():
                return await tokens_of(self._inner, texts, purpose="query")
        return await self._tokens.rows(texts)

    async def _embedded(self, texts: Sequence[str]) -> Sequence[FloatArray]:
        rows = await self._inner.embed(texts, purpose="document")
        if rows.shape != (len(texts), self.model.dimension):
            raise Misconfigured(
                f"embedder {self.model.identity} returned shape {rows.shape} for {len(texts)} texts"
            )
        return list(rows)

    async def _embedded_tokens(self, texts: Sequence[str]) -> Sequence[TokenRows]:
        return await tokens_of(self._inner, texts, purpose="document")
