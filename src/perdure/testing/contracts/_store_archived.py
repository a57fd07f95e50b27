"""What the archive asks of a store."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np

from perdure.domain.changes import Operation
from perdure.domain.records import State
from perdure.domain.scope import Scope
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
from perdure.testing.contracts._store_emptying import archiving
from perdure.testing.contracts._store_stand import Stand, looking
from perdure.testing.contracts._store_writing import an_access

HOUR = timedelta(hours=1)
BEN = Scope(user="ben")
EAST, NORTH = (1, 0, 0, 0), (0, 1, 0, 0)
BATCH = "0198-batch"


class ArchivedContract:
    """Part of `StoreContract`."""

    def test_a_store_has_a_name_that_stays(self, stand: Stand) -> None:
        name = stand.run(stand.store.identity())
        assert name
        assert stand.run(stand.store.identity()) == name

    def test_all_of_a_memory_is_given_at_once(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST, NORTH))
        stand.keep(a_memory("another"), vectors=vectors_of(NORTH))
        memory = stand.change(memory, importance=0.9)
        stand.write(a_change_set(accesses=(an_access(memory),)))
        found = stand.run(stand.store.whole(ILKA, [memory.id, "unknown"]))
        assert set(found) == {memory.id}
        whole = found[memory.id]
        assert whole.memory == stand.stored(memory)
        mine = [entry for entry in stand.entries() if entry.memory_id == memory.id]
        assert list(whole.entries) == mine
        assert [entry.operation for entry in mine] == ["created", "updated", "accessed"]
        assert whole.vectors is not None
        assert whole.vectors.model == MODEL
        assert np.allclose(whole.vectors.rows, vectors_of(EAST, NORTH).rows, atol=1e-3)

    def test_many_are_given_at_once_with_and_without_vectors(self, stand: Stand) -> None:
        bare = [a_memory(f"kettle {number}") for number in range(30)]
        stand.keep(*bare)
        seen = a_memory("seen")
        stand.keep(seen, vectors=vectors_of(EAST))
        found = stand.run(stand.store.whole(ILKA, [item.id for item in (*bare, seen)]))
        assert {key for key, whole in found.items() if whole.vectors is not None} == {seen.id}
        assert all(len(whole.entries) == 1 for whole in found.values())
        assert len(found) == 31

    def test_nothing_of_others_is_given(self, stand: Stand) -> None:
        bens = stand.keep(a_memory("kettle", scope=BEN))
        assert stand.run(stand.store.whole(ILKA, [bens.id])) == {}
        assert stand.run(stand.store.whole(ILKA, [])) == {}
        assert set(stand.run(stand.store.whole(BEN, [bens.id]))) == {bens.id}

    def test_what_points_into_the_archive_is_found_by_batch(self, stand: Stand) -> None:
        first = a_memory("", state=State.ARCHIVED, archive=f"{BATCH}#0")
        second = a_memory("kettle", scope=BEN, archive=f"{BATCH}#17")
        other = a_memory("", scope=Scope(tenant="t"), state=State.ARCHIVED, archive="0198-b#0")
        stand.keep(first, second, other, a_memory("hot"))
        store = stand.store
        assert stand.run(store.archived_batches()) == {BATCH: 2, "0198-b": 1}
        assert {item.id for item in stand.run(store.archived_in(BATCH))} == {first.id, second.id}
        assert stand.run(store.archived_in("0198-b")) == [other]
        assert stand.run(store.archived_in("0198")) == []
        back = stand.change(first, content="kettle", state=State.ACTIVE, archive=None)
        assert stand.run(store.archived_batches()) == {BATCH: 1, "0198-b": 1}
        assert stand.stored(back).archive is None
        stand.assert_sound()

    def test_a_stub_is_found_by_no_word_and_waits_for_no_vector(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"), vectors=vectors_of(EAST))
        stub = stand.change(memory, content="", state=State.ARCHIVED, archive=f"{BATCH}#0")
        condition = looking(include=frozenset({"archived"}))
        assert stand.query(condition) == [stub]
        assert stand.search(condition, words="kettle", near=EAST, model=MODEL).candidates == ()
        assert stand.run(stand.store.lacking_vectors(MODEL, limit=9)) == []
        assert stand.run(stand.store.lacking_vectors("another@1/4", limit=9)) == []
        assert stand.run(stand.store.sizes(looking().view)).without_vector == 0
        assert stand.run(stand.store.check(repair=False)) == []
        assert stand.run(stand.store.adopt_model("another@1/4", replacing=MODEL))
        assert stand.run(stand.store.lacking_vectors("another@1/4", limit=9)) == []
        stand.assert_sound()

    def test_emptied_entries_get_their_contents_back(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        memory = stand.change(memory, content="蓝色的壶", at=NOON + HOUR)
        stand.write(a_change_set(accesses=(an_access(memory),), at=NOON + HOUR))
        before = stand.run(stand.store.whole(ILKA, [memory.id]))[memory.id]
        stand.write(archiving(before.memory, archive=f"{BATCH}#0"))
        stub = stand.stored(memory)
        back = successor(stub, content="蓝色的壶", state=State.ACTIVE)
        change = a_change(back, before=stub, operation=Operation.RESTORED)
        stand.write(a_change_set(change, at=NOON + 3 * HOUR, refilled=before.entries))
        after = stand.run(stand.store.whole(ILKA, [memory.id]))[memory.id]
        assert after.entries[:3] == before.entries
        assert after.memory.content == "蓝色的壶"
        earlier = looking(known_as_of=NOON + HOUR / 2)
        assert [item.content for item in stand.query(earlier)] == ["kettle"]
        stand.assert_sound()

    def test_only_the_entry_with_the_same_seal_is_refilled(self, stand: Stand) -> None:
        memory, other = a_memory("kettle"), a_memory("never emptied")
        stand.keep(memory, other)
        entries = {entry.memory_id: entry for entry in stand.entries()}
        stand.write(archiving(memory))
        forged = replace(entries[memory.id], seal="00" * 16, change={"content": "forged"})
        full = replace(entries[other.id], change={"content": "forged"})
        nowhere = replace(entries[memory.id], sequence=9_999_999)
        before = stand.entries()
        mark = a_change_set(a_memory("more"), refilled=(forged, full, nowhere))
        stand.write(mark)
        assert stand.entries()[: len(before)] == before
        stand.assert_sound()
