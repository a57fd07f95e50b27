"""What a store promises of `erase`: nothing of it can be read any more, and all else still can."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from perdure.domain.changes import IdempotencyKey, Operation, Refused
from perdure.domain.erasure import (
    WITHHELD,
    Erased,
    Erasure,
    is_erased,
    tombstone,
    trace_of_words,
)
from perdure.domain.records import Memory, State
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.testing.builders import (
    ILKA,
    MODEL,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_stand import Stand, looking
from perdure.testing.contracts._store_writing import an_access

HOUR = timedelta(hours=1)
LATER = NOON + 5 * HOUR
BEN = Scope(user="ben")
EAST = (1.0, 0.0, 0.0, 0.0)


def erase(stand: Stand, *memories: Memory, scope: Scope = ILKA, **fields: Any) -> Erased:
    """Erase these memories, or all there is of the scope's user; it must not be refused."""
    ids = frozenset(memory.id for memory in memories) or None
    erased = stand.run(stand.store.erase(Erasure(scope=scope, ids=ids, at=LATER, **fields)))
    assert isinstance(erased, Erased), erased
    assert stand.run(stand.store.compact())
    return erased


def a_key(name: str, *ids: str, scope: Scope = ILKA) -> IdempotencyKey:
    """The key of a request that stored these memories."""
    return IdempotencyKey(scope=scope, key=name, request="r", answer={"memories": list(ids)})


class Erases:
    """`erase`, `inventory`, `withheld`, `compact`."""

    def test_what_is_left_is_a_tombstone(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("The kettle is red.", key="kettle", metadata={"a": "红"}))
        second = stand.change(memory, content="The kettle is 蓝.", at=NOON + HOUR)
        erased = erase(stand, memory, actor="Ilka", reason="asked for")
        assert erased.ids == (memory.id,)
        left = stand.stored(memory)
        assert left == tombstone(second, LATER)
        assert left.state is State.FORGOTTEN
        assert (left.content, left.metadata, left.key, left.version) == ("", {}, None, 3)
        *earlier, last = stand.entries()
        assert all(entry.is_emptied for entry in earlier)
        assert (last.operation, last.actor, last.reason) == (
            Operation.ERASED,
            "Ilka",
            "asked for",
        )
        assert (last.sequence, last.digest) == (erased.sequence, erased.digest)
        stand.assert_sound()

    def test_no_read_gives_it_back(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("my kettle", key="kettle"), vectors=vectors_of(EAST))
        other = stand.keep(a_memory("her kettle"), vectors=vectors_of(EAST))
        stand.search(words="kettle", near=EAST, model=MODEL)  # what is indexed in memory goes too
        erase(stand, memory)
        every = looking(include=frozenset(("former", "superseded", "archived", "expired")))
        assert stand.seen(every) == {other.id}
        found = stand.search(every, words="kettle", near=EAST, model=MODEL)
        assert {item.id for item in found.candidates} == {other.id}
        assert stand.run(stand.store.slot(ILKA, "kettle")) == []
        earlier = looking(known_as_of=NOON + HOUR, now=LATER + HOUR)
        assert [item.id for item in stand.query(earlier)] == [other.id]
        whole = stand.run(stand.store.whole(ILKA, [memory.id]))[memory.id]
        assert whole.vectors is None
        assert all(not entry.change.get("content") for entry in whole.entries)

    def test_it_counts_what_went(self, stand: Stand) -> None:
        first = a_memory("kettle one")
        stand.write(
            a_change_set(
                a_change(first, vectors=vectors_of(EAST, (0, 1, 0, 0))),
                idempotency=(a_key("k", first.id),),
            )
        )
        stand.write(a_change_set(accesses=(an_access(first),)))
        erased = erase(stand, first)
        assert erased.counts == {
            "memories": 1, "vectors": 2, "journal entries": 2, "requests": 1,
        }  # fmt: skip

    def test_a_whole_user_goes_in_one_call(self, stand: Stand) -> None:
        scopes = [replace(ILKA, agent=f"a{n % 3}", session=f"s{n % 2}") for n in range(12)]
        memories = [a_memory(f"kettle {n}", scope=scope) for n, scope in enumerate(scopes)]
        stand.keep(*memories)
        stand.change(memories[0], state=State.FORGOTTEN)
        stand.change(memories[1], state=State.ARCHIVED, content="", archive="b#1")
        bens = [
            stand.keep(a_memory("kettle", scope=scope))
            for scope in (BEN, Scope(), Scope(tenant="t", user="ilka"))
        ]
        erased = erase(stand)
        assert erased.ids == tuple(sorted(memory.id for memory in memories))
        assert erased.places == ("b#1",)
        assert all(stand.stored(memory).content == "" for memory in memories)
        assert [stand.stored(memory) for memory in bens] == bens
        stand.assert_sound(*(View(scope=item.scope, now=NOON) for item in (*bens, memories[3])
                             if not item.scope.agent))  # fmt: skip
        assert stand.run(stand.store.inventory(ILKA)) == {memories[1].id: ()}

    def test_a_place_in_the_archive_stays_until_it_is_cleared(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("", state=State.ARCHIVED, archive="b#7"))
        assert erase(stand, memory).places == ("b#7",)
        left = stand.stored(memory)
        assert left.archive == "b#7"
        assert not is_erased(left)
        gone = a_change(successor(left, archive=None), before=left, operation=Operation.ERASED)
        stand.write(a_change_set(gone))
        assert is_erased(stand.stored(memory))
        assert erase(stand, memory) == Erased()

    def test_erasing_again_finds_nothing(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        erase(stand, memory)
        before = stand.entries()
        assert erase(stand, memory) == Erased()
        assert erase(stand) == Erased()
        assert stand.entries() == before

    def test_unknown_and_foreign_ids_are_passed_over(self, stand: Stand) -> None:
        bens = stand.keep(a_memory("kettle", scope=BEN))
        nobody = a_memory("never stored")
        assert erase(stand, bens, nobody) == Erased()
        assert stand.stored(bens) == bens
        assert erase(stand, scope=Scope(user="nobody")) == Erased()

    def test_a_hold_refuses_all_of_it(self, stand: Stand) -> None:
        held, other = a_memory("kettle one", held=True), a_memory("kettle two")
        stand.keep(held, other)
        for ids in (frozenset((held.id, other.id)), None):
            refused = stand.run(stand.store.erase(Erasure(scope=ILKA, ids=ids, at=LATER)))
            assert isinstance(refused, Refused)
            assert refused.held == (held.id,)
        assert stand.stored(other) == other
        assert not any(entry.is_emptied for entry in stand.entries())

    def test_what_turned_up_meanwhile_refuses_a_complete_erasure(self, stand: Stand) -> None:
        scope = replace(ILKA, session="s")
        known, unknown = (a_memory(f"kettle {n}", scope=scope) for n in range(2))
        elsewhere = a_memory("kettle 3", scope=ILKA)
        stand.keep(known, unknown, elsewhere)
        erasure = Erasure(scope=scope, ids=frozenset((known.id,)), is_complete=True, at=LATER)
        refused = stand.run(stand.store.erase(erasure))
        assert isinstance(refused, Refused)
        assert refused.stale == (unknown.id,)
        assert stand.stored(known) == known
        whole = replace(erasure, ids=frozenset((known.id, unknown.id)))
        assert isinstance(stand.run(stand.store.erase(whole)), Erased)
        assert stand.stored(elsewhere) == elsewhere

    def test_changes_are_written_along_or_refuse_it(self, stand: Stand) -> None:
        memory, fact = a_memory("kettle"), a_memory("fact", provenance=("a", "b"))
        stand.keep(memory, fact)
        change = a_change(successor(fact, provenance=("b",)), before=fact)
        stale = a_change(successor(successor(fact)), before=successor(fact))
        ids = frozenset((memory.id,))
        refused = stand.run(
            stand.store.erase(Erasure(scope=ILKA, ids=ids, at=LATER, changes=(stale,)))
        )
        assert isinstance(refused, Refused)
        assert stand.stored(memory) == memory
        erase(stand, memory, changes=(change,))
        assert stand.stored(fact).provenance == ("b",)
        assert stand.stored(memory).content == ""
        stand.assert_sound()

    def test_an_inventory_lists_what_a_scope_has_and_what_it_supports(self, stand: Stand) -> None:
        narrow = replace(ILKA, agent="a", session="s")
        memories = [
            a_memory("one", scope=narrow, supports=("f", "g")),
            a_memory("two", scope=replace(ILKA, agent="a")),
            a_memory("three", state=State.FORGOTTEN),
            a_memory("four", scope=BEN),
        ]
        stand.keep(*memories)
        one, two, three, _ = (memory.id for memory in memories)

        def listed(**parts: str) -> dict[str, tuple[str, ...]]:
            return stand.run(stand.store.inventory(replace(ILKA, **parts)))

        assert listed() == {one: ("f", "g"), two: (), three: ()}
        assert listed(agent="a") == {one: ("f", "g"), two: ()}
        assert listed(agent="a", session="s") == {one: ("f", "g")}
        assert listed(user="nobody") == {}

    def test_requests_that_stored_it_are_withheld(self, stand: Stand) -> None:
        memory, other = a_memory("kettle one"), a_memory("kettle two")
        keys = (a_key("mine", memory.id), a_key("both", memory.id, other.id))
        stand.write(a_change_set(memory, other, idempotency=keys))
        erase(stand, memory)
        mine, both = (
            stand.apply(a_change_set(idempotency=(replace(key, request="another"),)))
            for key in keys
        )
        assert isinstance(mine, Refused)
        assert mine.repeated == {0: WITHHELD}
        assert isinstance(both, Refused)
        assert both.clashing == (0,)
        stand.write(a_change_set(idempotency=(a_key("mine", "x", scope=BEN),)))

    def test_every_request_of_a_whole_user_is_withheld(self, stand: Stand) -> None:
        key = replace(a_key("spoken"), answer={"memories": []})
        stand.write(a_change_set(a_memory("kettle"), idempotency=(key,)))
        erase(stand)
        refused = stand.apply(a_change_set(idempotency=(key,)))
        assert isinstance(refused, Refused)
        assert refused.repeated == {0: WITHHELD}

    @pytest.mark.parametrize("again", ["The kettle is RED.", " the  kettle is red. "])
    def test_its_words_are_withheld(self, stand: Stand, again: str) -> None:
        memory = stand.keep(a_memory("The kettle is red."))
        texts = [again, "水壶是红色的。", "The kettle is blue."]
        assert stand.run(stand.store.withheld(ILKA, texts)) == frozenset()
        erase(stand, memory, stand.keep(a_memory("水壶是红色的。")))
        assert stand.run(stand.store.withheld(ILKA, texts)) == frozenset((0, 1))
        assert stand.run(stand.store.withheld(BEN, texts)) == frozenset()
        assert stand.run(stand.store.withheld(ILKA, [])) == frozenset()

    def test_traces_need_a_key_that_stays(self, stand: Stand) -> None:
        key = stand.run(stand.store.withholding_key())
        assert len(key) == 32
        erase(stand, stand.keep(a_memory("kettle")))
        assert stand.run(stand.store.withholding_key()) == key
        assert trace_of_words(key, ILKA.walls, "x") != trace_of_words(bytes(32), ILKA.walls, "x")

    def test_its_words_may_be_stored_again_on_purpose(self, stand: Stand) -> None:
        erase(stand, stand.keep(a_memory("my kettle")))
        again = stand.keep(a_memory("my kettle"))
        assert stand.seen(looking()) == {again.id}
        stand.assert_sound()

    def test_afterwards_it_can_be_compacted_once(self, stand: Stand) -> None:
        assert stand.run(stand.store.compact())
        erase(stand, stand.keep(a_memory("kettle")))
        assert stand.run(stand.store.compact())
        assert stand.run(stand.store.compact())
        assert stand.run(stand.store.check(repair=False)) == []
