"""Text as it is kept, folded, compared and cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.text import fingerprint, fold, identity_text, is_blank, sanitise, truncate

texts = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", ""),
        ("plain", "plain"),
        ("tab\tand\x01control\x7f", "tab\tand\x01control\x7f"),
        ("茶 \u2028 é", "茶 \u2028 é"),
        ("a\x00b", "a\ufffdb"),
        ("\x00茶", "\ufffd茶"),
        ("\ud83d\ude00!", "😀!"),
        ("\ud83d", "\ufffd"),
        ("\ude00b", "\ufffdb"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
    ],
)
def test_only_what_no_store_can_hold_is_replaced(given, kept):
    assert sanitise(given) == kept


@given(texts)
def test_sanitised_text_can_be_stored_and_stays_as_it_is(text):
    kept = sanitise(text)
    assert kept.encode("utf-8").decode("utf-8") == kept
    assert "\x00" not in kept
    assert sanitise(kept) == kept


@pytest.mark.parametrize(
    "text", ["", " ", "\t\r\n", "\u3000", "\u200b\u200d", "\x01", "\x01 \u2028"]
)
def test_text_without_a_readable_character_is_blank(text):
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", " . ", "茶", "\u200b0", "👍", "\ufffd"])
def test_text_with_a_readable_character_is_not_blank(text):
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Kettle", "KETTLE"),
        ("café", "CAFE\u0301"),
        ("naïve", "naive"),
        ("ｗｉｄｅ　１", "wide 1"),
        ("ﬁne", "fine"),
        ("Straße", "STRASSE"),
        ("綠茶", "绿茶"),
        ("臺灣", "台湾"),
        ("㎏", "kg"),
        ("ガ", "ｶﾞ"),
    ],
)
def test_what_a_search_takes_for_the_same_folds_alike(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("茶", "荼"), ("か", "が"), ("1", "2"), ("n", "ng")])
def test_what_a_search_tells_apart_folds_apart(one, other):
    assert fold(one) != fold(other)


@given(texts.map(sanitise))
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="ascii")))
def test_the_short_way_for_plain_text_folds_as_the_long_one(text):
    assert fold(text + "é") == fold(text) + "e"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The kettle is blue.", "the KETTLE is  blue. \n"),
        ("É", "e\u0301"),
        ("Ilka IS in Brno", "ilka is in brno"),
        ("SENT TO BEN", "Sent to Ben"),
        ("the x3 is BLUE", "the x3 is blue"),
        ("THE KEY IS aB7Q", "The key is aB7Q"),
    ],
)
def test_case_and_spaces_of_ordinary_words_say_nothing(one, other):
    assert identity_text(one) == identity_text(other)
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 5.", "It costs 6."),
        ("It costs 5", "It costs -5"),
        ("I like it.", "I like it?"),
        ("I like tea", "I don't like tea"),
        ("the key is aBc", "the key is abc"),
        ("the key is aB7Q", "the key is aB7q"),
        ("the key is 7Q", "the key is 7q"),
        ("the key is X7", "the key is x7"),
        ("5 kB each", "5 kb each"),
        ("resume", "résumé"),
        ("Er trinkt in Maßen", "Er trinkt in Massen"),
        ("喝茶", "喝荼"),
        ("綠茶", "绿茶"),
        ("a b", "ab"),
        ("x²", "x2"),
        ("1,5", "1.5"),
    ],
)
def test_whatever_may_be_the_meaning_keeps_texts_apart(one, other):
    assert identity_text(one) != identity_text(other)
    assert fingerprint(one) != fingerprint(other)


@given(texts.map(sanitise))
def test_a_fingerprint_fits_a_signed_column(text):
    assert -(2**63) <= fingerprint(text) < 2**63


FAMILY, FLAG, THUMB, ACCENTED = "👩‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("kettle", 6, "kettle"),
        ("kettle", 3, "ket"),
        ("kettle", 0, ""),
        ("kettle", -1, ""),
        ("a" + ACCENTED + "b", 2, "a"),
        ("a" + ACCENTED + "b", 3, "a" + ACCENTED),
        ("a" + FAMILY, 2, "a"),
        ("a" + FAMILY, 3, "a"),
        ("a" + FAMILY, 5, "a"),
        ("a" + FAMILY + "b", 6, "a" + FAMILY),
        ("a" + FLAG, 2, "a"),
        (FLAG + FLAG, 2, FLAG),
        (FLAG + FLAG, 3, FLAG),
        ("a" + FLAG[0] + "b", 2, "a" + FLAG[0]),
        ("a" + THUMB, 2, "a"),
        ("☕\ufe0f!", 1, ""),
        ("☕\ufe0f!", 2, "☕\ufe0f"),
        (FAMILY, 1, ""),
    ],
)
def test_a_cut_never_goes_through_a_character_as_readers_see_it(text, limit, cut):
    assert truncate(text, limit) == cut


@given(texts, st.integers(-2, 30))
def test_a_cut_text_is_a_beginning_within_the_limit(text, limit):
    cut = truncate(text, limit)
    assert text.startswith(cut)
    assert len(cut) <= max(limit, 0)
