"""Labelled messages are given to a memory as in a conversation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from perdure.domain.readings import Modality
from perdure.domain.records import Kind, Memory
from perdure.domain.results import Decision, Observed
from perdure.domain.scope import Scope
from perdure.evaluation.clock import SetClock
from perdure.evaluation.extraction.items import ExtractionItem
from perdure.evaluation.extraction.running import START, drawn, fact_of, facts_in
from perdure.evaluation.intents.items import IntentItem, Message
from perdure.evaluation.intents.running import observe
from perdure.evaluation.running import Setting
from perdure.sync import MemoryManager
from tests.unit.evaluation.conversing import PlayedBack

NOON = datetime(2031, 5, 5, 12, tzinfo=UTC)


def a_fact(**more: Any) -> Memory:
    settings: dict[str, Any] = {
        "id": "f",
        "content": "The user owns a kayak.",
        "scope": Scope(),
        "occurred_at": NOON,
        "recorded_at": NOON,
        "valid_from": NOON,
        "kind": Kind.SEMANTIC,
        "subject": "user",
        "predicate": "owns",
        "object": "kayak",
        "polarity": "+",
    }
    return Memory(**{**settings, **more})


def test_what_was_said_before_comes_first_turn_by_turn() -> None:
    back = PlayedBack(clock=SetClock(NOON), answers={"Yes.": Observed(memories=(a_fact(),))})
    item = IntentItem(
        id="1",
        language="en",
        context=(Message(role="user", content="A"), Message(role="assistant", content="B")),
        message="Yes.",
        accepted=("create",),
    )
    observed = observe(cast(MemoryManager, back), back.clock, item)
    assert [message["content"] for _, message in back.heard] == ["A", "B", "Yes."]
    times = [message["time"] for _, message in back.heard]
    assert times == sorted(set(times))
    assert observed.memories == (a_fact(),)


def test_a_speaker_with_a_name_is_told() -> None:
    back = PlayedBack(clock=SetClock(START))
    named = ExtractionItem(id="1", language="en", message="Hi.", speaker="Bram")
    facts_in(cast(MemoryManager, back), named)
    facts_in(cast(MemoryManager, back), ExtractionItem(id="2", language="en", message="Hi."))
    assert [message.get("name") for _, message in back.heard] == ["Bram", None]


def test_facts_are_those_of_the_memories_and_the_decisions_each_once() -> None:
    decision = Decision(operation="create", reason="", memories=(a_fact(), a_fact(id="g")))
    words = a_fact(id="w", subject=None, predicate=None, object=None, polarity=None)
    observed = Observed(decisions=(decision,), memories=(words, a_fact()))
    assert len(list(drawn(observed, NOON))) == 2


@pytest.mark.parametrize(
    ("more", "polarity", "modality"),
    [
        ({}, "+", Modality.ASSERTED),
        ({"polarity": "-"}, "-", Modality.ASSERTED),
        ({"valid_to": NOON + timedelta(days=3)}, "+", Modality.TEMPORARY),
        ({"valid_from": NOON - timedelta(days=9), "valid_to": NOON}, "-", Modality.ASSERTED),
        ({"metadata": {"modality": "temporary"}}, "+", Modality.TEMPORARY),
        ({"metadata": {"modality": "question"}}, "+", Modality.QUESTION),
        ({"metadata": {"modality": "nonsense"}}, "+", Modality.ASSERTED),
    ],
)
def test_a_memory_as_a_fact(more: dict[str, Any], polarity: str, modality: Modality) -> None:
    fact = fact_of(a_fact(**more), NOON)
    assert fact is not None
    assert (fact.polarity, fact.modality) == (polarity, modality)


def test_every_item_has_a_user_of_its_own_in_every_run() -> None:
    assert Setting(run="r1").user("x") != Setting(run="r2").user("x")
    assert Setting(run="r1").user("x") != Setting(run="r1").user("y")
