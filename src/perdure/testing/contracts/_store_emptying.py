"""What the journal promises when contents are taken out of it: the chain holds, the rest replays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from perdure.domain.changes import ChangeSet, Operation
from perdure.domain.codec import encode
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.errors import InvalidInput
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, a_memory, successor
from perdure.testing.contracts._store_stand import Stand, assert_chained, looking
from perdure.testing.contracts._store_writing import a_full_memory, an_access

HOUR = timedelta(hours=1)


def archiving(memory: Memory, **fields: object) -> ChangeSet:
    """The memory put away, and what the journal said of it before with it."""
    after = successor(memory, state=State.ARCHIVED, content="", metadata={}, **fields)
    change = a_change(after, before=memory, operation=Operation.ARCHIVED, reason="idle")
    return a_change_set(change, at=NOON + 2 * HOUR, emptied=frozenset({memory.id}))


class LosesContents:
    """`ChangeSet.emptied`."""

    def test_earlier_entries_keep_their_skeleton_and_nothing_else(self, stand: Stand) -> None:
        first = stand.keep(a_memory("The kettle is 红色."))
        second = successor(first, content="The kettle is 蓝色.", metadata={"a": 1})
        change = a_change(second, before=first, reason="repainted, 换了颜色")
        stand.write(a_change_set(change, at=NOON + HOUR, actor="Ilka", request_id="r1"))
        stand.write(a_change_set(accesses=(an_access(second),), at=NOON + HOUR))
        before = stand.entries()
        stand.write(archiving(stand.stored(second)))
        after = stand.entries()
        assert [entry.is_emptied for entry in after] == [True, True, True, False]
        for whole, skeleton in zip(before, after, strict=False):
            assert (skeleton.change, skeleton.reason, skeleton.salt) == ({}, None, "")
            assert len(skeleton.seal) == 32
            assert skeleton == replace(whole, change={}, reason=None, salt="")
        assert stand.run(stand.store.history(first.scope, first.id)) == [*after[:2], after[3]]
        stand.assert_sound()

    def test_the_entry_that_empties_is_whole(self, stand: Stand) -> None:
        memory = stand.keep(replace(a_full_memory(), scope=ILKA))
        changes = archiving(memory)
        stand.write(changes)
        entry = stand.entries()[-1]
        assert entry.change == encode(changes.changes[0].after)
        assert entry.reason == "idle"
        assert len(entry.salt) == len(entry.seal) == 32
        assert stand.stored(memory) == changes.changes[0].after

    def test_others_keep_their_contents(self, stand: Stand) -> None:
        memory, other = a_memory("kettle one"), a_memory("kettle two")
        foreign = a_memory("kettle three", scope=Scope(user="ben"))
        stand.keep(memory, other, foreign)
        stand.write(archiving(memory))
        emptied = {entry.memory_id: entry.is_emptied for entry in stand.entries()[:2]}
        assert emptied == {memory.id: True, other.id: False}
        bens = View(scope=foreign.scope, now=NOON)
        assert [entry.is_emptied for entry in stand.entries(bens)] == [False]
        stand.assert_sound(View(scope=ILKA, now=NOON), bens)

    def test_several_memories_may_be_emptied_in_one_set(self, stand: Stand) -> None:
        scopes = [ILKA, Scope(user="ben"), ILKA]
        memories = [a_memory(f"kettle {n}", scope=scope) for n, scope in enumerate(scopes)]
        stand.keep(*memories)
        sets = [archiving(memory) for memory in memories]
        stand.write(
            a_change_set(
                *(changes.changes[0] for changes in sets),
                emptied=frozenset(memory.id for memory in memories[:2]),
            )
        )
        entries = stand.entries()
        assert [entry.is_emptied for entry in entries] == [True, False, False, False]
        stand.assert_sound(View(scope=ILKA, now=NOON), View(scope=scopes[1], now=NOON))

    def test_life_goes_on_and_may_be_emptied_again(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        for _ in range(2):
            stand.write(archiving(stand.stored(memory)))
            back = successor(stand.stored(memory), state=State.ACTIVE, content="kettle")
            change = a_change(back, before=stand.stored(memory), operation=Operation.RESTORED)
            stand.write(a_change_set(change, at=NOON + 3 * HOUR))
            stand.write(a_change_set(accesses=(an_access(memory),), at=NOON + 3 * HOUR))
            stand.assert_sound()
        emptied = [entry.is_emptied for entry in stand.entries()]
        assert emptied == [True] * 4 + [False] * 3
        assert stand.stored(memory).accessed_count == 2

    def test_the_first_of_several_changes_is_whole(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        away = archiving(memory).changes[0]
        later = successor(away.after, importance=0.9)
        stand.write(
            a_change_set(away, a_change(later, before=away.after), emptied=frozenset({memory.id}))
        )
        assert [entry.is_emptied for entry in stand.entries()] == [True, False, False]
        assert stand.stored(memory) == later
        stand.assert_sound()

    def test_counts_are_those_of_the_change(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        stand.write(a_change_set(accesses=(an_access(memory, count=3),)))
        stand.write(archiving(memory))
        assert stand.stored(memory).accessed_count == 0
        stand.assert_sound()

    def test_what_was_known_before_is_not_told(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle one"), a_memory("kettle two"))
        stand.write(archiving(memory))
        earlier = looking(known_as_of=NOON + HOUR, now=NOON + 3 * HOUR)
        assert [item.content for item in stand.query(earlier)] == ["kettle two"]
        assert stand.run(stand.store.count(earlier)) == 1
        found = stand.search(earlier, words="kettle")
        assert memory.id not in {item.id for item in found.candidates}

    def test_replay_begins_where_contents_are(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        stand.write(archiving(memory))
        entries = stand.entries()
        assert replay(entries, until=NOON + HOUR) == {}
        assert replay(entries) == {memory.id: stand.stored(memory)}

    def test_a_refused_set_empties_nothing(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle"))
        stand.change(memory, importance=0.9)
        stand.refuse(archiving(memory))
        assert_chained(stand.entries())
        assert not any(entry.is_emptied for entry in stand.entries())

    def test_emptying_needs_a_change_that_explains_it(self) -> None:
        memory = a_memory("kettle")
        change = a_change(successor(memory), before=memory)
        with pytest.raises(InvalidInput, match="may only be emptied"):
            a_change_set(change, emptied=frozenset({memory.id}))
        with pytest.raises(InvalidInput, match="may only be emptied"):
            a_change_set(emptied=frozenset({memory.id}))

    def test_equal_contents_leave_different_seals(self, stand: Stand) -> None:
        memories = [a_memory("The same words.", id=f"m{n}") for n in range(2)]
        stand.keep(*memories)
        for memory in memories:
            stand.write(archiving(memory))
        seals = [entry.seal for entry in stand.entries() if entry.is_emptied]
        assert len(set(seals)) == 2
