"""The training scripts: reproducible, and in step with what reads messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest

from perdure.understanding.learned.network import Networks
from perdure.understanding.learned.weights import learned

TRAINING = Path(__file__).parents[3] / "training" / "understanding"
MODULES = "frames network swapping tape text train".split()


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.syspath_prepend(str(TRAINING))
    found = {name: __import__(name) for name in MODULES}
    yield found
    for name in MODULES:
        sys.modules.pop(name, None)


def a_few(training: dict[str, ModuleType]) -> list[list[object]]:
    made = [*training["frames"].made("messages", "en", 24, 1)]
    made += training["frames"].made("messages", "zh", 24, 1)
    words = learned().words
    examples = [[training["text"].message_example(item, words)] * 2 for item in made]
    for language in ("en", "zh"):
        pairs = training["frames"].made("pairs", language, 12, 1)
        examples += [[training["text"].pair_example(pair, words, 0.5)] * 2 for pair in pairs]
    return examples


def test_the_same_seed_gives_the_same_weights(training: dict[str, ModuleType]) -> None:
    examples = a_few(training)
    one, other = (training["train"].trained(examples, seed=7, epochs=1) for _ in range(2))
    assert all(np.array_equal(one[name].data, other[name].data) for name in one)


def test_what_is_trained_is_what_reads(training: dict[str, ModuleType]) -> None:
    examples = a_few(training)
    parameters = training["train"].trained(examples, seed=7, epochs=1)
    network = training["network"]
    runtime = Networks([{name: value.data for name, value in parameters.items()}])
    for pair in examples:
        example = pair[0]
        batch = network.Batch([example])
        still = network.Chance(np.random.default_rng(0), 0.0, 0.0)
        h = network._encoded(parameters, batch, still)
        summary = network._summary(h, batch.messages, batch.earlier)
        cues = network._constant([example.cues + example.cues_before])
        follows = bool((example.sides == 1).any())
        expected = network.intent_logits(
            parameters, summary, cues, np.array([[float(follows)]]), still
        ).data[0]
        view = runtime.encode(example)
        shares = runtime.intents(runtime.summary(view), cues.data[0], follows=follows)
        np.testing.assert_allclose(
            np.log(shares / shares[0]), expected - expected[0], rtol=1e-3, atol=1e-3
        )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_made_messages_hold_their_facts(training: dict[str, ModuleType], language: str) -> None:
    for item in training["frames"].made("messages", language, 300, 3):
        assert all(fact["object"] in item["text"] for fact in item["facts"]), item


@pytest.mark.parametrize("language", ["en", "zh"])
def test_swapped_messages_hold_their_facts(training: dict[str, ModuleType], language: str) -> None:
    swapper = training["swapping"].Swapper(language, Random(3))
    swapped = [
        other
        for item in training["frames"].made("messages", language, 200, 3)
        if (other := swapper.swapped(item)) is not None
    ]
    assert swapped
    for item in swapped:
        assert all(fact["object"] in item["text"] for fact in item["facts"]), item
