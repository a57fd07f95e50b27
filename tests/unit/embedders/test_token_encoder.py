"""The token encoder that ships: what its vectors say, and what it does not read."""

import numpy as np
import pytest

from perdure.embedders import _minilm_file
from perdure.errors import Misconfigured


@pytest.fixture(scope="module")
def encoder():
    return _minilm_file.encoder()


def nearest(encoder, word, text):
    """The word of the text that is most like the word, said alone."""
    (asked,), (told,) = encoder.encode([word], 9), encoder.encode([text], 99)
    cosines = told.rows @ asked.rows[0]
    return told.words[int(np.argmax(cosines))]


@pytest.mark.parametrize(
    ("word", "found"),
    [("automobile", "car"), ("doctor", "physician"), ("kids", "children"), ("purchased", "bought")],
)
def test_a_word_is_nearest_to_what_means_the_same(encoder, word, found):
    text = "My physician bought a red car for her children near the river."
    assert nearest(encoder, word, text) == found


def test_a_word_is_read_in_its_sentence(encoder):
    money, river, loan = encoder.encode(
        [
            "The bank raised its rates.",
            "We sat on the bank of the river.",
            "They asked for a loan.",
        ],
        30,
    )

    def of(item, word):
        return item.rows[item.words.index(word)]

    assert of(money, "bank") @ of(loan, "loan") > of(river, "bank") @ of(loan, "loan") + 0.1


def test_other_scripts_are_not_read(encoder):
    found = encoder.encode(
        ["我妹妹把工作室搬走了。", "Где живёт сестра?", "?!", "我用 Postgres"], 30
    )
    assert [len(item.rows) for item in found] == [0, 0, 0, 5]


def test_long_texts_are_read_from_the_beginning(encoder):
    (long,) = encoder.encode(["kettle " * 500], 20)
    assert len(long.rows) == 20


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "weights.npz"
    path.write_bytes(_minilm_file.PATH.read_bytes()[:-1] + b"x")
    with pytest.raises(Misconfigured, match="not the file that Perdure ships"):
        _minilm_file.read_arrays(path)
    with pytest.raises(Misconfigured, match="cannot read"):
        _minilm_file.read_arrays(tmp_path / "absent.npz")
