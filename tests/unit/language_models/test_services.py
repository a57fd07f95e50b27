"""Both adapters against a real HTTP server on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest

from perdure.errors import (
    Closed,
    InvalidInput,
    LanguageModelRejected,
    LanguageModelUnavailable,
    Misconfigured,
    UnreadableAnswer,
)
from perdure.language_models.anthropic import AnthropicLanguageModel
from perdure.language_models.openai import OpenAILanguageModel
from perdure.language_models.prices import Prices
from perdure.ports.language_model import Answer as ModelAnswer
from perdure.ports.language_model import ChatMessage, Usage
from tests.services.chat_server import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    ChatServer,
    chat_server,
)
from tests.services.embeddings_server import Answer

KEY = "sk-a-very-secret-key"
SAID: dict[str, Any] = {"facts": [{"subject": "user", "object": "a kiln"}], "operations": []}
SECRET = "the words of the user, which nobody else may read"
MESSAGES: list[ChatMessage] = [
    {"role": "system", "content": "You read messages."},
    {"role": "user", "content": SECRET},
]
SCHEMA = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 5,
            "items": {
                "type": "object",
                "properties": {"subject": {"type": "string"}, "object": {"type": "string"}},
            },
        },
        "operations": {"type": "array", "items": {"type": "string", "maxLength": 9}},
    },
}
needs_anthropic = pytest.mark.skipif(find_spec("anthropic") is None, reason="no Anthropic SDK")


class Naps:
    """Instead of sleeping: remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@dataclass
class Stand:
    """A server and a client of one of the two services."""

    server: ChatServer
    service: str
    naps: Naps

    def model(self, **options: Any) -> Any:
        given = {"api_key": KEY, "sleep": self.naps, "jitter": lambda: 1.0, **options}
        if self.service == "openai":
            return OpenAILanguageModel("small", base_url=self.server.url, **given)
        return AnthropicLanguageModel("small", base_url=self.server.root, **given)

    @property
    def last(self) -> Any:
        """The body of the newest request."""
        return self.server.requests[-1].body


@pytest.fixture(params=["openai", pytest.param("anthropic", marks=needs_anthropic)])
def stand(request: pytest.FixtureRequest) -> Iterator[Stand]:
    with chat_server() as server:
        server.say(json.dumps(SAID))
        yield Stand(server, request.param, Naps())


def ask(model: Any, messages: Sequence[ChatMessage] = MESSAGES) -> dict[str, Any]:
    return asyncio.run(_ask(model, messages))


async def _ask(model: Any, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    answer: dict[str, Any] = await model.complete(messages, schema=SCHEMA)
    return answer


def refused(status: int, error: dict[str, Any] | None = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps({"type": "error", "error": error or {"message": SECRET + KEY}})
    return Answer(status=status, body=body.encode(), headers=named)


def test_a_question_goes_out_and_the_answer_comes_back_as_an_object(stand: Stand) -> None:
    answer = ask(stand.model())
    assert answer == SAID
    assert isinstance(answer, ModelAnswer)
    assert answer.usage == Usage(requests=1, input_tokens=INPUT_TOKENS, output_tokens=OUTPUT_TOKENS)
    (request,) = stand.server.requests
    assert KEY in (request.headers.get("authorization", ""), request.headers.get("x-api-key")) or (
        request.headers["authorization"] == f"Bearer {KEY}"
    )
    assert request.body["model"] == "small"
    assert SECRET in json.dumps(request.body["messages"])


def test_the_schema_is_sent_in_the_dialect_that_services_share(stand: Stand) -> None:
    ask(stand.model())
    wanted = (
        stand.last["response_format"]["json_schema"]["schema"]
        if stand.service == "openai"
        else stand.last["output_config"]["format"]["schema"]
    )
    item = wanted["properties"]["facts"]["items"]
    assert wanted["required"] == ["facts", "operations"]
    assert item["required"] == ["subject", "object"]
    assert item["additionalProperties"] is False
    assert "maxItems" not in wanted["properties"]["facts"]
    assert "maxLength" not in wanted["properties"]["operations"]["items"]


def test_a_service_without_schemas_is_asked_in_another_way_from_then_on(stand: Stand) -> None:
    stand.server.dictate(refused(400))
    model = stand.model()
    assert ask(model) == SAID
    assert ask(model) == SAID
    assert len(stand.server.requests) == 3
    if stand.service == "openai":
        assert stand.last["response_format"] == {"type": "json_object"}
        assert "JSON Schema" in stand.last["messages"][0]["content"]
    else:
        assert stand.last["tool_choice"] == {"type": "tool", "name": "answer"}
    assert stand.naps.seconds == []


def test_the_last_way_is_words(stand: Stand) -> None:
    stand.server.dictate(refused(400), refused(422))
    stand.server.say(f"Gladly!\n```json\n{json.dumps(SAID)}\n```")
    assert ask(stand.model()) == SAID
    assert "JSON Schema" in json.dumps([stand.last.get("system"), stand.last["messages"]])
    assert {"response_format", "tools", "output_config"}.isdisjoint(stand.last)


def test_words_that_the_service_refuses_in_every_way_are_no_outage(stand: Stand) -> None:
    stand.server.dictate(*[refused(400)] * 3)
    with pytest.raises(UnreadableAnswer) as caught:
        ask(stand.model())
    assert caught.value.fault == "refused"
    stand.server.forget_dictated()
    ask(stand.model())


def test_one_refused_message_does_not_change_how_the_next_is_asked(stand: Stand) -> None:
    model = stand.model()
    stand.server.dictate(*[refused(400)] * 3)
    with pytest.raises(UnreadableAnswer):
        ask(model)
    ask(model)
    assert ("response_format" if stand.service == "openai" else "output_config") in stand.last


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_may_pass_is_tried_again(stand: Stand, status: int) -> None:
    stand.server.dictate(refused(status), refused(status))
    assert ask(stand.model()) == SAID
    assert stand.naps.seconds == [0.5, 1.0]


def test_the_service_says_how_long_to_wait(stand: Stand) -> None:
    stand.server.dictate(refused(429, retry_after="7"))
    ask(stand.model())
    assert stand.naps.seconds == [7.0]


def test_a_longer_wait_than_the_patience_is_for_the_caller(stand: Stand) -> None:
    stand.server.dictate(refused(429, retry_after="600"))
    with pytest.raises(LanguageModelUnavailable) as caught:
        ask(stand.model())
    assert caught.value.retry_after_s == 600
    assert stand.naps.seconds == []


def test_it_gives_up_after_the_last_try(stand: Stand) -> None:
    stand.server.dictate(*[refused(503)] * 3)
    with pytest.raises(LanguageModelUnavailable, match="asked 3 times"):
        ask(stand.model())


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_waiting_cannot_mend_is_told_at_once(stand: Stand, status: int) -> None:
    stand.server.dictate(refused(status))
    with pytest.raises(LanguageModelRejected, match="check"):
        ask(stand.model())
    assert len(stand.server.requests) == 1


def test_a_lost_connection_is_tried_again(stand: Stand) -> None:
    stand.server.dictate(Answer(is_cut=True))
    assert ask(stand.model()) == SAID


def test_a_torn_body_is_tried_again(stand: Stand) -> None:
    stand.server.dictate(Answer(missing_bytes=40))
    assert ask(stand.model()) == SAID


def test_a_page_of_a_proxy_is_tried_again(stand: Stand) -> None:
    stand.server.dictate(Answer(body=b"<html>Bad gateway</html>"), Answer(body=b"[]"))
    assert ask(stand.model()) == SAID


def test_a_service_that_says_nothing_is_not_waited_for(stand: Stand) -> None:
    held = threading.Event()
    stand.server.dictate(Answer(wait_for=held))
    try:
        with pytest.raises(LanguageModelUnavailable, match="in time"):
            ask(stand.model(timeout_s=0.2, max_retries=0))
    finally:
        held.set()


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("", "empty"),
        ("I have nothing to add.", "no_json"),
        ('{"facts": [{"subject": "us', "cut_off"),
        ('{"facts" "subject"}', "malformed"),
        ('{"weather": "fine"}', "wrong_shape"),
    ],
)
def test_an_answer_that_cannot_be_used_says_why(stand: Stand, said: str, fault: str) -> None:
    stand.server.say(said)
    with pytest.raises(UnreadableAnswer) as caught:
        ask(stand.model(form="plain"))
    assert caught.value.fault == fault
    assert "weather" not in str(caught.value)


@pytest.mark.parametrize(
    ("stopped", "fault"), [("length", "cut_off"), ("content_filter", "refused")]
)
def test_an_answer_that_stopped_early_is_not_used(stand: Stand, stopped: str, fault: str) -> None:
    stand.server.say(json.dumps(SAID), stopped=stopped)
    with pytest.raises(UnreadableAnswer) as caught:
        ask(stand.model())
    assert caught.value.fault == fault


def test_everything_is_counted_and_priced(stand: Stand) -> None:
    model = stand.model(prices=Prices(input_per_million=10.0, output_per_million=100.0))
    stand.server.dictate(refused(500))
    ask(model)
    each = (INPUT_TOKENS * 10 + OUTPUT_TOKENS * 100) / 1_000_000
    assert model.usage.requests == 2
    assert model.usage.cost == pytest.approx(each)
    ask(model)
    assert model.usage.input_tokens == 2 * INPUT_TOKENS
    assert model.usage.output_tokens == 2 * OUTPUT_TOKENS
    assert model.usage.cost == pytest.approx(2 * each)


def test_an_unreadable_answer_is_paid_for_all_the_same(stand: Stand) -> None:
    model = stand.model(form="plain")
    stand.server.say("nothing of use")
    with pytest.raises(UnreadableAnswer):
        ask(model)
    assert model.usage.output_tokens == OUTPUT_TOKENS


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_error_repeats_the_key_or_what_was_sent(stand: Stand, status: int) -> None:
    stand.server.dictate(*[refused(status)] * 3)
    with pytest.raises((LanguageModelUnavailable, LanguageModelRejected)) as caught:
        ask(stand.model())
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert KEY not in shown


def test_one_model_serves_several_event_loops(stand: Stand) -> None:
    model = stand.model()
    assert [ask(model), ask(model)] == [SAID, SAID]


def test_a_closed_model_answers_nobody(stand: Stand) -> None:
    async def close_and_ask() -> None:
        model = stand.model()
        await model.complete(MESSAGES, schema=SCHEMA)
        await model.aclose()
        await model.complete(MESSAGES, schema=SCHEMA)

    with pytest.raises(Closed):
        asyncio.run(close_and_ask())


@pytest.mark.parametrize(
    "options", [{"timeout_s": 0}, {"max_retries": -1}, {"max_output_tokens": 0}, {"patience_s": -1}]
)
def test_options_that_make_no_sense_are_refused(stand: Stand, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        stand.model(**options)


def test_an_unknown_form_is_refused(stand: Stand) -> None:
    with pytest.raises(Misconfigured, match="form"):
        stand.model(form="yaml")


def test_it_names_itself(stand: Stand) -> None:
    assert stand.model().identity == f"{stand.service}:small"


def test_openai_gives_up_a_temperature_that_the_model_does_not_take() -> None:
    with chat_server() as server:
        server.say(json.dumps(SAID))
        stand = Stand(server, "openai", Naps())
        server.dictate(refused(400, {"message": "no", "param": "temperature"}))
        assert ask(stand.model()) == SAID
        assert [("temperature" in item.body) for item in server.requests] == [True, False]
        assert stand.last["response_format"]["type"] == "json_schema"


def test_openai_gives_up_the_old_name_of_the_token_limit() -> None:
    with chat_server() as server:
        server.say(json.dumps(SAID))
        stand = Stand(server, "openai", Naps())
        server.dictate(refused(400, {"message": "no", "param": "max_tokens"}))
        assert ask(stand.model()) == SAID
        assert "max_tokens" not in stand.last
        assert stand.last["max_completion_tokens"] == 2_048


def test_openai_needs_a_key_and_a_service_of_ones_own_does_not() -> None:
    with pytest.raises(Misconfigured, match="api_key"):
        OpenAILanguageModel("small")
    OpenAILanguageModel("small", base_url="http://127.0.0.1:1/v1")


@needs_anthropic
def test_anthropic_needs_a_key() -> None:
    with pytest.raises(Misconfigured, match="api_key"):
        AnthropicLanguageModel("small")


@needs_anthropic
def test_anthropic_gets_the_system_prompt_apart_from_the_messages() -> None:
    with chat_server() as server:
        server.say(json.dumps(SAID))
        stand = Stand(server, "anthropic", Naps())
        ask(stand.model())
        assert stand.last["system"] == "You read messages."
        assert [message["role"] for message in stand.last["messages"]] == ["user"]
        assert "temperature" not in stand.last
