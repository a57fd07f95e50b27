"""Embeddings from OpenAI, or from any service that speaks its embeddings endpoint."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from perdure.domain.calibration import UNCALIBRATED, Calibration
from perdure.domain.text import is_blank, sanitise
from perdure.embedders._batching import batches, shortened
from perdure.embedders._service_answer import rows_of
from perdure.embedders._service_failure import error_of, failure_of
from perdure.errors import InvalidInput, Misconfigured
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose
from perdure.remote.failures import ServiceFailure, repeats
from perdure.remote.loop_clients import LoopClients
from perdure.remote.retrying import RetryPolicy

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_URL = "https://api.openai.com/v1"
NATIVE_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_SHORTENING_PREFIX = "text-embedding-3-"

_NO_KEY = "none"
"""Sent to a service of one's own that asks for no key; the SDK insists on one."""

_QUERY_PATIENCE_S, _DOCUMENT_PATIENCE_S = 2.0, 60.0
_QUERIES_AT_ONCE, _DOCUMENT_BATCHES_AT_ONCE = 16, 4


class OpenAIEmbedder:
    """An OpenAI-compatible embeddings service, through the official SDK.

    `dimensions` is the width of the vectors; it may be left out for OpenAI's own models (1536 for
    `text-embedding-3-small`, 3072 for `-large`). It is sent along only where it shortens a
    `text-embedding-3` model, or when `send_dimensions` says so: other services refuse it.

    Texts go out in batches of at most `batch_size` texts and about `batch_tokens` tokens; of a
    text longer than about `max_tokens` tokens only the beginning. Queries and documents have
    separate connections: a query never waits behind a bulk write. `timeout_s` bounds each
    request. Time-outs, lost connections, 408, 409, 429 and server errors are tried again up to
    `max_retries` times, waiting as the service asks; a query waits at most 2 s for a try and a
    document 60 s, then `EmbedderUnavailable` is raised. A refusal that waiting cannot mend raises
    `EmbedderRejected`. No message repeats the key or a text.

    One embedder may be used from several event loops, each with its own connections; they close
    with `aclose`, or when `asyncio.run` ends the loop.

    `api_key` may be left out for a `base_url` of one's own. The environment is not consulted for
    either. The vectors' cosines are not calibrated unless `calibration` is given:
    benchmarks/calibration measures it.
    """

    is_symmetric = True

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        send_dimensions: bool | None = None,
        batch_size: int = 128,
        batch_tokens: int = 100_000,
        max_tokens: int = 4_096,
        timeout_s: float = 30.0,
        max_retries: int = 4,
        calibration: Calibration = UNCALIBRATED,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if min(batch_size, batch_tokens, max_tokens) < 1 or timeout_s <= 0 or max_retries < 0:
            raise InvalidInput(
                "batch_size, batch_tokens and max_tokens must be at least 1, timeout_s above 0 "
                f"and max_retries at least 0, not {batch_size}, {batch_tokens}, {max_tokens}, "
                f"{timeout_s:g} and {max_retries}"
            )
        _require_sdk()
        self._model = EmbeddingModel(
            name=model,
            dimension=_width(model, dimensions),
            calibration=calibration,
            max_tokens=max_tokens,
        )
        self._sends_dimensions = (
            _is_shortened(model, dimensions) if send_dimensions is None else send_dimensions
        )
        self._url = base_url or DEFAULT_URL
        self._key = _key(api_key, base_url)
        self._batch_size = batch_size
        self._batch_tokens = batch_tokens
        self._timeout_s = timeout_s
        self._policies: dict[Purpose, RetryPolicy] = {
            "query": RetryPolicy(max_retries=max_retries, patience_s=_QUERY_PATIENCE_S),
            "document": RetryPolicy(max_retries=max_retries, patience_s=_DOCUMENT_PATIENCE_S),
        }
        self._sleep = sleep
        self._jitter = jitter
        self._clients = LoopClients(
            self._new_client,
            limits={"query": _QUERIES_AT_ONCE, "document": _DOCUMENT_BATCHES_AT_ONCE},
            owner="embedder",
        )

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model.name!r}, base_url={self._url!r})"

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One unit row per text, in order; `purpose` chooses the channel, not the vector."""
        if not texts:
            return np.empty((0, self._model.dimension), dtype=np.float32)
        most = self._model.max_tokens or self._batch_tokens
        readable = [_sendable(text, most) for text in texts]
        packed = batches(readable, most_texts=self._batch_size, most_tokens=self._batch_tokens)
        rows = await _all_or_first_failure([self._batch(batch, purpose) for batch in packed])
        return rows[0] if len(rows) == 1 else np.concatenate(rows)

    def warm_up(self) -> None:
        """Import the SDK now: about 2 s that the first `embed` would take from its event loop."""
        importlib.import_module("openai.resources.embeddings")

    async def aclose(self) -> None:
        """Close every connection, in whichever event loop; `embed` raises `Closed` from then on."""
        await self._clients.aclose()

    async def _batch(self, texts: Sequence[str], purpose: Purpose) -> FloatArray:
        """The rows of one request, tried as often as the policy allows."""
        retry = 0
        while True:
            outcome, cause = await self._try(texts, purpose)
            if not isinstance(outcome, ServiceFailure):
                return outcome
            wait_s = self._wait_s(outcome, retry, purpose)
            if wait_s is None:
                error = error_of(outcome, self._service, attempts=retry + 1)
                raise error from (None if repeats(cause, (self._key, *texts)) else cause)
            retry += 1
            # Outside the channel's limit: one that waits holds up nobody else.
            await self._sleep(wait_s)

    def _wait_s(self, failure: ServiceFailure, retry: int, purpose: Purpose) -> float | None:
        if not failure.is_passing:
            return None
        return self._policies[purpose].delay_s(
            retry, asked_s=failure.asked_s, chance=self._jitter()
        )

    async def _try(
        self, texts: Sequence[str], purpose: Purpose
    ) -> tuple[FloatArray | ServiceFailure, Exception | None]:
        """The rows, or the failure and what caused it."""
        async with self._clients.channel(purpose) as client:
            try:
                # The SDK's own limit counts from one byte to the next; this one is for all.
                async with asyncio.timeout(self._timeout_s):
                    answer = await client.embeddings.create(**self._request(texts))
            except Exception as error:
                failure = failure_of(error)
                if failure is None:
                    raise
                return failure, error
        return rows_of(answer, count=len(texts), dimension=self._model.dimension), None

    def _request(self, texts: Sequence[str]) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model.name,
            "input": list(texts),
            # A quarter of the bytes of decimal numbers, and no parsing of each.
            "encoding_format": "base64",
        }
        if self._sends_dimensions:
            request["dimensions"] = self._model.dimension
        return request

    @property
    def _service(self) -> str:
        return f"the embedding service at {self._url} (model {self._model.name})"

    def _new_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        # Retries are ours: the SDK's cannot be bounded by purpose, nor run without waiting.
        return AsyncOpenAI(
            api_key=self._key, base_url=self._url, timeout=self._timeout_s, max_retries=0
        )


async def _all_or_first_failure(
    requests: Sequence[Coroutine[Any, Any, FloatArray]],
) -> list[FloatArray]:
    """Every result in order; at the first failure the others are cancelled and it is raised."""
    if len(requests) == 1:
        return [await requests[0]]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(request) for request in requests]
    except ExceptionGroup as failures:
        first = failures.exceptions[0]
        raise first from first.__cause__
    return [task.result() for task in tasks]


def _sendable(text: str, most_tokens: int) -> str:
    # Services refuse an empty input; a full stop stands for "nothing said".
    return "." if is_blank(text) else shortened(sanitise(text), most_tokens)


def _require_sdk() -> None:
    if importlib.util.find_spec("openai") is None:
        raise Misconfigured('OpenAIEmbedder needs the OpenAI SDK: pip install "perdure[openai]"')


def _width(model: str, dimensions: int | None) -> int:
    if dimensions is not None and dimensions < 1:
        raise Misconfigured(f"dimensions must be at least 1, not {dimensions}")
    width = dimensions or NATIVE_DIMENSIONS.get(model)
    if width is None:
        raise Misconfigured(
            f"how many dimensions has {model!r}? Pass dimensions=… (known: "
            f"{', '.join(NATIVE_DIMENSIONS)})"
        )
    return width


def _is_shortened(model: str, dimensions: int | None) -> bool:
    return (
        dimensions is not None
        and model.startswith(_SHORTENING_PREFIX)
        and dimensions != NATIVE_DIMENSIONS.get(model)
    )


def _key(api_key: str | None, base_url: str | None) -> str:
    if api_key:
        return api_key
    if base_url is None:
        raise Misconfigured(f"OpenAIEmbedder needs an api_key for {DEFAULT_URL}")
    return _NO_KEY
