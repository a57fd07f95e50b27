"""Whatever a conversation holds, its window keeps its budget and its order."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perdure
from perdure import Settings, Window
from perdure.domain.budget import estimate_tokens
from perdure.domain.text import is_blank
from perdure.errors import Unavailable
from perdure.stores.memory import MemoryStore
from perdure.testing import HashingEmbedder

TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["你好，我们决定用绿色。", "👩‍🚀🚀" * 5, "Thanks!", "The budget is 40.", "é́" * 9, " \n\n "]
    ),
    st.integers(1, 400).map(lambda times: "word " * times),
    st.integers(1, 400).map(lambda times: "绿茶。" * times),
    st.integers(1, 3000).map(lambda times: "x" * times),
).filter(lambda text: not is_blank(text))


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["said", "said", "called"]))
        weight = {
            "importance": draw(st.sampled_from([0.2, 0.5, 0.9])),
            "pinned": draw(st.booleans()),
            "name": draw(st.sampled_from([None, "Ilka", "小王"])),
        }
        if kind == "said":
            role = draw(st.sampled_from(["user", "assistant", "system"]))
            messages.append({"role": role, "content": draw(TEXTS), **weight})
            continue
        calls = [f"call {number} {each}" for each in range(draw(st.integers(1, 3)))]
        arguments = json.dumps({"q": draw(TEXTS)}, ensure_ascii=draw(st.booleans()))
        messages.append(
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": call, "name": "find", "arguments": arguments} for call in calls
                ],
                **weight,
            }
        )
        answered = draw(st.lists(st.sampled_from(calls), unique=True))
        messages += [
            {"role": "tool", "content": draw(TEXTS), "tool_call_id": call} for call in answered
        ]
    return [{**message, "id": f"m{at}"} for at, message in enumerate(messages)]


def in_bytes(text: str) -> int:
    return len(text.encode())


def in_words(text: str) -> int:
    """Counts joined texts for more than their parts, as some tokenizers do."""
    return len(text.split()) + text.count("\n") ** 2


COUNTERS = [estimate_tokens, len, in_bytes, in_words]


def strings_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in strings_in(each)]


def recounted(window: Window, count: Callable[[str], int]) -> int:
    """What the window costs by the rules of its format, worked out from what was written."""
    if window.format == "plain":
        return count(window.text)
    if window.format == "anthropic":
        parts = [part for message in window.messages for part in message["content"]]
        texts = [text for part in parts for text in strings_in({**part, "type": ""})]
        return count(window.system) + sum(map(count, texts)) + len(window.messages)
    total = 3 if window.messages else 0
    for message in window.messages:
        told = {key: value for key, value in message.items() if key not in ("role", "tool_calls")}
        calls = message.get("tool_calls", [])
        spoken = [[call["id"], *call["function"].values()] for call in calls]
        total += 3 + sum(map(count, strings_in([told, spoken]))) + ("name" in message)
    return total


@pytest.fixture(scope="module")
def memories() -> Any:
    opened = [
        perdure.open(
            "memory://", embedder=HashingEmbedder(), settings=Settings(token_counter=count)
        )
        for count in COUNTERS
    ]
    yield opened
    for memory in opened:
        memory.close()


@pytest.mark.parametrize("which", range(len(COUNTERS)), ids=["estimate", "chars", "bytes", "words"])
@pytest.mark.parametrize("form", ["openai", "anthropic", "plain"])
@settings(max_examples=40, deadline=None)
@given(
    messages=conversations(),
    budget=st.one_of(st.integers(1, 60), st.integers(60, 3000)),
    system=st.sampled_from([None, "Be kind."]),
)
def test_the_budget_is_never_exceeded(
    memories: Any, which: int, form: Any, messages: Any, budget: int, system: str | None
) -> None:
    # A budget of its own keeps the store out of it; the window's is the call's.
    memory = memories[which].scoped(user="ilka")
    context = memory.context("s1", max_tokens=10**9)
    try:
        context.extend(messages)
        # A system text that does not fit is refused; that is told elsewhere.
        told = system if budget >= 60 else None
        window = context.window(form, max_tokens=budget, system=told)
    finally:
        memory.forget_all()
    assert recounted(window, COUNTERS[which]) <= window.tokens <= budget
    order = {message["id"]: at for at, message in enumerate(messages)}
    answers = {
        message["id"]: next(
            other["id"]
            for other in messages
            if any(call["id"] == message["tool_call_id"] for call in other.get("tool_calls", ()))
        )
        for message in messages
        if message["role"] == "tool"
    }
    places = [(order[answers.get(turn, turn)], order[turn]) for turn in window.shown]
    assert places == sorted(places)
    assert sorted([*window.shown, *window.left_out]) == sorted(order)
    for result, call in answers.items():
        assert (result in window.shown) <= (call in window.shown)
    if form == "anthropic":
        roles = [message["role"] for message in window.messages]
        assert roles == [("user", "assistant")[at % 2] for at in range(len(roles))]
    if form == "openai":
        assert_calls_are_answered(window.messages)


def assert_calls_are_answered(messages: list[dict[str, Any]]) -> None:
    """As OpenAI's service demands: behind each call, at once, all of its results."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert waiting == []
        waiting = [call["id"] for call in message.get("tool_calls", ())]
    assert waiting == []


class OutOfReach(MemoryStore):
    """A store that can be unplugged."""

    is_unplugged = False

    async def apply(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_unplugged:
            raise Unavailable("the store is unplugged")
        return await super().apply(*args, **kwargs)


def test_a_turn_is_not_taken_while_what_it_pushes_out_cannot_be_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = OutOfReach()

    async def open_it(*_: object) -> OutOfReach:
        return store

    monkeypatch.setattr("perdure.bootstrap.open_store", open_it)
    chosen = Settings(context_turns=2)
    with perdure.open("memory://", embedder=HashingEmbedder(), settings=chosen) as memory:
        context = memory.context("s1")
        context.extend([{"role": "user", "content": f"Turn {n}"} for n in range(2)])
        store.is_unplugged = True
        for again in range(2):
            with pytest.raises(Unavailable):
                context.append("user", f"Turn 2 {again}", id="t2")
            assert [turn.content for turn in context.turns()] == ["Turn 0", "Turn 1"]
        store.is_unplugged = False
        context.append("user", "Turn 2", id="t2")
        assert [turn.content for turn in context.turns()] == ["Turn 1", "Turn 2"]
        assert [item.content for item in memory.list()] == ["Turn 0"]
