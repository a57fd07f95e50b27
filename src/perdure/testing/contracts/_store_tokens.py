"""Token vectors: kept beside a memory's vectors, and never those of other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perdure.domain.changes import TokenVectors, Vectors
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.testing.builders import (
    ILKA,
    MODEL,
    a_change,
    a_change_set,
    a_memory,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_searching import EAST, NORTH
from perdure.testing.contracts._store_stand import Stand, looking

TOKENS = "words@1/3"
OTHER_TOKENS = "words@2/3"
ONE, TWO = ((127, 0, -127),), ((1, 2, 3), (-4, -5, -6))
BEN = Scope(user="ben")


def with_tokens(*rows: Sequence[int], model: str = TOKENS) -> Vectors:
    """Vectors with these token vectors beside them."""
    made = np.array(rows, dtype=np.int8).reshape(len(rows), 3)
    return replace(vectors_of(EAST), tokens=TokenVectors(model=model, rows=made))


def tokens(
    stand: Stand, *memories: Memory, scope: Scope = ILKA, model: str = TOKENS
) -> dict[str, list[tuple[int, ...]]]:
    """What the store has of these memories, as plain numbers."""
    ids = [memory.id for memory in memories]
    found = stand.run(stand.store.token_vectors(looking(scope=scope).view, ids, model=model))
    for item in found.values():
        assert item.model == model
        assert item.rows.dtype == np.dtype(np.int8)
        assert item.rows.shape[1] == 3
    return {id_: [tuple(row) for row in item.rows.tolist()] for id_, item in found.items()}


class KeepsTokenVectors:
    """They come and go with the vectors."""

    def test_token_vectors_come_back_as_they_were(self, stand: Stand) -> None:
        one = stand.keep(a_memory("kettle"), vectors=with_tokens(*ONE))
        two = stand.keep(a_memory("lake"), vectors=with_tokens(*TWO))
        none = stand.keep(a_memory("茶壶"), vectors=with_tokens())
        without = stand.keep(a_memory("river"), vectors=vectors_of(NORTH))
        assert tokens(stand, one, two, none, without) == {
            one.id: [*ONE],
            two.id: [*TWO],
            none.id: [],
        }
        assert tokens(stand, two) == {two.id: [*TWO]}
        assert tokens(stand) == {}

    def test_token_vectors_of_another_model_are_not_given(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=with_tokens(*ONE))
        assert tokens(stand, memory, model=OTHER_TOKENS) == {}

    def test_token_vectors_stay_behind_the_walls(self, stand: Stand) -> None:
        bens = stand.keep(a_memory("kettle", scope=BEN), vectors=with_tokens(*ONE))
        assert tokens(stand, bens) == {}
        assert tokens(stand, bens, scope=BEN) == {bens.id: [*ONE]}

    def test_another_text_loses_the_token_vectors_of_the_old(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old kettle"), vectors=with_tokens(*ONE))
        memory = stand.change(memory, importance=0.9)
        assert tokens(stand, memory) == {memory.id: [*ONE]}
        memory = stand.change(memory, content="new kettle")
        assert tokens(stand, memory) == {}

    def test_new_vectors_replace_the_token_vectors(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=with_tokens(*TWO))
        after = successor(memory)
        stand.write(a_change_set(a_change(after, before=memory, vectors=with_tokens(*ONE))))
        assert tokens(stand, memory) == {memory.id: [*ONE]}
        plain = successor(after)
        stand.write(a_change_set(a_change(plain, before=after, vectors=vectors_of(NORTH))))
        assert tokens(stand, memory) == {}

    def test_token_vectors_may_come_later(self, stand: Stand) -> None:
        first = stand.keep(a_memory("kettle"), vectors=vectors_of(NORTH))
        second = stand.keep(a_memory("lake"))
        given = {first.id: (1, with_tokens(*ONE)), second.id: (9, with_tokens(*ONE))}
        assert stand.run(stand.store.put_vectors(given)) == 1
        assert tokens(stand, first, second) == {first.id: [*ONE]}

    def test_those_without_token_vectors_are_given_out_where_asked_for(self, stand: Stand) -> None:
        bare = stand.keep(a_memory("bare"))
        plain = stand.keep(a_memory("plain"), vectors=vectors_of(EAST))
        other = stand.keep(a_memory("other"), vectors=with_tokens(*ONE, model=OTHER_TOKENS))
        stand.keep(a_memory("forgotten", state=State.FORGOTTEN))
        stand.keep(a_memory("whole"), vectors=with_tokens(*ONE))
        stand.keep(a_memory("unreadable"), vectors=with_tokens())
        lacking = stand.store.lacking_vectors
        assert stand.run(lacking(MODEL, limit=9)) == [bare]
        assert stand.run(lacking(MODEL, tokens=TOKENS, limit=9)) == [bare, plain, other]
        assert stand.run(lacking(MODEL, tokens=TOKENS, limit=2)) == [bare, plain]

    def test_another_model_ends_the_token_vectors_too(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=with_tokens(*ONE))
        assert stand.run(stand.store.adopt_model("another@1/4", replacing=MODEL))
        assert tokens(stand, memory) == {}
        assert stand.run(stand.store.check(repair=False)) == []
