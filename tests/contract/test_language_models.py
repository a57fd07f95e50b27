"""Every language model of the package keeps the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from perdure.errors import LanguageModelUnavailable
from perdure.language_models.anthropic import AnthropicLanguageModel
from perdure.language_models.openai import OpenAILanguageModel
from perdure.ports.language_model import LanguageModel
from perdure.testing import ScriptedLanguageModel
from perdure.testing.contracts.language_model import LanguageModelContract
from tests.services.chat_server import ChatServer, chat_server

SAID = {"language": "English", "is_question": True, "words": ["this"]}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.say(json.dumps(SAID))
        yield running


class TestScripted(LanguageModelContract):
    @pytest.fixture(params=[SAID, "no JSON at all", LanguageModelUnavailable("away")])
    def model(self, request: pytest.FixtureRequest) -> LanguageModel:
        return ScriptedLanguageModel([request.param] * 2)


class TestOpenAI(LanguageModelContract):
    @pytest.fixture(params=["schema", "json", "plain"])
    def model(self, request: pytest.FixtureRequest, server: ChatServer) -> LanguageModel:
        return OpenAILanguageModel("small", base_url=server.url, form=request.param)


@pytest.mark.skipif(find_spec("anthropic") is None, reason="no Anthropic SDK")
class TestAnthropic(LanguageModelContract):
    @pytest.fixture(params=["schema", "tool", "plain"])
    def model(self, request: pytest.FixtureRequest, server: ChatServer) -> LanguageModel:
        return AnthropicLanguageModel(
            "small", base_url=server.root, api_key="sk-key", form=request.param
        )
