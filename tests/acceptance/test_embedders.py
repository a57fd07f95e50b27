"""Vectors of two models are never mixed, and a store moves from one to the other while in use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

import perdure
from perdure import (
    EmbedderMismatch,
    EmbedderRejected,
    EmbedderUnavailable,
    EmbeddingModel,
    Misconfigured,
    Settings,
)
from perdure.ports.blocking import run_now
from perdure.testing import HashingEmbedder, ScriptedEmbedder
from tests.acceptance.embedders import CountingEmbedder, FlakyEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import everything_in, ids, texts

NOTES = 50


class Waiting(CountingEmbedder):
    """Embeds documents one batch at a time, each when it is told to."""

    def __init__(self, dimension):
        super().__init__(dimension)
        self.may_go, self.has_come = Event(), Event()

    is_blocking = True

    async def embed(self, texts, *, purpose):
        if purpose == "document":
            self.has_come.set()
            assert self.may_go.wait(20)
        return await super().embed(texts, purpose=purpose)


def filled(home, dimension=64):
    """A closed store with notes, as they were."""
    with home.open(embedder=HashingEmbedder(dimension)) as memory:
        memory.remember_many(
            [{"content": f"Note {n} about the loom", "understand": False} for n in range(NOTES)]
        )
        return everything_in(memory)


def arms(memory, question="Note 7 about the loom"):
    return memory.recall(question)[0].explanation.arms


def test_the_width_is_the_embedders(home):
    embedder = HashingEmbedder(96)
    memory = home.open(embedder=embedder)
    memory.remember("The loom is warped")
    assert memory.stats().embedding_model == "hashing@1/96"
    [vector] = run_now(embedder.embed(["the loom is warped"], purpose="query"))
    assert len(memory.recall(vector)) == 1
    with pytest.raises(perdure.InvalidInput, match="96"):
        memory.recall([1.0] * 64)


@pytest.mark.parametrize(
    "other", [HashingEmbedder(96), ScriptedEmbedder({"a": [1.0] * 64})], ids=["width", "name"]
)
def test_another_model_is_refused_at_opening_with_the_remedy(lasting_home, other):
    before = filled(lasting_home)
    with pytest.raises(EmbedderMismatch) as raised:
        lasting_home.open(embedder=other)
    assert "hashing@1/64" in str(raised.value)
    assert other.model.identity in str(raised.value)
    assert "reembed" in str(raised.value)
    memory = lasting_home.open(embedder=HashingEmbedder(64))
    assert everything_in(memory) == before
    assert arms(memory)["vector"] == pytest.approx(1.0, abs=1e-3)


def test_a_store_opened_without_an_embedder_can_be_read_and_written(lasting_home):
    filled(lasting_home)
    with lasting_home.open(embedder="off") as memory:
        assert texts(memory.recall("note 7 loom"))[0] == "Note 7 about the loom"
        memory.remember("Note 50 about the loom")
    memory = lasting_home.open(embedder=HashingEmbedder(64))
    assert memory.stats().without_vector == 1
    memory.verify()
    assert memory.stats().without_vector == 0


def test_reembedding_keeps_ids_times_and_versions(lasting_home):
    before = filled(lasting_home)
    with lasting_home.open(embedder="off") as memory:
        journal = len(memory.changes())
        given = memory.reembed(HashingEmbedder(96))
        assert (given.model, given.embedded, given.remaining) == ("hashing@1/96", NOTES, 0)
        assert everything_in(memory) == before
        assert len(memory.changes()) == journal
        assert arms(memory)["vector"] == pytest.approx(1.0, abs=1e-3)
    memory = lasting_home.open(embedder=HashingEmbedder(96))
    assert arms(memory)["vector"] == pytest.approx(1.0, abs=1e-3)
    with pytest.raises(EmbedderMismatch):
        lasting_home.open(embedder=HashingEmbedder(64))


def test_reembedding_needs_an_embedder(home):
    memory = home.open(embedder="off")
    memory.remember("A note")
    with pytest.raises(Misconfigured, match="embedder"):
        memory.reembed()


def test_reembedding_by_the_present_model_changes_nothing(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    memory.remember("A note")
    calls = embedder.calls
    assert memory.reembed().embedded == 0
    assert embedder.calls == calls


def test_reads_go_on_by_words_until_a_memory_has_its_new_vector(lasting_home):
    filled(lasting_home)
    memory = lasting_home.open(embedder="off")
    target = Waiting(96)
    with ThreadPoolExecutor(1) as pool:
        moving = pool.submit(memory.reembed, target)
        assert target.has_come.wait(20)
        hit = memory.recall("note 7 loom")[0]
        assert hit.memory.content == "Note 7 about the loom"
        assert "vector" not in hit.explanation.arms
        target.may_go.set()
        assert moving.result(30).remaining == 0
    assert arms(memory)["vector"] == pytest.approx(1.0, abs=1e-3)


def test_an_interrupted_move_is_taken_up_where_it_stopped(lasting_home):
    with lasting_home.open(embedder=HashingEmbedder(64)) as memory:
        memory.remember_many(
            [{"content": f"Note {n} about the loom", "understand": False} for n in range(150)]
        )

    class Failing(FlakyEmbedder):
        async def embed(self, texts, *, purpose):
            self.is_down = self.calls >= 1
            return await super().embed(texts, purpose=purpose)

    with lasting_home.open(embedder="off") as memory:
        with pytest.raises(EmbedderUnavailable):
            memory.reembed(Failing(96))
        left = memory.stats().without_vector
        assert 0 < left < 150
    with lasting_home.open(embedder=CountingEmbedder(96)) as memory:
        given = memory.reembed()
        assert (given.embedded, given.remaining) == (left, 0)


def test_a_write_during_the_move_has_the_new_vector(lasting_home):
    filled(lasting_home)
    memory = lasting_home.open(embedder="off")
    memory.reembed(HashingEmbedder(96))
    memory.remember("Written after the move")
    assert memory.stats().without_vector == 0
    assert arms(memory, "Written after the move")["vector"] == pytest.approx(1.0, abs=1e-3)


def test_changed_words_get_a_vector_of_the_new_model(lasting_home):
    [first, *_] = filled(lasting_home)
    memory = lasting_home.open(embedder="off")
    memory.reembed(HashingEmbedder(96))
    memory.update(first.id, content="The loom was sold")
    assert arms(memory, "The loom was sold")["vector"] == pytest.approx(1.0, abs=1e-3)


class Promising:
    """An embedder that does not keep what its model promises."""

    is_blocking = True
    model = EmbeddingModel(name="promising", dimension=8)

    def __init__(self, rows):
        self._rows = rows

    async def embed(self, texts, *, purpose):
        return self._rows(len(texts))


def rows_of(shape, value):
    import numpy as np

    return np.full(shape, value, dtype=np.float32)


@decided_by_the_engine
@pytest.mark.parametrize(
    "rows",
    [
        lambda n: rows_of((n, 7), 1.0),
        lambda n: rows_of((n + 1, 8), 1.0),
        lambda n: rows_of((8,), 1.0),
        lambda n: rows_of((n, 8), float("nan")),
        lambda n: rows_of((n, 8), float("inf")),
    ],
    ids=["narrow", "too many", "flat", "nan", "infinite"],
)
@pytest.mark.parametrize("cached", [0, 100])
def test_vectors_that_are_not_as_promised_are_refused_whole(home, rows, cached):
    memory = home.open(embedder=Promising(rows), settings=Settings(embedding_cache=cached))
    for call in (
        lambda: memory.remember("A note"),
        lambda: memory.remember_many([{"content": "One"}, {"content": "Two"}]),
        lambda: memory.recall("A note"),
    ):
        with pytest.raises(Misconfigured, match="promising"):
            call()
    assert memory.count() == 0


def test_vectors_of_any_length_and_type_are_brought_to_one(home):
    import numpy as np

    def rows(count):
        return [[3.0, 4.0, 0, 0, 0, 0, 0, 0]] * count

    for number, made in enumerate((rows, lambda n: np.array(rows(n), dtype=np.float64))):
        memory = home.open(embedder=Promising(made)).scoped(user=f"u{number}")
        memory.remember("A note")
        assert memory.recall("A note")[0].explanation.arms["vector"] == pytest.approx(1.0, abs=1e-5)


def test_an_embedder_that_refuses_for_good_stores_nothing_and_says_so(home):
    class Refusing(HashingEmbedder):
        async def embed(self, texts, *, purpose):
            raise EmbedderRejected("the key was revoked")

    memory = home.open(embedder=Refusing())
    with pytest.raises(EmbedderRejected, match="revoked"):
        memory.remember("A note")
    assert memory.count() == 0


def test_an_embedder_out_of_reach_defers_and_recall_says_what_limited_it(home):
    embedder = FlakyEmbedder()
    memory = home.open(embedder=embedder)
    embedder.is_down = True
    given = memory.remember_many([{"content": "织机在东屋"}, {"content": "The loom is oak"}])
    assert [item.outcome for item in given] == ["deferred", "deferred"]
    found = memory.recall("织机")
    assert texts(found) == ["织机在东屋"]
    assert found.notes
    assert memory.correct("loom oak", "The loom is ash").outcome == "superseded"


def test_a_text_is_embedded_once_while_it_is_remembered(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    memory.remember("The loom is oak")
    for _ in range(5):
        memory.recall("oak loom")
    assert embedder.texts.count("oak loom") == 1


def test_the_cache_of_vectors_can_be_switched_off(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder, settings=Settings(embedding_cache=0))
    for _ in range(3):
        memory.recall("oak loom")
    assert embedder.texts.count("oak loom") == 3


def test_int8_vectors_find_the_same(tmp_path):
    sentences = [f"Spool {n} holds {n % 9} yards of {c} thread" for n in range(60) for c in "ab"]
    found = []
    for form in ("float32", "int8"):
        settings = Settings(vector_format=form)
        path = tmp_path / f"{form}.db"
        with perdure.open(path, embedder=HashingEmbedder(), settings=settings) as memory:
            memory.remember_many([{"content": text} for text in sentences])
        with perdure.open(path, embedder=HashingEmbedder(), settings=settings) as memory:
            vector = memory.recall("spool 12 yards", limit=5)
            found.append(texts(vector))
            assert memory.verify(repair=False).problems == ()
    assert found[0][0] == found[1][0]
    assert len(set(found[0]) & set(found[1])) >= 4


def test_reembedding_by_two_at_once_is_refused_to_the_second(lasting_home):
    filled(lasting_home)
    memory, other = lasting_home.open(embedder="off"), lasting_home.open(embedder="off")
    target = Waiting(96)
    with ThreadPoolExecutor(1) as pool:
        moving = pool.submit(memory.reembed, target)
        assert target.has_come.wait(20)
        with pytest.raises(perdure.Conflict, match="another"):
            other.reembed(HashingEmbedder(96))
        target.may_go.set()
        assert moving.result(30).remaining == 0


def test_ids_of_memories_do_not_depend_on_the_embedder(home):
    memory = home.open(embedder="off")
    kept = [memory.remember(f"Note {n}").memory.id for n in range(3)]
    memory.reembed(HashingEmbedder())
    assert ids(memory.list()) == kept
