"""The second look, through the public calls: vectors of words follow every way of writing."""

import asyncio

import numpy as np
import pytest

import perdure
from perdure import EmbeddingModel, TokenModel, TokenRows
from perdure.testing import HashingEmbedder
from tests.acceptance.test_archive import LONG

SENTENCES = HashingEmbedder(64)
SAME = {"automobile": "car", "physician": "doctor"}


class WordsEmbedder:
    """Vectors of sentences by hashing; of words one direction each, the same for synonyms."""

    is_blocking = True

    def __init__(self, *, makes_tokens=True, version="1"):
        self.makes_tokens = makes_tokens
        self.version = version
        self.told = []

    @property
    def model(self):
        return EmbeddingModel(
            name="words",
            dimension=64,
            tokens=TokenModel(name="letters", dimension=32, version=self.version)
            if self.makes_tokens
            else None,
        )

    async def embed(self, texts, *, purpose):
        return await SENTENCES.embed(texts, purpose=purpose)

    async def embed_tokens(self, texts, *, purpose):
        if purpose == "document":
            self.told += texts
        return [self._rows(text) for text in texts]

    def _rows(self, text):
        words = tuple(word.strip(".?:").lower() for word in text.split() if word.isascii())
        rows = np.zeros((len(words), 32), dtype=np.float32)
        for row, word in zip(rows, words, strict=True):
            generator = np.random.default_rng(list(SAME.get(word, word).encode()))
            row[:] = generator.normal(size=32)
            row /= np.linalg.norm(row)
        return TokenRows(words=words, rows=rows)


def arms(memory, question):
    """What each arm says, by content."""
    return {hit.memory.content: hit.explanation.arms for hit in memory.recall(question)}


def tokens_of(memory, question):
    return {content: found.get("tokens") for content, found in arms(memory, question).items()}


@pytest.fixture(params=["memory://", "file"])
def url(request, tmp_path):
    return request.param if request.param == "memory://" else tmp_path / "m.db"


def test_a_word_that_means_the_same_lifts_a_memory(url):
    with perdure.open(url, embedder=WordsEmbedder()) as memory:
        memory.remember("The old automobile stands outside.", understand=False)
        memory.remember("The old piano stands outside.", understand=False)
        first, second = memory.recall("Which car stands outside?")
        assert first.memory.content == "The old automobile stands outside."
        assert first.explanation.arms["tokens"] > second.explanation.arms["tokens"]
        for hit in (first, second):
            assert hit.explanation.recomputed() == hit.explanation.score == hit.score


def test_every_way_of_writing_makes_them(url, tmp_path):
    embedder = WordsEmbedder()
    with perdure.open(url, embedder=embedder) as memory:
        one = memory.remember("The blue kettle whistles.", understand=False).memory
        memory.remember_many([{"content": "A green kettle leaks.", "source": {"speaker": "Ann"}}])
        memory.observe([{"role": "user", "name": "Ben", "content": "My kettle broke on Monday."}])
        memory.update(one.id, content="The red kettle whistles.")
        memory.export(tmp_path / "out.jsonl")
        found = tokens_of(memory, "Which kettle whistles?")
        assert None not in found.values()
        assert {"The red kettle whistles.", "A green kettle leaks."} <= found.keys()
        assert {"Ann: A green kettle leaks.", "Ben: My kettle broke on Monday."} <= {*embedder.told}
        forgotten = memory.forget(one.id)
        assert forgotten
        memory.restore(one.id)
        assert tokens_of(memory, "Which kettle whistles?")["The red kettle whistles."] is not None
    with perdure.open("memory://", embedder=WordsEmbedder()) as other:
        other.import_(tmp_path / "out.jsonl")
        assert None not in tokens_of(other, "Which kettle whistles?").values()


def test_a_memory_that_comes_back_from_the_archive_has_them_again(url):
    embedder = WordsEmbedder()
    with perdure.open(url, embedder=embedder) as memory:
        note = memory.remember(
            "A green kettle leaks.", source={"speaker": "Ann"}, understand=False
        ).memory
        before = arms(memory, "Which kettle leaks?")
        memory.archive(note.id)
        embedder.told.clear()
        memory.restore(note.id)
        assert embedder.told == ["Ann: A green kettle leaks."]
        assert arms(memory, "Which kettle leaks?") == before
        assert memory.reembed().embedded == 0


def test_a_memory_comes_back_also_while_no_vectors_of_words_are_made(url, monkeypatch):
    with perdure.open(url, embedder=WordsEmbedder()) as memory:
        note = memory.remember("A green kettle leaks.", understand=False).memory
        memory.archive(note.id)

        async def out_of_reach(*_, **__):
            raise perdure.Unavailable("no network")

        with monkeypatch.context() as patch:
            patch.setattr(WordsEmbedder, "embed_tokens", out_of_reach)
            memory.restore(note.id)
        said = arms(memory, "Which kettle leaks?")["A green kettle leaks."]
        assert said["vector"] > 0
        assert "tokens" not in said
        assert memory.reembed().embedded == 1
        assert tokens_of(memory, "Which kettle leaks?")["A green kettle leaks."] is not None


def test_the_summary_of_a_compressed_memory_has_them(url):
    embedder = WordsEmbedder()
    with perdure.open(url, embedder=embedder) as memory:
        note = memory.remember(LONG, source={"speaker": "Ann"}, understand=False).memory
        memory.compress(note.id)
        short = memory.get(note.id).content
        assert embedder.told[-1] == f"Ann: {short}"
        assert tokens_of(memory, "Where is the workshop?")[short] is not None


def test_a_store_made_without_gets_them_by_reembedding(tmp_path):
    path = tmp_path / "m.db"
    with perdure.open(path, embedder=WordsEmbedder(makes_tokens=False)) as memory:
        memory.remember("The old automobile stands outside.", understand=False)
    with perdure.open(path, embedder=WordsEmbedder()) as memory:
        assert tokens_of(memory, "Which car stands?") == {
            "The old automobile stands outside.": None
        }
        assert memory.reembed().embedded == 1
        assert memory.reembed().embedded == 0
        (said,) = tokens_of(memory, "Which car stands?").values()
        assert said > 0
    with perdure.open(path, embedder=WordsEmbedder(version="2")) as memory:
        assert list(tokens_of(memory, "Which car stands?").values()) == [None]
        assert memory.reembed().embedded == 1
        assert None not in tokens_of(memory, "Which car stands?").values()
    with perdure.open(path, embedder=WordsEmbedder(makes_tokens=False)) as memory:
        assert len(memory.recall("Which automobile stands?")) == 1


def test_earlier_words_are_not_compared_with_the_vectors_of_later_ones(url, tmp_path):
    from datetime import UTC, datetime, timedelta

    from perdure.testing import FakeClock

    clock = FakeClock(datetime(2031, 1, 1, tzinfo=UTC))
    with perdure.open(url, embedder=WordsEmbedder(), clock=clock) as memory:
        kept = memory.remember("A red kettle whistles.", understand=False).memory
        clock.advance(timedelta(days=1))
        before = clock.now()
        clock.advance(timedelta(days=1))
        memory.update(kept.id, content="A red piano whistles.")
        (hit,) = memory.recall("Which kettle whistles?", known_as_of=before)
        assert hit.memory.content == "A red kettle whistles."
        assert "tokens" not in hit.explanation.arms


def test_the_asynchronous_client_looks_again_too(tmp_path):
    async def asked():
        async with await perdure.open_async(tmp_path / "m.db", embedder=WordsEmbedder()) as memory:
            await memory.remember("The old automobile stands outside.", understand=False)
            return await memory.recall("Which car stands outside?")

    (hit,) = asyncio.run(asked())
    assert hit.explanation.arms["tokens"] > 0


def test_rows_that_were_not_promised_are_refused():
    class Wrong(WordsEmbedder):
        async def embed_tokens(self, texts, *, purpose):
            return [TokenRows(words=("a",), rows=np.ones((1, 5), dtype=np.float32))] * len(texts)

    class Absent(WordsEmbedder):
        embed_tokens = None

    for embedder, what in ((Wrong(), "32"), (Absent(), "embed_tokens")):
        with (
            perdure.open("memory://", embedder=embedder) as memory,
            pytest.raises(perdure.Misconfigured, match=what),
        ):
            memory.remember("A kettle.", understand=False)
