"""Texts that are cut so that everybody sees it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.budget import estimate_tokens
from perdure.domain.context.shortening import fair_shares, shortened, shortened_arguments


@pytest.mark.parametrize(
    ("sizes", "total", "shares"),
    [
        ([], 10, []),
        ([5, 5], 10, [5, 5]),
        ([100, 5], 50, [45, 5]),
        ([100, 100, 5], 65, [30, 30, 5]),
        ([100, 60], 50, [25, 25]),
        ([7], 0, [0]),
        ([7, 7], -3, [0, 0]),
    ],
)
def test_small_ones_get_all_they_need(sizes, total, shares):
    assert fair_shares(sizes, total) == shares


@given(st.lists(st.integers(0, 1000)), st.integers(-5, 5000))
def test_shares_are_within_sizes_and_total(sizes, total):
    shares = fair_shares(sizes, total)
    assert sum(shares) <= max(total, 0)
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))


def test_the_beginning_and_the_end_are_kept_with_a_mark_between():
    text = "Begin " + "word " * 500 + "end."
    cut = shortened(text, max_tokens=60, count=estimate_tokens)
    assert cut.startswith("Begin ")
    assert cut.endswith("end.")
    assert "characters left out" in cut
    assert 50 <= estimate_tokens(cut) <= 60


def test_the_mark_tells_how_much_is_missing():
    text = "abcdefgh " * 200
    cut = shortened(text, max_tokens=40, count=estimate_tokens)
    mark = next(line for line in cut.splitlines() if "left out" in line)
    kept = len(cut) - len(mark) - 2
    assert mark == f"[… {len(text) - kept} characters left out …]"


def test_chinese_is_cut_with_a_chinese_mark():
    cut = shortened("天气很好。" * 200, max_tokens=60, count=estimate_tokens)
    assert "此处略去" in cut
    assert estimate_tokens(cut) <= 60


def test_what_fits_stays_as_it_is():
    assert shortened("short", max_tokens=2, count=estimate_tokens) == "short"


def test_nothing_is_shown_where_not_even_the_mark_fits():
    assert shortened("word " * 100, max_tokens=3, count=estimate_tokens) is None


FAMILY = "👨‍👩‍👧"


@pytest.mark.parametrize("tokens", range(12, 60))
def test_no_emoji_is_cut_in_two(tokens):
    cut = shortened(FAMILY * 100, max_tokens=tokens, count=estimate_tokens)
    for part in (cut or "").split("\n"):
        assert "left out" in part or part.replace(FAMILY, "") == ""


@pytest.mark.parametrize("tokens", [30, 50, 200])
def test_arguments_stay_a_json_object(tokens):
    arguments = json.dumps({"query": 'say "hi"\n' * 300})
    cut = shortened_arguments(arguments, max_tokens=tokens, count=estimate_tokens)
    assert estimate_tokens(cut) <= tokens
    assert "left out" in json.loads(cut)["shortened"]


COUNTERS = [estimate_tokens, len, lambda text: len(text.encode()), lambda text: len(text.split())]


@pytest.mark.parametrize("count", COUNTERS, ids=["estimate", "characters", "bytes", "words"])
@given(text=st.text(max_size=300).map(lambda text: text * 3), limit=st.integers(0, 200))
def test_the_limit_is_kept_by_any_counter(count, text, limit):
    for cut in (
        shortened(text, max_tokens=limit, count=count),
        shortened_arguments(text, max_tokens=limit, count=count),
    ):
        assert cut is None or count(cut) <= limit
