"""When two memories say the same, and when they only look alike."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.duplicates import gist, is_near_duplicate, jaccard, repeats, restates, shingles
from perdure.domain.records import Attachment, Kind, Source, State
from perdure.testing import ILKA, NOON, a_memory

HOUR = timedelta(hours=1)
LONG = "On the first day of our long walk around the lake Ben lent Ann his old blue tent and "
LONG += "she thanked him twice before the rain came down over the hills near Brno at night"
VERY_LONG = " ".join(LONG.replace(" ", f"{letter} ") for letter in "bcd") + " " + LONG
WALK = "我们和邻居一起在湖边慢慢走了很久直到天黑以后才坐最后一班公车回到城里的新家吃饭"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The kettle is blue.", "the KETTLE is  blue"),
        ("The kettle is blue", "The kettle is really just blue!"),
        ("I like the tea", "I like tea"),
        ("A café in Brno", "a cafe in Brno"),
        ("我喜欢喝绿茶。", "我喜歡喝綠茶"),
        ("我喜欢喝绿茶", "我喜欢喝绿茶啊！"),
        ("well-known", "well known"),
        ("...", "..."),
        (LONG, LONG.replace(" and", ", and").upper()),
        ("Yesterday " + LONG, LONG + " yesterday"),
        ("昨天" + WALK, WALK + "昨天"),
    ],
)
def test_what_says_the_same_may_be_left_out(one, other):
    assert is_near_duplicate(one, other)
    assert is_near_duplicate(other, one)
    assert gist(one) == gist(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # A digit, a number, a sign, a unit.
        (LONG + " 7", LONG + " 8"),
        ("It costs 5 euro", "It costs 5.5 euro"),
        ("It is -5 outside", "It is 5 outside"),
        ("It grew 5", "It grew 5%"),
        ("It costs $5", "It costs €5"),
        ("room 12", "room 1 2"),
        # A negation.
        (LONG, LONG.replace("thanked", "never thanked")),
        ("I like coffee", "I do not like coffee"),
        ("I can swim", "I can't swim"),
        ("我喜欢咖啡", "我不喜欢咖啡"),
        ("Night deployments are allowed", "Night deployments are not allowed"),
        # A name, or two that changed places.
        (LONG, LONG.replace("Brno", "Prague")),
        (LONG, LONG.replace("Ben lent Ann", "Ann lent Ben")),
        ("Ben paid Ann", "Ann paid Ben"),
        ("张三打了李四", "李四打了张三"),
        ("from Brno to Prague", "from Prague to Brno"),
        (VERY_LONG, VERY_LONG.replace("Ben lent Ann", "Ann lent Ben")),
        ("I ran today", "today I ran"),
        # A date or time.
        ("It is on 2031-07-25", "It is on 2031-07-26"),
        ("It is on 2031-07-25", "It is on 2031-25-07"),
        ("We meet at 5:30", "We meet at 5:31"),
        ("会议在3月5日", "会议在3月6日"),
        ("会议在周五", "会议在周六"),
        # Who, and when.
        ("I like tea", "she likes tea"),
        ("I lived here", "I live here"),
        # An identifier whose case is its meaning.
        ("the key is aB7q", "the key is ab7Q"),
        ("call fooBar", "call foobar"),
        # A question is no statement.
        ("Ben lives in Brno.", "Ben lives in Brno?"),
        ("你喜欢茶。", "你喜欢茶？"),
        # A picture may be all that is said.
        ("I passed 👍", "I passed 👎"),
        ("👍", "👎"),
        ("茶", "酒"),
        ("a", "b"),
        ("", "a"),
        ("", "."),
        ("!", "."),
        ("Yesterday " + LONG, LONG + " today"),
    ],
)
def test_what_differs_in_meaning_is_never_left_out(one, other):
    assert not is_near_duplicate(one, other)
    assert not is_near_duplicate(other, one)


def test_sharing_most_shingles_is_not_enough():
    turned = VERY_LONG.replace("Ben lent Ann", "Ann lent Ben")
    assert jaccard(VERY_LONG, turned) > 0.9
    assert not is_near_duplicate(VERY_LONG, turned)


texts = st.text("ab 1茶不.?", max_size=12)


@given(texts, texts)
def test_near_duplicates_are_mutual_and_share_their_gist(one, other):
    assert is_near_duplicate(one, other) == is_near_duplicate(other, one)
    assert is_near_duplicate(one, one)
    if is_near_duplicate(one, other):
        assert gist(one) == gist(other)


def test_shingles_are_words_or_characters():
    assert shingles("The blue kettle sings") == {("blue", "kettle"), ("kettle", "sings")}
    assert shingles("喝绿茶") == {("喝", "绿", "茶")}
    assert shingles("kettle") == frozenset()


def test_jaccard_by_hand():
    # {ab, bc, cd} and {ab, bc, ce}: two shared of four.
    assert jaccard("1 2 3 4", "1 2 3 5") == pytest.approx(0.5)
    assert jaccard("kettle", "Kettle!") == 1.0
    assert jaccard("kettle", "teapot") == 0.0
    assert jaccard("kettle", "kettle sings") == 0.0


PHOTO = Attachment(media_type="image/png", digest="ab", location="x")
OLD = a_memory(
    "The kettle is blue.",
    at=NOON - HOUR,
    pinned=True,
    metadata={"a": 1, "b": [1.0]},
    attachments=(PHOTO,),
    source=Source(role="user", speaker="Ilka", message_ids=("m1",)),
)
NEW = a_memory("the  kettle is blue.", source=Source(role="user", speaker="Ilka"))


def test_nothing_is_lost_by_keeping_the_old_alone():
    assert restates(NEW, OLD, NOON)


@pytest.mark.parametrize(
    "fields",
    [
        {"metadata": {"a": 1}},
        {"metadata": {"a": 1.0, "b": [1]}},
        {"pinned": True},
        {"attachments": (PHOTO,)},
        {"importance": 0.9},
        {"valid_to": NOON + HOUR},
        {"expires_at": NOON + HOUR},
        {"source": Source(role="user", speaker="Ilka", message_ids=("m2",))},
    ],
    ids=str,
)
def test_what_the_old_has_too_adds_nothing(fields):
    assert restates(replace(NEW, **fields), OLD, NOON)


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "The kettle is blue!"},
        {"content": "The kettle is not blue."},
        {"scope": replace(ILKA, agent="a")},
        {"scope": replace(ILKA, session="s")},
        {"scope": replace(ILKA, user="ben")},
        {"scope": replace(ILKA, tenant="t")},
        {"kind": Kind.SEMANTIC},
        {"key": "kettle"},
        {"source": Source(role="assistant", speaker="Ilka")},
        {"source": Source(role="user", speaker="Ben")},
        {"subject": "user"},
        {"polarity": "-"},
        {"metadata": {"c": 1}},
        {"metadata": {"a": 2}},
        {"metadata": {"a": True}},
        {"metadata": {"a": "1"}},
        {"metadata": {"b": [True]}},
        {"attachments": (replace(PHOTO, digest="cd"),)},
        {"occurred_at": NOON - timedelta(days=1)},
        {"occurred_until": NOON + HOUR},
        {"valid_from": NOON - 2 * HOUR},
    ],
    ids=str,
)
def test_what_the_old_lacks_is_new(fields):
    assert not restates(replace(NEW, **fields), OLD, NOON)


@pytest.mark.parametrize(
    "fields",
    [
        {"state": State.FORGOTTEN},
        {"state": State.SUPERSEDED},
        {"state": State.ARCHIVED},
        {"retired_at": NOON},
        {"expires_at": NOON},
        {"expires_at": NOON + HOUR},
        {"valid_to": NOON},
        {"valid_to": NOON + HOUR},
    ],
    ids=str,
)
def test_what_no_longer_serves_does_not_stand_in_the_way(fields):
    assert not restates(NEW, replace(OLD, **fields), NOON)


def test_what_has_expired_says_nothing_even_to_what_expires_too():
    assert not restates(replace(NEW, expires_at=NOON), replace(OLD, expires_at=NOON), NOON)


def test_a_pin_is_not_lost():
    assert not restates(replace(NEW, pinned=True), replace(OLD, pinned=False), NOON)


def test_lasting_as_long_is_enough():
    old = replace(OLD, valid_to=NOON + HOUR, expires_at=NOON + HOUR)
    assert restates(replace(NEW, valid_to=NOON + HOUR, expires_at=NOON + HOUR), old, NOON)
    longer = NOON + 2 * HOUR
    assert not restates(replace(NEW, valid_to=longer, expires_at=NOON + HOUR), old, NOON)
    assert not restates(replace(NEW, valid_to=NOON + HOUR, expires_at=longer), old, NOON)


def test_a_compressed_memory_still_says_what_it_says():
    assert restates(NEW, replace(OLD, state=State.COMPRESSED), NOON)


def test_the_same_stated_time_is_the_same_event():
    event = {"occurred_at": NOON - timedelta(days=3), "occurred_until": NOON - timedelta(days=2)}
    assert restates(replace(NEW, **event), replace(OLD, **event), NOON)


def test_of_two_told_at_once_the_one_told_first_need_not_be_stored_first():
    early, late = a_memory(at=NOON), a_memory(at=NOON + timedelta(milliseconds=3))
    assert restates(early, late, NOON + HOUR)
    assert not restates(replace(early, recorded_at=NOON + HOUR), late, NOON + HOUR)


def test_an_answer_gains_nothing_from_a_repetition():
    assert repeats(a_memory(), a_memory("the kettle is really blue"))


@pytest.mark.parametrize(
    "fields",
    [
        {"content": "The kettle is red."},
        {"valid_to": NOON + HOUR},
        {"metadata": {"a": 1}},
        {"source": Source(speaker="Ben")},
        {"subject": "user"},
        {"polarity": "-"},
        {"occurred_at": NOON - HOUR},
        {"occurred_until": NOON + HOUR, "occurred_at": NOON - HOUR},
    ],
    ids=str,
)
def test_an_answer_keeps_what_is_another_memory(fields):
    assert not repeats(a_memory(), a_memory(**{"content": "The kettle is blue.", **fields}))


def test_recordings_of_different_days_repeat_each_other():
    assert repeats(a_memory(), a_memory(at=NOON - timedelta(days=3)))
