"""Language models of Anthropic."""

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
    from anthropic import AsyncAnthropic

DEFAULT_URL = "https://api.anthropic.com"
FORMS = ("schema", "tool", "plain")
"""Ways to ask for an object, the surest first: a schema the service enforces, a tool, words."""
_TOOL = "answer"
_BEYOND_INPUT = ("cache_read_input_tokens", "cache_creation_input_tokens")


class AnthropicLanguageModel(ServiceModel["AsyncAnthropic"]):
    """A model behind Anthropic's messages, through the official SDK.

    The answer's schema is enforced by the service where the model can; where it refuses one, the
    answer is asked for as the input of a tool and then in words, and what worked is remembered.
    Everything else is as with `OpenAILanguageModel`; there is no temperature to set.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        prices: Prices | None = None,
        form: str = "schema",
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
            raise Misconfigured("AnthropicLanguageModel needs the name of a model")
        if form not in FORMS:
            raise Misconfigured(f"form must be one of {', '.join(FORMS)}, not {form!r}")
        if not api_key:
            raise Misconfigured("AnthropicLanguageModel needs an api_key")
        super().__init__(
            model,
            key=api_key,
            url=base_url or DEFAULT_URL,
            manners=Manners(form=form),
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
        return f"anthropic:{self._name}"

    def _new_client(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        # Retries are ours: the SDK's cannot be run without waiting.
        return AsyncAnthropic(
            api_key=self._key, base_url=self._url, timeout=self._timeout_s, max_retries=0
        )

    async def _ask(
        self,
        client: AsyncAnthropic,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        manners: Manners,
    ) -> Reply:
        return _reply_of(await client.messages.create(**self._request(messages, schema, manners)))

    def _request(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Any], manners: Manners
    ) -> dict[str, Any]:
        system = [item["content"] for item in messages if item["role"] == "system"]
        request: dict[str, Any] = {
            "model": self._name,
            "max_tokens": self._max_output_tokens,
            "messages": [dict(item) for item in messages if item["role"] != "system"],
        }
        match manners.form:
            case "schema":
                wanted = {"type": "json_schema", "schema": portable(schema)}
                request["output_config"] = {"format": wanted}
            case "tool":
                request["tools"] = [
                    {
                        "name": _TOOL,
                        "description": "Hands in the answer.",
                        "input_schema": portable(schema),
                    }
                ]
                request["tool_choice"] = {"type": "tool", "name": _TOOL}
            case _:
                system.append(in_words(schema))
        if system:
            request["system"] = "\n\n".join(system)
        return request

    def _failure(self, error: Exception) -> ServiceFailure | None:
        import anthropic

        failure = failures.failure_of(error, anthropic)
        if failure is None and isinstance(
            error, anthropic.AnthropicError | JSONDecodeError | UnicodeDecodeError | _Garbled
        ):
            return ServiceFailure(what="sent no message", is_passing=True)
        return failure

    def _given_way(self, failure: ServiceFailure, manners: Manners) -> Manners | None:
        if manners.form == FORMS[-1] or failure.status == 413:
            return None
        return replace(manners, form=FORMS[FORMS.index(manners.form) + 1])


class _Garbled(ValueError):
    """A successful answer that is no message."""


def _reply_of(message: Any) -> Reply:
    blocks = getattr(message, "content", None)
    if not isinstance(blocks, list):
        raise _Garbled
    handed = [block.input for block in blocks if getattr(block, "type", None) == "tool_use"]
    texts = [block.text for block in blocks if getattr(block, "type", None) == "text"]
    stop = getattr(message, "stop_reason", None)
    usage = getattr(message, "usage", None)
    is_handed = bool(handed) and isinstance(handed[-1], dict)
    return Reply(
        content=handed[-1] if is_handed else "".join(filter(None, texts)),
        ended=(
            "refused"
            if stop == "refusal"
            else "cut_off"
            if stop in ("max_tokens", "model_context_window_exceeded")
            else "whole"
        ),
        input_tokens=sum(_count(usage, name) for name in ("input_tokens", *_BEYOND_INPUT)),
        output_tokens=_count(usage, "output_tokens"),
    )


def _count(usage: object, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _require_sdk() -> None:
    if importlib.util.find_spec("anthropic") is None:
        raise Misconfigured(
            'AnthropicLanguageModel needs the Anthropic SDK: pip install "perdure[anthropic]"'
        )
