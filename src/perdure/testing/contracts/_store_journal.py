"""What the journal promises: complete, chained, and enough to rebuild every record."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from perdure.domain.changes import Change, Operation
from perdure.domain.codec import encode
from perdure.domain.records import Memory, State
from perdure.domain.replay import replay
from perdure.domain.scope import Scope
from perdure.domain.visibility import View
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, a_memory, successor
from perdure.testing.contracts._store_stand import Stand, assert_chained, exact
from perdure.testing.contracts._store_writing import (
    EXACT_VALUES,
    ODD_TEXTS,
    a_full_memory,
    an_access,
)

HOUR = timedelta(hours=1)
BEN = Scope(user="ben")


def of(scope: Scope, *, everything: bool = False) -> View:
    """A view of a scope's journal."""
    return View(scope=scope, now=NOON, everything=everything)


class TellsWhatHappened:
    """One entry for each change, with all that was said about it."""

    def test_an_entry_says_everything_about_a_change(self, stand: Stand) -> None:
        memory = a_memory(scope=replace(ILKA, agent="a", session="s"), metadata={"a": 1})
        stand.write(
            a_change_set(
                a_change(memory, operation=Operation.IMPORTED, reason="moved house"),
                at=NOON + timedelta(microseconds=1),
                actor="Ilka",
                request_id="r1",
                config_hash="c1",
            )
        )
        (entry,) = stand.entries()
        assert entry.at == NOON + timedelta(microseconds=1)
        assert entry.operation is Operation.IMPORTED
        assert (entry.memory_id, entry.version) == (memory.id, 1)
        assert entry.scope == memory.scope
        assert (entry.actor, entry.request_id, entry.config_hash) == ("Ilka", "r1", "c1")
        assert entry.reason == "moved house"
        assert entry.change == encode(memory)

    def test_an_entry_holds_only_what_changed(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(metadata={"a": 1}, importance=0.9))
        stand.change(memory, metadata={}, importance=0.5)
        entry = stand.entries()[-1]
        assert entry.change == {"version": 2, "metadata": {}, "importance": 0.5}
        assert entry.reason is None

    def test_entries_stand_in_the_order_of_the_changes(self, stand: Stand) -> None:
        memories = [a_memory(f"kettle {n}") for n in range(5)]
        memories.reverse()
        stand.keep(*memories)
        assert [entry.memory_id for entry in stand.entries()] == [item.id for item in memories]

    def test_a_change_may_have_its_own_time_and_actor(self, stand: Stand) -> None:
        first, second = a_memory("first"), a_memory("second")
        stand.write(
            a_change_set(
                a_change(first, at=NOON - HOUR, actor="the importer"),
                a_change(second, actor=""),
                actor="Ilka",
            )
        )
        imported, plain = stand.entries()
        assert (imported.at, imported.actor) == (NOON - HOUR, "the importer")
        assert (plain.at, plain.actor) == (NOON, "")
        stand.assert_sound()

    @pytest.mark.parametrize("operation", list(Operation))
    def test_any_operation_may_be_journalled(self, stand: Stand, operation: Operation) -> None:
        if operation is Operation.ACCESSED:
            return
        stand.write(a_change_set(a_change(a_memory(), operation=operation)))
        assert stand.entries()[0].operation is operation

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
    def test_any_text_is_journalled_exactly(self, stand: Stand, text: str) -> None:
        short = text[:400]
        stand.write(
            a_change_set(
                a_change(a_memory(text), reason=short),
                actor=short,
                request_id=short,
                config_hash=short,
            )
        )
        (entry,) = stand.entries()
        assert (entry.reason, entry.actor, entry.request_id, entry.config_hash) == (short,) * 4
        assert entry.change["content"] == text
        stand.assert_sound()


class KeepsHistories:
    """`history` and `changes_since`."""

    def test_a_history_is_one_memorys_without_its_recalls(self, stand: Stand) -> None:
        memory, other = a_memory(), a_memory("another kettle")
        stand.keep(memory, other)
        stand.write(a_change_set(accesses=(an_access(memory),)))
        after = stand.change(memory, content="changed")
        gone = successor(after, state=State.FORGOTTEN)
        stand.write(a_change_set(a_change(gone, before=after, operation=Operation.FORGOTTEN)))
        history = stand.run(stand.store.history(ILKA, memory.id))
        assert [entry.operation for entry in history] == [
            Operation.CREATED,
            Operation.UPDATED,
            Operation.FORGOTTEN,
        ]
        assert {entry.memory_id for entry in history} == {memory.id}
        assert history == [entry for entry in stand.entries() if entry in history]
        assert stand.run(stand.store.history(ILKA, "nothing")) == []

    def test_a_history_stays_behind_its_walls(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        for scope in (BEN, Scope(), Scope(tenant="t", user="ilka")):
            assert stand.run(stand.store.history(scope, memory.id)) == []
        agent = replace(ILKA, agent="a", session="s")
        assert len(stand.run(stand.store.history(agent, memory.id))) == 1

    def test_a_journal_is_read_on_from_any_position(self, stand: Stand) -> None:
        stand.keep(*(a_memory(f"kettle {n}") for n in range(6)))
        entries = stand.entries()
        view = of(ILKA)
        for position, entry in enumerate(entries):
            rest = stand.run(stand.store.changes_since(view, entry.sequence))
            assert rest == entries[position + 1 :]
        first = stand.run(stand.store.changes_since(view, 0, limit=2))
        assert first == entries[:2]
        after = stand.run(stand.store.changes_since(view, first[-1].sequence, limit=99))
        assert after == entries[2:]

    def test_the_sequence_of_a_write_is_where_to_read_on(self, stand: Stand) -> None:
        applied = stand.write(a_change_set(a_memory("before")))
        later = stand.keep(a_memory("after"))
        empty = stand.write(a_change_set())
        rest = stand.run(stand.store.changes_since(of(ILKA), applied.sequence))
        assert [entry.memory_id for entry in rest] == [later.id]
        assert stand.run(stand.store.changes_since(of(ILKA), empty.sequence)) in ([], rest)

    def test_a_journal_is_narrowed_like_a_search(self, stand: Stand) -> None:
        agent = replace(ILKA, agent="a")
        plain, agents, bens, other = (
            a_memory(scope=scope) for scope in (ILKA, agent, BEN, Scope(tenant="t", user="ilka"))
        )
        stand.keep(other, bens, agents, plain)

        def told(view: View) -> list[str]:
            return [entry.memory_id for entry in stand.entries(view)]

        assert told(of(ILKA)) == [agents.id, plain.id]
        assert told(of(agent)) == [agents.id]
        assert told(of(Scope())) == []
        assert told(of(ILKA, everything=True)) == [bens.id, agents.id, plain.id]
        limited = stand.store.changes_since(of(ILKA, everything=True), 0, limit=2)
        assert [entry.memory_id for entry in stand.run(limited)] == [bens.id, agents.id]

    def test_recalls_are_in_the_journal(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.write(a_change_set(accesses=(an_access(memory),)))
        assert [entry.operation for entry in stand.entries()] == [
            Operation.CREATED,
            Operation.ACCESSED,
        ]

    def test_sequences_rise_over_all_users(self, stand: Stand) -> None:
        sequences: list[int] = []
        for number in range(6):
            scope = (ILKA, BEN, Scope(tenant="t"))[number % 3]
            applied = stand.write(a_change_set(a_memory(f"kettle {number}", scope=scope)))
            sequences.append(applied.sequence)
        assert sequences == sorted(set(sequences))


class ChainsAndReplays:
    """The chain of each (tenant, user), and the fold that gives the records."""

    def test_each_user_has_a_chain(self, stand: Stand) -> None:
        scopes = [ILKA, BEN, Scope(), Scope(tenant="t", user="ilka")]
        for number in range(12):
            narrow = replace(scopes[number % 4], agent=f"a{number % 3}", session=f"s{number % 2}")
            stand.keep(a_memory(f"kettle {number}", scope=narrow))
        for scope in scopes:
            assert len(stand.entries(of(scope))) == 3
            assert_chained(stand.entries(of(scope)))

    def test_one_set_may_write_into_several_chains(self, stand: Stand) -> None:
        scopes = [ILKA, BEN, ILKA, BEN, ILKA]
        stand.keep(*(a_memory(f"kettle {n}", scope=scope) for n, scope in enumerate(scopes)))
        assert len(stand.entries(of(ILKA))) == 3
        stand.assert_sound(of(ILKA), of(BEN))

    def test_the_journal_tells_every_record_exactly(self, stand: Stand) -> None:
        scope = a_full_memory().scope
        values = {f"v{number}": value for number, value in enumerate(EXACT_VALUES)}
        plain = a_memory(scope=scope, at=NOON + HOUR)
        stand.keep(a_memory("Its successor.", id="three", scope=scope))
        memories = [
            *self.steps(stand, plain, a_full_memory()),
            *self.steps(stand, a_full_memory(), plain),
            *self.steps(stand, a_memory(scope=scope, metadata=values), a_memory(scope=scope)),
            *self.steps(stand, a_memory(scope=scope), a_memory(scope=scope, metadata=values)),
        ]
        stand.write(a_change_set(accesses=tuple(map(an_access, memories))))
        stand.assert_sound(of(replace(scope, agent="", session="")))

    def steps(self, stand: Stand, one: Memory, other: Memory) -> list[Memory]:
        """Store `one` under an id of its own and change it into `other` and back."""
        first = replace(one, id=a_memory().id, version=1)
        second = replace(other, id=first.id, version=2)
        third = replace(first, version=3)
        stand.keep(first)
        stand.write(a_change_set(a_change(second, before=first)))
        assert exact(stand.stored(first)) == exact(second)
        stand.write(a_change_set(a_change(third, before=second)))
        return [third]

    @pytest.mark.parametrize(
        ("before", "after"), [(1, True), (True, 1), (1, 1.0), (1.0, 1), (0, False), (0.0, -0.0)]
    )
    def test_a_change_of_type_alone_is_a_change(
        self, stand: Stand, before: Any, after: Any
    ) -> None:
        memory = stand.keep(a_memory(metadata={"a": before, "b": [before]}))
        changed = stand.change(memory, metadata={"a": after, "b": [after]})
        assert exact(stand.stored(memory)) == exact(changed)
        stand.assert_sound()

    def test_late_recalls_replay_as_they_were_stored(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        for hours in (3, 1, 2):
            access = an_access(memory, at=NOON + hours * HOUR + timedelta(microseconds=hours))
            stand.write(a_change_set(accesses=(access,)))
        assert stand.stored(memory).accessed_count == 3
        stand.assert_sound()

    def test_the_past_is_the_fold_up_to_it(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("first"))
        second = stand.change(memory, at=NOON + HOUR, content="second")
        third = stand.change(second, at=NOON + 2 * HOUR, content="third")
        entries = stand.entries()
        assert replay(entries, until=NOON) == {memory.id: memory}
        assert replay(entries, until=NOON + HOUR) == {memory.id: second}
        assert replay(entries) == {memory.id: third}

    def test_a_long_life_stays_sound(self, stand: Stand) -> None:
        memories = [a_memory(f"kettle {n}", key=f"slot {n % 3}") for n in range(6)]
        stand.keep(*memories)
        states = list(State)
        for step in range(24):
            current = stand.stored(memories[step % 6])
            after = successor(
                current,
                state=states[step % len(states)],
                content=f"kettle {step // 8}",
                metadata={} if step % 4 else {"step": step},
                valid_to=None if step % 3 else NOON + step * HOUR,
            )
            change: Change = a_change(after, before=current, reason=f"step {step}")
            access = an_access(current, at=NOON + step * HOUR)
            stand.write(a_change_set(change, accesses=(access,), at=NOON + step * HOUR))
        stand.assert_sound()


class JournalContract(TellsWhatHappened, KeepsHistories, ChainsAndReplays):
    """Everything about the journal."""
