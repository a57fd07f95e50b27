"""From a manager through an adapter to a server and back."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import perdure
from perdure import Settings
from perdure.language_models.openai import OpenAILanguageModel
from perdure.testing import FakeClock, answer
from tests.services.chat_server import ChatServer, chat_server
from tests.services.embeddings_server import Answer

TOLD = [{"role": "user", "content": "I live in Brno."}]
BRNO = json.dumps(answer([{"subject": "user", "predicate": "lives_in", "object": "Brno"}]))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.say(BRNO)
        yield running


def options(server: ChatServer, **more: Any) -> dict[str, Any]:
    model = OpenAILanguageModel("small", base_url=server.url, max_retries=0, **more)
    return {"embedder": "off", "clock": FakeClock(), "language_model": model}


def test_a_blocking_manager_asks_and_closes(server: ChatServer) -> None:
    with perdure.open("memory://", **options(server)) as memory:
        [decision] = memory.observe(TOLD).decisions
        assert decision.leaned_on == ("openai:small", "read.en@1")
        assert memory.stats().language_model_usage.output_tokens > 0
    assert len(server.requests) == 1


def test_an_asynchronous_manager_asks_and_closes(server: ChatServer) -> None:
    async def run() -> Any:
        async with await perdure.open_async("memory://", **options(server)) as memory:
            return await memory.observe(TOLD)

    assert not asyncio.run(run()).is_deferred


def test_several_threads_ask_at_once(server: ChatServer) -> None:
    with perdure.open("memory://", **options(server)) as memory:
        threads = [
            threading.Thread(target=memory.scoped(user=f"u{number}").observe, args=(TOLD,))
            for number in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert memory.count(everything=True) == 12
    assert len(server.requests) == 6


def test_a_rate_limit_defers_the_reading(server: ChatServer) -> None:
    server.dictate(Answer(status=429, headers={"Retry-After": "120"}, body=b"{}"))
    given = options(server, patience_s=1.0)
    with perdure.open("memory://", **given) as memory:
        [decision] = memory.observe(TOLD).decisions
        assert decision.deferred
        assert "429" in decision.reason
        [words] = memory.list()
        assert words.metadata["deferred"]["attempts"] == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_a_model_that_never_answers_is_given_up(is_async: bool) -> None:
    class Sleeper:
        async def complete(self, messages: Any, *, schema: Any) -> dict[str, Any]:
            await asyncio.sleep(60)
            return {}

    given: dict[str, Any] = {
        "embedder": "off",
        "clock": FakeClock(),
        "language_model": Sleeper(),
        "settings": Settings(language_model_timeout_s=0.05),
    }

    async def run() -> Any:
        async with await perdure.open_async("memory://", **given) as memory:
            return await memory.observe(TOLD)

    if is_async:
        observed = asyncio.run(run())
    else:
        with perdure.open("memory://", **given) as memory:
            observed = memory.observe(TOLD)
    assert observed.is_deferred
    assert "Sleeper" in observed.decisions[0].reason
