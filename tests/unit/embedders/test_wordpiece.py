"""Cutting words into the pieces of a vocabulary."""

import pytest

from perdure.embedders._wordpiece import WordPieces, words_of

VOCABULARY = ["[UNK]", "play", "##ing", "##er", "the", "##s", "?", "猫", "un", "##play"]
PIECES = WordPieces(VOCABULARY)


def cut(text, most=99):
    return [VOCABULARY[number] for number in PIECES.of(text, most=most).numbers]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("playing", ["play", "##ing"]),
        ("The PLAYERS?", ["the", "play", "##er", "##s", "?"]),
        ("unplay", ["un", "##play"]),
        ("plays zebra", ["play", "##s", "[UNK]"]),
        ("playz", ["[UNK]"]),
        ("猫猫", ["猫", "猫"]),
        ("pláying", ["play", "##ing"]),
        ("a" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_the_longest_known_piece_is_taken_first(text, pieces):
    assert cut(text) == pieces
    assert cut(text) == pieces  # and again, from what is kept


def test_each_piece_knows_its_word():
    assert PIECES.of("the players", most=9).words == ("the", "players", "players", "players")


def test_no_more_pieces_than_asked_for():
    assert cut("playing the players", most=3) == ["play", "##ing", "the"]
    assert len(PIECES.of("playing the players", most=3).words) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop, O'Neil!", ["don", "'", "t", "stop", ",", "o", "'", "neil", "!"]),
        ("Café\u00a0crème—brûlée", ["cafe", "creme", "—", "brulee"]),
        ("水壶 kettle", ["水", "壶", "kettle"]),
        ("a\tb\u200bc", ["a", "bc"]),
        ("snake_case", ["snake", "_", "case"]),
    ],
)
def test_words_are_lower_case_without_accents_and_marks_apart(text, words):
    assert words_of(text) == words
