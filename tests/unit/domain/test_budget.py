"""Token estimates, packing, and the pieces of a long text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.budget import estimate_tokens, pack, pieces_of

SENTENCES = ["The kettle is blue.", "It stands by the lake!", "绿茶很好喝。", "Why?", "x" * 90]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fives", 2),
        ("绿茶", 2),
        ("绿茶 tea", 3),
        ("ありがとう", 5),
        ("ไทย", 3),
        ("👍", 1),
        ("привет", 3),
        ("é", 1),
    ],
)
def test_tokens_are_estimated_by_script(text, tokens):
    assert estimate_tokens(text) == tokens


@given(st.text(min_size=1))
def test_no_text_is_free(text):
    assert estimate_tokens(text) >= 1


def test_pieces_are_taken_in_order_while_they_fit():
    assert pack(["aa", "bbbb", "cc"], max_tokens=5, count=len) == [0, 2]
    assert pack(["aa", "bb"], max_tokens=4, count=len) == [0]
    assert pack(["aa", "bb"], max_tokens=5, count=len) == [0, 1]
    assert pack(["aa", "bb"], max_tokens=4, count=len, separator="") == [0, 1]
    assert pack(["toolong"], max_tokens=3, count=len) == []
    assert pack([], max_tokens=3, count=len) == []


@given(st.lists(st.text(max_size=12), max_size=8), st.integers(0, 40))
def test_a_packed_text_fits_its_budget(pieces, budget):
    chosen = pack(pieces, max_tokens=budget, count=estimate_tokens)
    assert chosen == sorted(set(chosen))
    assert estimate_tokens("\n".join(pieces[place] for place in chosen)) <= budget


def test_a_short_text_is_one_piece():
    assert pieces_of("The kettle is blue.", whole_tokens=100, piece_tokens=20) == [
        "The kettle is blue."
    ]


def test_a_longer_text_is_cut_between_sentences_and_kept_whole():
    text = "The kettle is blue. It stands by the lake! 绿茶很好喝。Why?"
    assert pieces_of(text, whole_tokens=100, piece_tokens=8) == [
        text,
        "The kettle is blue.",
        "It stands by the lake!",
        "绿茶很好喝。 Why?",
    ]
    assert pieces_of(text, whole_tokens=10, piece_tokens=8)[0] == "The kettle is blue."


def test_a_text_without_sentences_is_cut_at_spaces():
    text = " ".join(["elephant", "ox", "kangaroo"] * 15)
    pieces = pieces_of(text, whole_tokens=1, piece_tokens=10)
    assert " ".join(" ".join(pieces).split()) == text
    assert len(pieces) > 5


@given(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=20),
    st.sampled_from(["", " ", "\n"]),
    st.integers(2, 40),
)
def test_pieces_are_small_enough_and_lose_nothing(sentences, separator, size):
    text = separator.join(sentences)
    pieces = pieces_of(text, whole_tokens=0, piece_tokens=size)
    assert all(estimate_tokens(piece) <= size for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
