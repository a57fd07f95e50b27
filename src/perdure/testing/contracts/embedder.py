"""What every embedder must do.

Inherit, provide the embedder, and let pytest collect the class:

    class TestMyEmbedder(EmbedderContract):
        @pytest.fixture
        def embedder(self) -> Embedder:
            return MyEmbedder()

The tests are ordinary functions. An embedder that says `is_blocking` is run in the calling thread
without an event loop, any other under `asyncio.run`, in a new loop each time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from perdure.ports.blocking import is_blocking, run_now
from perdure.ports.embedder import Embedder, FloatArray, Purpose, TokenRows, tokens_of

EVERYDAY = (
    "My sister moved the workshop to the old harbour.",
    "我妹妹把工作室搬到了老港口。",
    "Der Zug nach Wien fährt um sechs.",
    "Tickets cost €12.50 (or 90 % less for members).",
)
UNUSUAL = {
    "empty": "",
    "a space": " ",
    "white space": "\t\n \u3000",
    "punctuation": "?!… —",
    "emoji": "👩‍👩‍👧 🎉",
    "a NUL": "before\x00after",
    "control characters": "\x01\x1b[31m",
    "a lone high surrogate": "half \ud83d of it",
    "a lone low surrogate": "\udc00",
    "only surrogates": "\udfff\ud800",
    "right to left": "שלום עולם",
    "combining marks": "Z̷̛̘a͠l̴g̸o",
    "private use": "\ue000\U0010fffd",
    "an unassigned code point": "\u0378",
    "one character": "猫",
}
SIMILAR = ("The cat sleeps on the radiator.", "The cat is sleeping on the radiator again.")
DISTANT = "Quarterly revenue grew faster than analysts had forecast."


class EmbedderContract:
    """The tests. A subclass provides the fixture `embedder`."""

    tolerance: float = 1e-4
    """How far two vectors of the same text may be apart, in any component."""

    knows_similarity: bool = True
    """Whether a paraphrase in nearly the same words must be nearer than an unrelated text."""

    def vectors(
        self, embedder: Embedder, texts: Sequence[str], purpose: Purpose = "document"
    ) -> FloatArray:
        """The rows of the texts, in the way the embedder wants to be run."""
        if is_blocking(embedder):
            return run_now(embedder.embed(texts, purpose=purpose))
        return asyncio.run(_awaited(embedder, texts, purpose))

    def require_good_rows(self, rows: FloatArray, embedder: Embedder, count: int) -> None:
        """Fail unless there are `count` float32 rows of unit length."""
        assert isinstance(rows, np.ndarray)
        assert rows.dtype == np.float32
        assert rows.shape == (count, embedder.model.dimension)
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
        assert np.allclose(lengths, 1.0, atol=1e-4), f"lengths {lengths.min()} to {lengths.max()}"

    def require_same(self, rows: FloatArray, others: FloatArray) -> None:
        """Fail unless the rows agree within the tolerance."""
        assert rows.shape == others.shape
        difference = np.abs(rows - others).max(initial=0.0)
        assert difference <= self.tolerance, f"components differ by {difference}"

    def test_every_text_has_one_row_of_unit_length(self, embedder: Embedder) -> None:
        rows = self.vectors(embedder, EVERYDAY)
        self.require_good_rows(rows, embedder, len(EVERYDAY))

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        for purpose in ("query", "document"):
            rows = self.vectors(embedder, [], purpose)
            self.require_good_rows(rows, embedder, 0)

    def test_the_model_names_itself_and_stays_the_same(self, embedder: Embedder) -> None:
        before = embedder.model
        self.vectors(embedder, EVERYDAY[:1])
        assert embedder.model == before
        assert before.name
        assert before.dimension >= 1
        assert before.max_tokens is None or before.max_tokens >= 1

    def tokens(
        self, embedder: Embedder, texts: Sequence[str], purpose: Purpose = "document"
    ) -> list[TokenRows]:
        """The vectors of the texts' words; a model that declares none skips the test."""
        if embedder.model.tokens is None:
            pytest.skip("its model declares no vectors of words")
        call = tokens_of(embedder, texts, purpose=purpose)
        return run_now(call) if is_blocking(embedder) else asyncio.run(call)

    def require_good_tokens(self, found: Sequence[TokenRows], embedder: Embedder) -> None:
        """Fail unless each has a unit row of the promised dimension for every piece."""
        assert embedder.model.tokens is not None
        for item in found:
            assert item.rows.dtype == np.float32
            assert item.rows.shape == (len(item.words), embedder.model.tokens.dimension)
            assert np.allclose(np.linalg.norm(item.rows, axis=1), 1.0, atol=1e-4)

    def test_every_word_has_a_vector_of_unit_length(self, embedder: Embedder) -> None:
        found = self.tokens(embedder, EVERYDAY)
        assert len(found) == len(EVERYDAY)
        self.require_good_tokens(found, embedder)
        assert any(len(item.rows) for item in found)
        assert self.tokens(embedder, []) == self.tokens(embedder, [], "query") == []

    def test_any_text_has_vectors_of_words_or_none(self, embedder: Embedder) -> None:
        for purpose in ("query", "document"):
            found = self.tokens(embedder, [*UNUSUAL.values(), "long " * 5_000], purpose)
            assert len(found) == len(UNUSUAL) + 1
            self.require_good_tokens(found, embedder)

    def test_words_have_the_same_vectors_alone_and_in_company(self, embedder: Embedder) -> None:
        together = self.tokens(embedder, [*EVERYDAY, EVERYDAY[0]])
        alone = [self.tokens(embedder, [text])[0] for text in (*EVERYDAY, EVERYDAY[0])]
        for one, other in zip(together, alone, strict=True):
            assert one.words == other.words
            self.require_same(one.rows, other.rows)

    def test_the_calibration_rises(self, embedder: Embedder) -> None:
        anchors = embedder.model.calibration.anchors
        assert list(anchors) == sorted(anchors)
        relevances = [relevance for _, relevance in anchors]
        assert relevances == sorted(relevances)
        assert relevances[0] >= 0.0
        assert relevances[-1] <= 1.0

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        rows = self.vectors(embedder, EVERYDAY)
        cosines = rows @ rows.T
        assert cosines[~np.eye(len(EVERYDAY), dtype=bool)].max() < 0.999

    def test_the_same_text_has_the_same_vector(self, embedder: Embedder) -> None:
        first = self.vectors(embedder, EVERYDAY)
        self.require_same(self.vectors(embedder, EVERYDAY), first)

    def test_rows_keep_the_order_of_the_texts(self, embedder: Embedder) -> None:
        rows = self.vectors(embedder, EVERYDAY)
        self.require_same(self.vectors(embedder, EVERYDAY[::-1]), rows[::-1])

    def test_a_batch_gives_what_single_calls_give(self, embedder: Embedder) -> None:
        texts = [*EVERYDAY, *UNUSUAL.values()]
        together = self.vectors(embedder, texts)
        single = np.concatenate([self.vectors(embedder, [text]) for text in texts])
        self.require_same(together, single)

    def test_a_repeated_text_has_a_row_for_each_time(self, embedder: Embedder) -> None:
        one, other = EVERYDAY[:2]
        rows = self.vectors(embedder, [one, other, one, one])
        self.require_good_rows(rows, embedder, 4)
        self.require_same(rows[[2, 3]], rows[[0, 0]])
        assert np.abs(rows[1] - rows[0]).max() > self.tolerance

    def test_many_texts_in_one_call(self, embedder: Embedder) -> None:
        texts = [f"Box {number} stands in row {number % 7}." for number in range(300)]
        rows = self.vectors(embedder, texts)
        self.require_good_rows(rows, embedder, 300)
        some = [0, 137, 299]
        self.require_same(rows[some], self.vectors(embedder, [texts[i] for i in some]))

    def test_unusual_texts_have_unit_vectors(self, embedder: Embedder) -> None:
        for what, text in UNUSUAL.items():
            for purpose in ("query", "document"):
                try:
                    rows = self.vectors(embedder, [text], purpose)
                except Exception as error:
                    raise AssertionError(f"{what} as a {purpose}: {error!r}") from error
                self.require_good_rows(rows, embedder, 1)

    def test_a_long_text_has_a_unit_vector(self, embedder: Embedder) -> None:
        for sentence in EVERYDAY[:2]:
            rows = self.vectors(embedder, [sentence * 3000, sentence])
            self.require_good_rows(rows, embedder, 2)

    def test_both_purposes_are_served(self, embedder: Embedder) -> None:
        queries = self.vectors(embedder, EVERYDAY, "query")
        self.require_good_rows(queries, embedder, len(EVERYDAY))
        if getattr(embedder, "is_symmetric", False):
            self.require_same(queries, self.vectors(embedder, EVERYDAY, "document"))

    def test_rows_belong_to_the_caller(self, embedder: Embedder) -> None:
        rows = self.vectors(embedder, EVERYDAY)
        kept = rows.copy()
        if rows.flags.writeable:
            rows[:] = 0.0
        self.require_same(self.vectors(embedder, EVERYDAY), kept)

    def test_texts_may_come_as_any_sequence(self, embedder: Embedder) -> None:
        as_list = list(EVERYDAY)
        rows = self.vectors(embedder, as_list)
        assert as_list == list(EVERYDAY)
        self.require_same(self.vectors(embedder, tuple(EVERYDAY)), rows)

    def test_threads_may_call_at_once(self, embedder: Embedder) -> None:
        expected = self.vectors(embedder, EVERYDAY)

        def ask(number: int) -> FloatArray:
            purpose: Purpose = "query" if number % 2 else "document"
            return self.vectors(embedder, EVERYDAY, purpose)

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(ask, range(32)))
        documents = answers[::2] + (answers if getattr(embedder, "is_symmetric", False) else [])
        for rows in documents:
            self.require_same(rows, expected)

    def test_a_paraphrase_is_nearer_than_an_unrelated_text(self, embedder: Embedder) -> None:
        if not self.knows_similarity:
            return
        one, paraphrase, unrelated = self.vectors(embedder, [*SIMILAR, DISTANT])
        assert float(one @ paraphrase) > float(one @ unrelated) + 0.1


async def _awaited(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> FloatArray:
    return await embedder.embed(texts, purpose=purpose)
