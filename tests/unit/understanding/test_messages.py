"""What plain messages ask and state, in both languages and in both mixed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from perdure.domain.readings import Intent, Modality
from perdure.understanding import read
from perdure.understanding.reading import as_first_person

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


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Am I right that you live in Halifax?", "I live in Halifax."),
        ("So your locker is number 14, right?", "So my locker is number 14."),
        ("Are you a midwife?", "I am a midwife."),
        ("您住在烟台，对吗？", "我住在烟台。"),
        ("你是助产士吧？", "我是助产士。"),
    ],
)
def test_what_somebody_is_told_of_themselves_is_read_as_their_own_words(told, said) -> None:
    assert as_first_person(told) == said


def test_what_was_agreed_to_is_asserted() -> None:
    claims = read("Am I right that you live in Halifax?", at=NOON, addressed=True).claims
    assert [(claim.predicate, claim.object, claim.modality) for claim in claims] == [
        ("lives_in", "Halifax", Modality.ASSERTED)
    ]


@pytest.mark.parametrize(
    ("message", "modality"),
    [
        ("I'm working from home today.", Modality.TEMPORARY),
        ("We adopted a beagle today.", Modality.ASSERTED),
        ("From today the keys hang in the hall.", Modality.ASSERTED),
        ("The keys hang in the hall until Friday.", Modality.TEMPORARY),
        ("今天在家办公。", Modality.TEMPORARY),
        ("今天领养了一只比格犬。", Modality.ASSERTED),
        ("从今天起钥匙挂在门厅。", Modality.ASSERTED),
    ],
)
def test_what_happened_today_or_begins_with_it_is_not_over_tomorrow(message, modality) -> None:
    (sentence,) = read(message, at=NOON).sentences
    assert sentence.modality is modality


@pytest.mark.parametrize(
    ("message", "home"),
    [
        ("I used to live in Halifax, but I moved to Turku in spring.", "Turku"),
        ("我搬到烟台了。", "烟台"),
    ],
)
def test_where_somebody_moved_to_is_where_they_live(message, home) -> None:
    claims = read(message, at=NOON).claims
    held = [(claim.predicate, claim.object) for claim in claims if claim.polarity == "+"]
    assert held == [("lives_in", home)]


@pytest.mark.parametrize(
    "message",
    [
        "Happy Diwali to you all!",
        "Have a lovely evening",
        "Night night",
        "中秋快乐呀！",
        "祝您周末愉快",
    ],
)
def test_wishes_ask_nothing_whatever_was_said_before(message) -> None:
    context: Turns = [("user", "My stall is by the fountain."), ("assistant", "Noted.")]
    assert read(message, at=NOON, context=context).intent is Intent.NONE


def test_a_title_is_not_the_whole_name() -> None:
    (claim,) = read("My dentist is Dr. Okafor.", at=NOON).claims
    assert claim.object == "Dr. Okafor"


def test_a_sentence_that_asks_to_keep_something_names_nothing_to_lose() -> None:
    reading = read("Keep my address. Forget my shoe size.", at=NOON)
    assert [target.text for target in reading.targets] == ["my shoe size"]
    assert reading.targets[0].predicates == {"shoe_size"}


def test_the_kind_of_a_fact_about_somebody_else_is_not_the_speakers() -> None:
    reading = read("Please forget my sister's address.", at=NOON)
    assert not any(target.predicates for target in reading.targets)


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
