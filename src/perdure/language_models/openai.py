"""Language models of OpenAI, or of any service that speaks its chat completions."""

from __future__ import annotations

import asyncio
import importlib.util
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from perdure.errors import Misconfigured
from perdure.language_models._schemas import in_words, portable
from perdure.language_models._service import Manners, Reply, ServiceModel
from perdure.language_models.prices import Prices
from perdure.ports.language_model import ChatMessage
from perdure.remote import failures
from perdure.remote.failures import ServiceFailure

if TYPE_CHECKING:
    from openai import AsyncOpenAI

DEFAULT_URL = "https://api.openai.com/v1"
_NO_KEY = "none"
"""Sent to a service of one's own that asks for no key; the SDK insists on one."""

FORMS = ("schema", "json", "plain")
"""Ways to ask for an object, the surest first: a schema the service enforces, its JSON mode, words."""
_TOKEN_FIELDS = ("max_completion_tokens", "max_tokens")


class OpenAILanguageModel(ServiceModel["AsyncOpenAI"]):
    """A chat model behind OpenAI's interface, through the official SDK.

    The answer's schema is enforced by the service where it can; where it refuses one, JSON mode
    and then plain words are tried, and what worked is remembered. `form` begins further down.
    The same goes for `temperature` (0 by default) and for the name of the limit on tokens.

    `timeout_s` bounds each request. Time-outs, lost connections, 408, 409, 429 and server errors
    are tried again up to `max_retries` times, waiting as the service asks but at most
    `patience_s`; then `LanguageModelUnavailable` is raised, with how long the service asks for.
    No message repeats the key, the words sent or the answer.

    One model may be used from several event loops. `api_key` may be left out for a `base_url` of
    one's own; the environment is not consulted. With `prices`, `usage` also counts the cost.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        prices: Prices | None = None,
        form: str = "schema",
        temperature: float | None = 0.0,
        max_output_tokens: int = 2_048,
        timeout_s: float = 60.0,
        max_retries: int = 2,
        patience_s: float = 20.0,
        requests_at_once: int = 8,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        _require_sdk()
        if not model:
            raise Misconfigured("OpenAILanguageModel needs the name of a model")
        if form not in FORMS:
            raise Misconfigured(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        self._temperature = temperature
        super().__init__(
            model,
            key=_key(api_key, base_url),
            url=base_url or DEFAULT_URL,
            manners=Manners(
                form=form,
                has_temperature=temperature is not None,
                # OpenAI's own models want the one name, most other services know only the other.
                token_field=_TOKEN_FIELDS[0 if base_url is None else 1],
            ),
            max_output_tokens=max_output_tokens,
            timeout_s=timeout_s,
            max_retries=max_retries,
            patience_s=patience_s,
            requests_at_once=requests_at_once,
            prices=prices,
            sleep=sleep,
            jitter=jitter,
        )

    @property
    def identity(self) -> str:
        return f"openai:{self._name}"

    def _new_client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        # Retries are ours: the SDK's cannot be run without waiting.
        return AsyncOpenAI(
            api_key=self._key, base_url=self._url, timeout=self._timeout_s, max_retries=0
        )

    async def _ask(
        self,
        client: AsyncOpenAI,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        manners: Manners,
    ) -> Reply:
        request = self._request(messages, schema, manners)
        return _reply_of(await client.chat.completions.create(**request))

    def _request(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any], manners: Manners
    ) -> dict[str, Any]:
        sent: list[ChatMessage] = list(messages)
        request: dict[str, Any] = {
            "model": self._name,
            "messages": sent,
            manners.token_field: self._max_output_tokens,
        }
        if manners.has_temperature:
            request["temperature"] = self._temperature
        if manners.form == "schema":
            named = {"name": "answer", "strict": True, "schema": portable(schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        else:
            sent.insert(0, {"role": "system", "content": in_words(schema)})
        if manners.form == "json":
            request["response_format"] = {"type": "json_object"}
        return request

    def _failure(self, error: Exception) -> ServiceFailure | None:
        import openai

        failure = failures.failure_of(error, openai)
        if failure is None and isinstance(
            error, openai.OpenAIError | JSONDecodeError | UnicodeDecodeError | _Garbled
        ):
            return ServiceFailure(what="sent no chat completion", is_passing=True)
        return failure

    def _given_way(self, failure: ServiceFailure, manners: Manners) -> Manners | None:
        if failure.field == "temperature" and manners.has_temperature:
            return replace(manners, has_temperature=False)
        if failure.field == manners.token_field == _TOKEN_FIELDS[1]:
            return replace(manners, token_field=_TOKEN_FIELDS[0])
        if manners.form == FORMS[-1] or failure.field in ("messages", "model"):
            return None
        return replace(manners, form=FORMS[FORMS.index(manners.form) + 1])


class _Garbled(ValueError):
    """A successful answer that is no chat completion."""


def _reply_of(completion: Any) -> Reply:
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, Sequence) or isinstance(choices, str) or not choices:
        raise _Garbled
    choice = choices[0]
    message = getattr(choice, "message", None)
    if message is None:
        raise _Garbled
    content = getattr(message, "content", None)
    finish = getattr(choice, "finish_reason", None)
    is_refused = bool(getattr(message, "refusal", None)) or finish == "content_filter"
    usage = getattr(completion, "usage", None)
    return Reply(
        content=content if isinstance(content, str) else "",
        ended="refused" if is_refused else "cut_off" if finish == "length" else "whole",
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
    )


def _count(usage: object, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _require_sdk() -> None:
    if importlib.util.find_spec("openai") is None:
        raise Misconfigured(
            'OpenAILanguageModel needs the OpenAI SDK: pip install "perdure[openai]"'
        )


def _key(api_key: str | None, base_url: str | None) -> str:
    if api_key:
        return api_key
    if base_url is None:
        raise Misconfigured(f"OpenAILanguageModel needs an api_key for {DEFAULT_URL}")
    return _NO_KEY
