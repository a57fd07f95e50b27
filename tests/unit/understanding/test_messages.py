"""What plain messages ask and state, in both languages and in both mixed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from perdure.domain.readings import Intent, Modality
from perdure.understanding import read

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
Turns = list[tuple[str, str]]


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("I'm allergic to walnuts, so keep that in mind.", Intent.CREATE),
        ("我对核桃过敏，麻烦记一下。", Intent.CREATE),
        ("Don't forget that my rent is due on the fifth.", Intent.CREATE),
        ("别忘了我每月五号交房租。", Intent.CREATE),
        ("I no longer play badminton.", Intent.UPDATE),
        ("我现在不打羽毛球了。", Intent.UPDATE),
        ("Please forget everything I told you about my divorce.", Intent.DELETE),
        ("把我离婚的事从你的记忆里删掉。", Intent.DELETE),
        ("Merge the duplicate entries you keep about my car.", Intent.CONSOLIDATE),
        ("把你记得的关于我车的重复条目合并一下。", Intent.CONSOLIDATE),
        ("Thanks, that was very helpful!", Intent.NONE),
        ("谢谢，辛苦了！", Intent.NONE),
        ("Which oven temperature is best for focaccia?", Intent.NONE),
        ("佛卡夏用什么温度烤最好？", Intent.NONE),
        ("Delete the third line of the table.", Intent.NONE),
        ("把表格的第三行删掉。", Intent.NONE),
        ("Ugh, I forgot my gloves on the bus again.", Intent.NONE),
    ],
)
def test_a_message_asks_one_thing_of_the_memory(message: str, intent: Intent) -> None:
    asked = read(message, at=NOON).intent
    # A mishap may be noted, too.
    assert asked is intent or ("gloves" in message and asked is Intent.CREATE)


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("I live in Halifax.", ("user", "lives_in", "Halifax")),
        ("我住在烟台。", ("user", "lives_in", "烟台")),
        ("我住在煙臺。", ("user", "lives_in", "煙臺")),
        ("My sister lives in Turku.", ("user.sibling", "lives_in", "Turku")),
        ("我弟弟住在兰州。", ("user.sibling", "lives_in", "兰州")),
        ("I'm allergic to penicillin.", ("user", "allergic_to", "penicillin")),
        ("我对青霉素过敏。", ("user", "allergic_to", "青霉素")),
        ("I work as a midwife.", ("user", "job_title", "midwife")),
        ("我们团队用 Notion。", ("user", "uses", "Notion")),
    ],
)
def test_plain_facts_are_found(message: str, fact: tuple[str, str, str]) -> None:
    claims = read(message, at=NOON).claims
    found = [
        (claim.subject, claim.predicate, claim.object)
        for claim in claims
        if claim.modality.is_held and claim.polarity == "+"
    ]
    assert fact in found


@pytest.mark.parametrize(
    "message",
    [
        'Translate "I am a judge" into Norwegian.',
        "把“我是法官”翻译成挪威语。",
        "If I lived in Halifax, would I need a car?",
        "如果我住在烟台，还用买车吗？",
        "Do you know whether I live in Halifax?",
        "SELECT city FROM users WHERE name = 'Halifax';",
    ],
)
def test_what_is_quoted_supposed_or_asked_is_no_fact(message: str) -> None:
    assert not [claim for claim in read(message, at=NOON).claims if claim.modality.is_held]


def test_a_state_with_an_end_in_sight_is_temporary() -> None:
    claims = read("I'm in Turku for a conference until Friday.", at=NOON).claims
    assert [claim.modality for claim in claims] == [Modality.TEMPORARY]


@pytest.mark.parametrize(
    ("message", "question", "answer"),
    [
        ("Yes, exactly.", "So your locker is number 14?", True),
        ("对，没错。", "您的柜子是 14 号，对吗？", True),
        ("No, that's wrong.", "So your locker is number 14?", False),
        ("不是的。", "您的柜子是 14 号，对吗？", False),
        ("Maybe later.", "So your locker is number 14?", None),
    ],
)
def test_an_answer_says_yes_or_no(message: str, question: str, answer: bool | None) -> None:
    assert read(message, at=NOON, context=[("assistant", question)]).answers is answer


def test_a_request_to_forget_names_what_it_is_about() -> None:
    reading = read("Please forget what I said about my landlord.", at=NOON)
    assert any("landlord" in target.text for target in reading.targets)


def test_a_request_that_points_back_names_nothing() -> None:
    context: Turns = [("user", "I owe my cousin forty euros."), ("assistant", "Noted.")]
    reading = read("Forget that, please.", at=NOON, context=context)
    assert reading.intent is Intent.DELETE
    assert [target.text for target in reading.targets] == [""]


def test_a_statement_names_only_what_holds() -> None:
    claims = read("I moved from Halifax to Turku.", at=NOON).claims
    assert all("Halifax" not in claim.statement for claim in claims if claim.polarity == "+")


def test_facts_in_chinese_are_stated_in_chinese() -> None:
    (claim,) = read("我对青霉素过敏。", at=NOON).claims
    assert claim.statement == "用户对青霉素过敏。"
