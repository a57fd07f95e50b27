"""Asking a remote language model: tries, waiting, giving way, counting, reading the answer."""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal

from perdure.domain.answers import AnswerFault, read_answer, unreadable
from perdure.domain.text import sanitise
from perdure.domain.usage import Usage
from perdure.errors import (
    InvalidInput,
    LanguageModelRejected,
    LanguageModelUnavailable,
    UnreadableAnswer,
)
from perdure.language_models._metering import Meter
from perdure.language_models.prices import Prices
from perdure.ports.language_model import Answer, ChatMessage
from perdure.remote.failures import ServiceFailure, repeats
from perdure.remote.loop_clients import Client, LoopClients
from perdure.remote.retrying import RetryPolicy

_CHANNEL = "answers"
_ABOUT_THE_INPUT = frozenset({400, 413, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a service sent: text, or an object where the service has parsed it already."""

    content: str | dict[str, Any]
    ended: Literal["whole", "cut_off", "refused"] = "whole"
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a request is put. Services differ in what they take; a refused part is given up."""

    form: str
    has_temperature: bool = True
    token_field: str = ""


class ServiceModel(ABC, Generic[Client]):
    """What the adapters of remote language models share."""

    def __init__(
        self,
        name: str,
        *,
        key: str,
        url: str,
        manners: Manners,
        max_output_tokens: int,
        timeout_s: float,
        max_retries: int,
        patience_s: float,
        requests_at_once: int,
        prices: Prices | None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        if min(max_output_tokens, requests_at_once) < 1 or timeout_s <= 0:
            raise InvalidInput(
                "max_output_tokens and requests_at_once must be at least 1 and timeout_s above 0, "
                f"not {max_output_tokens}, {requests_at_once} and {timeout_s:g}"
            )
        if max_retries < 0 or patience_s < 0:
            raise InvalidInput(
                f"max_retries and patience_s must be at least 0, not {max_retries} and "
                f"{patience_s:g}"
            )
        self._name = name
        self._key = key
        self._url = url
        self._manners = manners
        self._max_output_tokens = max_output_tokens
        self._timeout_s = timeout_s
        self._policy = RetryPolicy(max_retries=max_retries, patience_s=patience_s)
        self._meter = Meter(prices)
        self._sleep = sleep
        self._jitter = jitter
        self._clients = LoopClients(
            self._new_client, limits={_CHANNEL: requests_at_once}, owner="language model"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r}, base_url={self._url!r})"

    @property
    @abstractmethod
    def identity(self) -> str:
        """Which service and model."""

    @property
    def usage(self) -> Usage:
        """What all calls came to, failed ones included."""
        return self._meter.total

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As the port says; the result is an `Answer`, with the usage of this call."""
        sendable: list[ChatMessage] = [
            {"role": item["role"], "content": sanitise(item["content"])} for item in messages
        ]
        reply, usage = await self._reply(sendable, schema)
        if reply.ended == "refused":
            raise unreadable(AnswerFault.REFUSED)
        if reply.ended == "cut_off":
            raise unreadable(AnswerFault.CUT_OFF)
        if isinstance(reply.content, dict):
            return Answer(reply.content, usage=usage)
        return Answer(read_answer(reply.content, schema), usage=usage)

    async def aclose(self) -> None:
        """Close every connection, in whichever loop; `complete` raises `Closed` from then on."""
        await self._clients.aclose()

    @abstractmethod
    def _new_client(self) -> Client: ...

    @abstractmethod
    async def _ask(
        self,
        client: Client,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        manners: Manners,
    ) -> Reply: ...

    @abstractmethod
    def _failure(self, error: Exception) -> ServiceFailure | None:
        """What an error means; None for one that is not the service's."""

    @abstractmethod
    def _given_way(self, failure: ServiceFailure, manners: Manners) -> Manners | None:
        """How to ask after the service refused the request; None when there is no other way."""

    async def _reply(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any]
    ) -> tuple[Reply, Usage]:
        """One answer, tried as often as the policy allows."""
        retry, spent, manners = 0, Usage(), self._manners
        while True:
            outcome, cause = await self._try(messages, schema, manners)
            if isinstance(outcome, Reply):
                # What this service was found not to take is not tried with every call.
                self._manners = manners
                return outcome, spent + self._meter.count(
                    input_tokens=outcome.input_tokens, output_tokens=outcome.output_tokens
                )
            spent += self._meter.count()
            if outcome.status in _ABOUT_THE_INPUT:
                other = self._given_way(outcome, manners)
                if other is not None:
                    manners = other
                    continue
            wait_s = self._wait_s(outcome, retry)
            if wait_s is None:
                texts = [self._key, *(message["content"] for message in messages)]
                raise self._error(outcome, retry + 1) from (
                    None if repeats(cause, texts) else cause
                )
            retry += 1
            # Outside the limit on requests: one that waits holds up nobody else.
            await self._sleep(wait_s)

    async def _try(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any], manners: Manners
    ) -> tuple[Reply | ServiceFailure, Exception | None]:
        async with self._clients.channel(_CHANNEL) as client:
            try:
                # The SDK's own limit counts from one byte to the next; this one is for all.
                async with asyncio.timeout(self._timeout_s):
                    return await self._ask(client, messages, schema, manners), None
            except Exception as error:
                failure = self._failure(error)
                if failure is None:
                    raise
                return failure, error

    def _wait_s(self, failure: ServiceFailure, retry: int) -> float | None:
        if not failure.is_passing:
            return None
        return self._policy.delay_s(retry, asked_s=failure.asked_s, chance=self._jitter())

    def _error(
        self, failure: ServiceFailure, attempts: int
    ) -> LanguageModelUnavailable | LanguageModelRejected:
        told = failure.told(
            f"the language model at {self._url} (model {self._name})", attempts=attempts
        )
        if failure.status in _ABOUT_THE_INPUT:
            return UnreadableAnswer(told, fault=AnswerFault.REFUSED.value)
        if failure.is_passing:
            return LanguageModelUnavailable(told, retry_after_s=failure.asked_s)
        return LanguageModelRejected(told)
