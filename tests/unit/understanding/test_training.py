"""The training scripts: reproducible, and in step with what reads messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from perdure.understanding.learned.network import Networks
from perdure.understanding.learned.weights import learned

TRAINING = Path(__file__).parents[3] / "training" / "understanding"
MODULES = "crossing frames joining network surroundings swapping tape text train".split()


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.syspath_prepend(str(TRAINING))
    found = {name: __import__(name) for name in MODULES}
    yield found
    for name in MODULES:
        sys.modules.pop(name, None)


def a_few(training: dict[str, ModuleType]) -> list[Any]:
    words = learned().words
    text, frames = training["text"], training["frames"]

    def message(item: dict[str, Any]) -> Any:
        return text.message_example(item, words)

    def pair(item: dict[str, Any]) -> Any:
        return text.pair_example(item, words, 0.5)

    return [
        training["train"].Ways(item=item, is_new=False, shown=shown)
        for language in ("en", "zh")
        for kind, count, shown in (("messages", 24, message), ("pairs", 12, pair))
        for item in frames.made(kind, language, count, 1)
    ]


def test_part_of_an_epoch_shows_all_that_is_new(training: dict[str, ModuleType]) -> None:
    ways = [replace(each, is_new=n < 9) for n, each in enumerate(a_few(training))]
    steps = training["train"].batches(ways, 0.25, np.random.default_rng(3))
    shown = [n for step in steps for n in step]
    assert set(range(9)) < set(shown)
    assert len(shown) == 9 + (len(ways) - 9) // 4


def test_training_goes_on_from_weights(training: dict[str, ModuleType], tmp_path: Path) -> None:
    ways = a_few(training)
    first = training["train"].trained(ways, seed=7, epochs=1)
    path = tmp_path / "first.npz"
    np.savez(path, **{name: value.data for name, value in first.items()})
    onward = training["train"].trained(ways, seed=8, epochs=0.01, start=path)
    assert all(np.allclose(first[name].data, onward[name].data, atol=0.01) for name in first)


def test_the_same_seed_gives_the_same_weights(training: dict[str, ModuleType]) -> None:
    examples = a_few(training)
    one, other = (training["train"].trained(examples, seed=7, epochs=1) for _ in range(2))
    assert all(np.array_equal(one[name].data, other[name].data) for name in one)


def test_what_is_trained_is_what_reads(training: dict[str, ModuleType]) -> None:
    examples = a_few(training)
    parameters = training["train"].trained(examples, seed=7, epochs=1)
    network = training["network"]
    runtime = Networks([{name: value.data for name, value in parameters.items()}])
    for ways in examples:
        example = ways.drawn(np.random.default_rng(0))
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
        (shares,) = runtime.intents([runtime.summary(view)], cues.data, follows=follows)
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


def said(text: str, intent: str = "create", *facts: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "intent": intent,
        "facts": [
            {"subject": "user", "predicate": predicate, "object": value}
            for predicate, value in facts
        ],
        **more,
    }


TALK = [
    said("My desk is oak.", "create", ("owns", "oak desk")),
    said("I sing alto.", "create", ("hobby", "alto")),
    said("I paint.", "create", ("hobby", "paint")),
    said("I live in Brno.", "create", ("lives_in", "Brno")),
    said("Home is in Zlin.", "create", ("lives_in", "Zlin")),
    said("Lovely!", "none"),
    said("It moved.", "update", context=[{"role": "user", "content": "My stall is red."}]),
]


def test_joined_messages_state_the_facts_of_both(training: dict[str, ModuleType]) -> None:
    joiner = training["joining"].Joiner("en", TALK[:4], Random(1))
    made = [joiner.joined(TALK[3]) for _ in range(20)]
    found = [item for item in made if item is not None]
    assert found
    for item in found:
        assert item["intent"] == "create"
        assert all(fact["object"] in item["text"] for fact in item["facts"]), item
        assert "lives_in" in {fact["predicate"] for fact in item["facts"]}


def test_a_question_is_joined_to_nothing(training: dict[str, ModuleType]) -> None:
    joiner = training["joining"].Joiner("en", TALK[:4], Random(1))
    assert joiner.joined(said("Where do I live?", "none")) is None


def test_what_surrounds_a_message_states_no_fact_of_its_kind(
    training: dict[str, ModuleType],
) -> None:
    surroundings = training["surroundings"].Surroundings("en", TALK, Random(1))
    for _ in range(30):
        item = surroundings.after_others(TALK[1])
        assert item is not None
        assert "I paint." not in [turn["content"] for turn in item["context"]]
        assert "It moved." not in [turn["content"] for turn in item["context"]]
        assert len(item["context"]) <= 3


def test_what_was_said_before_a_message_stays_nearest_to_it(
    training: dict[str, ModuleType],
) -> None:
    surroundings = training["surroundings"].Surroundings("en", TALK[:6], Random(1))
    item = surroundings.after_others(TALK[6])
    assert item is not None
    assert item["context"][-1] == TALK[6]["context"][0]
    assert len(item["context"]) > 1


def test_messages_that_meet_in_one_kind_add_or_replace_by_it(
    training: dict[str, ModuleType],
) -> None:
    pairs = list(training["crossing"].crossed(TALK, 20, Random(1)))
    relations = {(pair["old"], pair["new"]): pair["relation"] for pair in pairs}
    assert relations["I live in Brno.", "Home is in Zlin."] == "supersedes"
    assert relations["I sing alto.", "I paint."] == "adds"
    assert relations["My desk is oak.", "Lovely!"] == "unrelated"
    assert "It moved." not in {text for pair in relations for text in pair}
