"""Many at once: all or nothing, across every tier."""

from __future__ import annotations

import pytest

from perdure import InvalidInput, Outcome, Scope
from tests.acceptance.embedders import CountingEmbedder
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts


def mixed(kind_of_trouble=None):
    """Items of every tier, of two users, with a slot; one may be wrong."""
    items = [
        {"content": "Said just now", "kind": "short_term", "scope": Scope(session="s1")},
        {"content": "昨天去了码头", "kind": "episodic", "occurred_at": "2031-03-09"},
        {"content": "The pier is 90 metres long", "kind": "semantic"},
        {"content": "Prefers tea", "kind": "long_term", "scope": Scope(user="oto")},
        {"content": "Captain: Ada", "key": "captain", "valid_from": "2031-01-01"},
        {"content": "Captain: Bo", "key": "captain", "valid_from": "2031-02-01"},
    ]
    return [*items, kind_of_trouble] if kind_of_trouble is not None else items


def test_one_call_stores_every_tier_in_the_order_of_the_items(memory):
    given = memory.remember_many(mixed())
    assert [item.memory.content for item in given] == [item["content"] for item in mixed()]
    assert [item.memory.kind for item in given][:4] == [
        "short_term", "episodic", "semantic", "long_term",
    ]  # fmt: skip
    assert memory.count(everything=True) == 5


TROUBLE = [
    {"content": ""},
    {"content": "Fine", "kind": "xyz"},
    {"content": "Fine", "importance": 9},
    {"content": "Fine", "valid_from": "2031-02-01", "valid_to": "2031-01-01"},
    {"content": "Fine", "colour": "red"},
    {"content": "Fine", "metadata": {"a": object()}},
    {"content": "Fine", "scope": "oto"},
    {"content": "Fine", "occurred_at": "yesterday"},
]


@decided_by_the_engine
@pytest.mark.parametrize("trouble", TROUBLE, ids=repr)
@pytest.mark.parametrize("place", [0, 3, 6])
def test_one_wrong_item_keeps_all_of_them_out(home, trouble, place):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    items = mixed()
    items.insert(place, trouble)
    with pytest.raises(InvalidInput, match=f"item {place}"):
        memory.remember_many(items)
    assert memory.count(everything=True) == 0
    assert memory.changes(everything=True) == []
    assert embedder.calls == 0


def test_nothing_is_stored_for_nothing(memory):
    assert memory.remember_many([]) == []
    assert memory.changes() == []


@decided_by_the_engine
def test_a_generator_of_items_is_as_good_as_a_list(memory):
    given = memory.remember_many({"content": f"Plank {n}"} for n in range(3))
    assert [item.outcome for item in given] == [Outcome.STORED] * 3


@decided_by_the_engine
def test_the_items_of_a_batch_are_embedded_together(home):
    embedder = CountingEmbedder()
    memory = home.open(embedder=embedder)
    memory.remember_many([{"content": f"Plank {n}"} for n in range(60)])
    assert (embedder.calls, len(embedder.texts)) == (1, 60)


def test_a_batch_is_in_the_journal_in_its_order(ilka):
    ilka.remember_many([{"content": f"Plank {n}"} for n in range(5)], actor="loader")
    entries = ilka.changes()
    assert [entry.change["content"] for entry in entries] == [f"Plank {n}" for n in range(5)]
    assert {entry.actor for entry in entries} == {"loader"}
    assert texts(ilka.list()) == [f"Plank {n}" for n in range(5)]


def test_a_batch_that_fails_to_embed_for_good_stores_nothing(home):
    from perdure import EmbedderRejected
    from perdure.testing import HashingEmbedder

    class Refusing(HashingEmbedder):
        async def embed(self, texts, *, purpose):
            raise EmbedderRejected("the key was revoked")

    memory = home.open(embedder=Refusing())
    with pytest.raises(EmbedderRejected):
        memory.remember_many([{"content": "One"}, {"content": "Two"}])
    assert memory.count() == 0
