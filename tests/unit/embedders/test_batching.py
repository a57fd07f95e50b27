from __future__ import annotations

import pytest

from perdure.domain.budget import estimate_tokens
from perdure.embedders._batching import batches, shortened


def packed(texts: list[str], *, most_texts: int = 100, most_tokens: int = 1000) -> list[list[str]]:
    found = batches(texts, most_texts=most_texts, most_tokens=most_tokens)
    return [list(batch) for batch in found]


def test_no_texts_make_no_batch() -> None:
    assert packed([]) == []


def test_a_batch_holds_at_most_so_many_texts() -> None:
    assert packed(list("abcde"), most_texts=2) == [["a", "b"], ["c", "d"], ["e"]]


def test_a_batch_holds_at_most_so_many_tokens() -> None:
    # Four characters of Latin script are one token, one Chinese character is one as well.
    texts = ["x" * 40, "x" * 40, "中" * 10, "x" * 40]
    assert [len(batch) for batch in packed(texts, most_tokens=30)] == [3, 1]
    assert [len(batch) for batch in packed(["x" * 40] * 7, most_tokens=30)] == [3, 3, 1]


def test_a_text_too_long_by_itself_is_alone() -> None:
    assert packed(["a", "x" * 4000, "b"], most_tokens=100) == [["a"], ["x" * 4000], ["b"]]


@pytest.mark.parametrize(
    "text", ["word " * 500, "中文" * 500, "中文 and words " * 200, "👩‍👩‍👧" * 300]
)
def test_a_shortened_text_fits_and_is_a_beginning(text: str) -> None:
    short = shortened(text, 100)
    assert text.startswith(short)
    assert 90 <= estimate_tokens(short) <= 100


def test_a_text_that_fits_stays_as_it_is() -> None:
    text = "x" * 400
    assert shortened(text, 100) is text
