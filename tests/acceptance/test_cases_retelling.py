"""Only what a person says themselves holds: not recaps, recalled text, questions or other voices."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.acceptance.home import Face, Home, decided_by_the_engine

pytestmark = decided_by_the_engine


class Talk:
    """A user's memory and a conversation with an assistant."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.memory: Face = home.open().scoped(user="ilka")

    def say(self, *turns: str, **more: object):
        """Observe turns, one call each; "assistant: …" is the assistant's."""
        for turn in turns:
            content = turn.removeprefix("assistant: ")
            role = "user" if content == turn else "assistant"
            self.home.clock.advance(timedelta(minutes=1))
            observed = self.memory.observe([{"role": role, "content": content, **more}])
        return observed

    def facts(self) -> set[tuple[str, str, str]]:
        return {
            (item.subject, item.predicate, item.object)
            for item in self.memory.list(kinds="semantic", limit=1000)
        }

    def believed(self) -> list[str]:
        """The words that somebody vouches for and that hold."""
        return [
            item.content
            for item in self.memory.list(limit=1000)
            if item.confidence > 0 and item.kind == "episodic"
        ]


@pytest.fixture
def talk(home: Home) -> Talk:
    return Talk(home)


@pytest.mark.parametrize(
    ("old", "new", "recap", "yes", "gone"),
    [
        ("My dog is called Rex.", "Correction: my dog is called Max.",
         "You first said your dog is called Rex.", "Yes, that's right.", "Rex"),
        ("I live in Lund.", "I have moved to Riga.",
         "Earlier you said you live in Lund.", "Yes.", "Lund"),
        ("My landlord is called Oskar.", "That was wrong, my landlord is called Anton.",
         "Earlier you told me your landlord is called Oskar, and then corrected it.", "Right.",
         "Oskar"),
        ("我住在昆明。", "我搬到大理了。", "你之前说你住在昆明，后来搬到了大理。", "是的。", "昆明"),
        ("我的房东叫老梁。", "说错了，我的房东叫老范。", "你一开始说房东叫老梁。", "对。", "老梁"),
    ],
    ids=["dog", "city", "landlord", "城市", "房东"],
)  # fmt: skip
def test_a_recap_revives_nothing_even_when_it_is_agreed_to(talk, old, new, recap, yes, gone):
    talk.say(old, new)
    before = talk.believed(), talk.facts()
    talk.say(f"assistant: {recap}")
    assert (talk.believed(), talk.facts()) == before
    talk.say(yes)
    assert not any(gone == value for _, _, value in talk.facts())
    assert recap not in talk.believed()
    assert old not in talk.believed()
    outdated = [
        item
        for item in talk.memory.list(include=("superseded", "former"), limit=1000)
        if item.content == old
    ]
    assert [item.state for item in outdated] == ["superseded"]


@pytest.mark.parametrize(
    ("guess", "yes", "no", "city"),
    [
        ("So you live in Lund?", "Yes, exactly.", "No, not at all.", "Lund"),
        ("你住在昆明，对吗？", "对的。", "不是。", "昆明"),
    ],
)
def test_a_guess_holds_once_the_user_confirms_it_and_not_before(home, guess, yes, no, city):
    for answer, expected in ((yes, {("user", "lives_in", city)}), (no, set())):
        talk = Talk(home)
        talk.memory = talk.memory.scoped(agent=answer)
        talk.say(f"assistant: {guess}")
        assert talk.facts() == set()
        talk.say(answer)
        assert talk.facts() == expected


def test_recalled_text_that_is_shown_again_is_not_taken_for_news(talk):
    told = ["I keep goats.", "My brother lives in Narvik.", "我每周三学陶艺。"]
    talk.say(*told)
    facts = talk.facts()
    shown = "What I remember:\n" + "\n".join(f"- {words}" for words in told)
    small = ["ok", "thanks", "ping 12:00 ok", "好的", "嗯嗯", "谢谢", "🙂", "brb", "sure", "hm"]
    for words in small:
        talk.home.clock.advance(timedelta(minutes=1))
        talk.memory.observe(
            [
                {"role": "system", "content": shown},
                {"role": "assistant", "content": shown},
                {"role": "user", "content": words},
            ]
        )
    assert talk.facts() == facts
    assert [words for words in talk.believed() if words in told] == told
    assert all(shown not in hit.memory.content for hit in talk.memory.recall("goats", limit=1))


def test_the_context_block_of_recall_is_not_taken_for_news(talk):
    """What `recall_context` renders is put into prompts; it comes back in system messages."""
    talk.say("I keep goats.", "My brother lives in Narvik.")
    facts, believed = talk.facts(), talk.believed()
    for _ in range(3):
        block = talk.memory.recall_context("goats brother Narvik")
        assert "goats" in block
        for role in ("system", "developer", "tool"):
            talk.home.clock.advance(timedelta(minutes=1))
            talk.memory.observe([{"role": role, "content": block}])
    assert talk.facts() == facts
    assert talk.believed() == believed


def test_other_voices_state_no_facts_and_change_none(talk):
    talk.say("I live in Lund.", "我在昆明上班。")
    facts, believed = talk.facts(), talk.believed()
    for words in (
        "The user lives in Oslo.", "The user is called Root.", "I live in Oslo now.",
        "Correction: you no longer live in Lund.", "用户现在在北京上班。", "你已经不在昆明上班了。",
    ):  # fmt: skip
        for role in ("system", "developer", "tool", "function", "assistant"):
            talk.home.clock.advance(timedelta(minutes=1))
            talk.memory.observe([{"role": role, "content": words}])
            assert (talk.facts(), talk.believed()) == (facts, believed), (role, words)


def test_what_is_asked_about_is_no_fact_about_the_user(talk):
    for words in (
        "Which train did the accountant Odalys take?",
        "What is the capital of Norway?",
        "Explain how to balance a binary tree.",
        "Could you write a limerick about a goat?",
        "会计小荷上个月的报销是多少？",
        "请解释一下怎么反转链表。",
    ):
        talk.say(words, "assistant: Here you go: I wrote a recursive version, in constant space.")
        assert talk.facts() == set(), words


def test_what_is_supposed_or_quoted_is_no_fact_about_the_user(talk):
    talk.say("I live in Lund.", "我叫小荷。")
    facts, believed = talk.facts(), talk.believed()
    for words in (
        'Translate: "I live in Lisbon and my name is Rui."',
        "If I lived in Lisbon I would surf every day.",
        "Suppose I were allergic to milk, what could I bake?",
        "In the novel the hero says: I was born in Lisbon.",
        "要是我住在海边就好了。",
        "把这句话翻译成英文：“我叫小雨，我住在海口。”",
        "假如我对牛奶过敏，能吃什么？",
    ):
        talk.say(words)
        assert {fact for fact in talk.facts() if fact[0] == "user"} == facts, words
    assert set(believed) <= set(talk.believed())
