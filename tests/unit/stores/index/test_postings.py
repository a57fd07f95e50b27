"""Which memory holds which term how often."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from perdure.stores._index.postings import Postings, counted

TEXTS = st.lists(st.lists(st.integers(0, 12), max_size=8), max_size=12)


def added(postings, first, texts):
    rows = np.repeat(np.arange(first, first + len(texts), dtype=np.int32), [len(t) for t in texts])
    terms = np.array([term for text in texts for term in text], dtype=np.uint32)
    return postings.with_added(counted(terms, rows))


def told(postings, term):
    return {
        int(row): int(count)
        for rows, counts in postings.of([term])[0]
        for row, count in zip(rows, counts, strict=True)
    }


@given(st.lists(TEXTS, max_size=6))
def test_every_occurrence_is_counted_however_it_came(batches):
    postings, texts = Postings(), []
    for batch in batches:
        postings = added(postings, len(texts), batch)
        texts += batch
    for term in range(13):
        expected = {row: Counter(text)[term] for row, text in enumerate(texts) if term in text}
        assert told(postings, term) == expected
        assert sum(len(rows) for rows, _ in postings.of([term])[0]) == len(expected)


def test_large_codes_keep_apart():
    postings = added(Postings(), 0, [[0xFFFFFFFF, 0xFFFFFFFE], [0xFFFFFFFF]])
    assert told(postings, 0xFFFFFFFF) == {0: 1, 1: 1}
    assert told(postings, 0xFFFFFFFE) == {0: 1}


def test_what_was_given_out_does_not_change():
    before = added(Postings(), 0, [[1, 2]])
    segments = before.segments
    added(before, 1, [[1]])
    assert before.segments is segments
    assert told(before, 1) == {0: 1}


def test_there_are_few_segments_however_many_rows_came_one_by_one():
    postings = Postings()
    for row in range(3_000):
        postings = added(postings, row, [list(range(row % 7, row % 7 + 5))])
    assert len(postings.segments) <= 6
