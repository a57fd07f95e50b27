"""From text to index terms, alike on both sides of a comparison."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.analysis import lexemes, query_lexemes

WORDS = [
    "kettle",
    "ERR-7Q41-LX",
    "don't",
    "c++",
    "a_b.c",
    "绿茶",
    "我",
    "的",
    "é",
    "👍",
    "3",
    "日本語",
    "ไทย",
]
sentences = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=8).map(" ".join)


def finds(question: str, text: str) -> bool:
    return bool(set(query_lexemes(question)) & set(lexemes(text)))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("kettles", "a kettle"),
        ("running", "she runs"),
        ("KETTLE", "kettle"),
        ("cafe", "a café"),
        ("ERR-7Q41-LX", "saw err-7q41-lx."),
        ("7q41", "saw ERR-7Q41-LX."),
        ("ERR", "saw ERR-7Q41-LX."),
        ("ilka@example.org", "write to Ilka@Example.org!"),
        ("v2.10", "since v2.10"),
        ("c++", "she writes C++"),
        ("c#", "she writes C#"),
        ("o'neil", "Mr O’Neil"),
        ("茶", "我喜欢喝绿茶"),
        ("绿茶", "我喜歡喝綠茶"),
        ("綠茶", "我喜欢喝绿茶"),
        ("3月", "三月还是３月"),
        ("日本", "日本語"),
        ("語", "日本語"),
        ("한국", "한국어"),
        ("👍", "fine👍"),
        ("𠮷", "𠮷野家"),
        ("Google", "我在Google工作"),
        ("工作", "我在Google工作"),
    ],
)
def test_a_question_finds_what_it_means(question, text):
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("kettle", "teapot"),
        ("绿色", "蓝茶"),
        ("7q4", "ERR-7Q41-LX"),
        ("ketl", "kettle"),
        ("c", "lx"),
        ("where is the kettle", "where is the teapot"),
        ("他在哪", "我在这里"),
    ],
)
def test_a_question_does_not_find_anything_else(question, text):
    assert not finds(question, text)


def test_terms_are_counted_with_their_repeats():
    assert len(lexemes("kettle kettles kettle")) == 3
    assert len(set(lexemes("kettle kettles kettle"))) == 1


def test_a_run_without_spaces_gives_characters_and_pairs():
    assert len(lexemes("喝绿茶")) == 5
    assert set(lexemes("喝绿茶")) == set(lexemes("喝 绿 茶")) | set(query_lexemes("喝绿茶"))


def test_an_identifier_gives_itself_and_its_parts():
    assert len(set(lexemes("ERR-7Q41-LX"))) == 4


@pytest.mark.parametrize("name", ["C++", "C#", "茶 C++", "茶 C#"])
def test_the_name_of_a_language_is_a_term_of_its_own(name):
    assert set(query_lexemes(name)) - set(lexemes("c 茶"))
    assert set(query_lexemes(name)) <= set(lexemes(f"she writes {name} well"))


def test_stop_words_are_not_looked_for_unless_there_is_nothing_else():
    assert query_lexemes("the kettle") == query_lexemes("kettle")
    assert query_lexemes("to be or not to be") != ()
    assert query_lexemes("的茶") == query_lexemes("茶") + query_lexemes("的茶")[1:]
    assert query_lexemes("的") != ()


def test_a_question_names_each_term_once_in_order():
    terms = query_lexemes("blue kettle blue")
    assert terms == (*query_lexemes("blue"), *query_lexemes("kettle"))


@pytest.mark.parametrize("text", ["", " ", "!?", "---", "\u200b"])
def test_text_without_words_has_no_terms(text):
    assert lexemes(text) == []
    assert query_lexemes(text) == ()


@given(sentences)
def test_every_term_of_a_question_is_a_term_of_the_same_text(text):
    assert set(query_lexemes(text)) <= set(lexemes(text))


@given(sentences)
def test_terms_are_unsigned_32_bit_numbers(text):
    assert all(0 <= code < 2**32 for code in lexemes(text))


@given(st.text(st.characters(codec="ascii")))
def test_the_short_way_for_plain_text_gives_the_same_terms(text):
    assert lexemes(text + " 茶") == lexemes(text) + lexemes("茶")
