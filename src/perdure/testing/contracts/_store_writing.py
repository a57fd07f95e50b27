"""What `apply` promises: exactness, atomicity, and every precondition."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from perdure.domain.changes import (
    Accesses,
    Applied,
    IdempotencyKey,
    Operation,
    Refused,
    SlotState,
)
from perdure.domain.query import Condition
from perdure.domain.records import Attachment, Kind, Memory, Metadata, Source, State, Strength
from perdure.domain.scope import Scope
from perdure.domain.text import sanitise
from perdure.domain.visibility import View
from perdure.testing.builders import (
    ILKA,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    an_id,
    forgotten,
    successor,
    vectors_of,
)
from perdure.testing.contracts._store_stand import EVERYONE, Stand, exact, looking

HOUR = timedelta(hours=1)

ODD_TEXTS = {
    "empty": "",
    "blank": "  \t ",
    "lines": "one\r\ntwo\rthree\n",
    "quotes": """it's "quoted" `twice`; -- '' \\' \\\\""",
    "wildcards": "100% of _all_ *things* [a-z] ?",
    "sql": "'); DROP TABLE memory; --",
    "operators": 'AND OR NOT NEAR(a b) "a" a* ^a -b col:x (kettle',
    "controls": "\x01\x02\x08\x0b\x0c\x1b\x1f\x7f\x85\u2028\u2029\ufeff",
    "emoji": "👩‍👩‍👧‍👦 🇩🇪 👍🏽 kettle",
    "chinese": "我喜歡喝綠茶，不喜欢咖啡。𠮷野家",
    "accents": "e\u0301 é ﬁ Å ﷺ",
    "right to left": "שלום العالم",
    "number": "007",
    "null": "NULL",
    "json": '{"a": [1, null]}',
    "replaced": sanitise("a\x00b\ud800c\ud83d\ude00"),
    "big": "kettle 茶 " * 20_000,
    "one long word": "x" * 300_000,
}
ODD_NAMES = (
    "", " ", "%", "_", "a%", "a_", "*", "'", '"', "''", "\\", "/", "a/b", "a:b", "a\x1fb", ":", "|",
    "a", "A", "á", "a ", " a", "aa", "null", "0", "茶", "👍🏽", "x" * 300, "茶" * 300, "\u2028", "\ufffd",
)  # fmt: skip
EXACT_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, 1 - 2**63, 0.0, -0.0, 1.0, 0.1, 1e16, 1e22,
    1e-7, 5e-324, 1.7976931348623157e308, 9007199254740993.0, "", "1", "true", "null", "2031-07-25", [],
    {}, [1, 1.0, "1", True, None], [[[]]], {"a": {"b": [{"c": 1e16}]}}, {"": ""},
)  # fmt: skip


def a_full_memory() -> Memory:
    """A memory with no field at its default."""
    return a_memory(
        "Ilka met Ben at the chess club.",
        scope=Scope(tenant="t", agent="tutor", user="ilka", session="s1"),
        at=datetime(2031, 7, 25, 12, 0, 0, 1, UTC),
        kind=Kind.EPISODIC,
        state=State.COMPRESSED,
        version=7,
        importance=0.1 + 0.2,
        confidence=1 / 3,
        occurred_until=NOON + HOUR,
        valid_to=datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
        retired_at=NOON + 2 * HOUR,
        expires_at=NOON + 3 * HOUR,
        supersedes=("one", "two"),
        superseded_by="three",
        metadata=Metadata({"topic": "chess", "tags": ["a", "b"], "n": 1.0}),
        pinned=True,
        held=True,
        key="club/last met",
        source=Source(role="user", speaker="Ilka", message_ids=("m1", "m2")),
        accessed_count=3,
        used_count=2,
        last_accessed_at=NOON - HOUR,
        subject="user",
        predicate="met",
        object="Ben",
        polarity="-",
        causes=("four",),
        supports=("seven",),
        contradicts=("eight",),
        archive="0198-batch#12",
        provenance=("five", "six"),
        attachments=(
            Attachment(media_type="image/png", digest="ab", location="s3://x", caption="A board"),
            Attachment(media_type="image/png", digest="cd", location="s3://y"),
        ),
        strength=Strength(ease=1.7, interval_days=2.5, repetitions=3, due_at=NOON),
    )


def a_key(
    name: str = "k1", request: str = "r1", scope: Scope = ILKA, **answer: Any
) -> IdempotencyKey:
    """An idempotency key."""
    return IdempotencyKey(scope=scope, key=name, request=request, answer=answer or {"ids": ["x"]})


def an_access(memory: Memory, *, count: int = 1, at: datetime = NOON) -> Accesses:
    """Recalls of a memory."""
    return Accesses(memory_id=memory.id, scope=memory.scope, count=count, last_at=at)


def a_slot(*members: Memory, key: str = "home", scope: Scope = ILKA) -> SlotState:
    """The precondition that a slot holds exactly these."""
    pairs = frozenset((memory.id, memory.version) for memory in members)
    return SlotState(scope=scope, key=key, members=pairs)


class KeepsExactly:
    """What is read back is what was written."""

    def test_every_field_is_read_back_as_written(self, stand: Stand) -> None:
        memory = stand.keep(a_full_memory())
        assert stand.get(memory) == memory
        assert exact(stand.stored(memory)) == exact(memory)

    def test_defaults_are_read_back_as_written(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        assert stand.get(memory) == memory

    @pytest.mark.parametrize("content", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
    def test_any_text_is_kept_exactly(self, stand: Stand, content: str) -> None:
        texts: dict[str, Any] = {
            "object": content[:300],
            "subject": content[:300],
            "key": content[:300],
        }
        memory = stand.keep(a_memory(content, metadata={content[:300]: content}, **texts))
        stored = stand.get(memory)
        assert stored == memory
        assert stand.query(looking()) == [memory]

    def test_metadata_values_keep_their_types(self, stand: Stand) -> None:
        values = {f"v{number}": value for number, value in enumerate(EXACT_VALUES)}
        memory = stand.keep(a_memory(metadata=values))
        for found in (stand.stored(memory), stand.query(looking())[0]):
            assert exact(found) == exact(memory)

    def test_metadata_keys_are_kept_exactly(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(metadata={name: name for name in ODD_NAMES}))
        assert stand.get(memory) == memory

    @pytest.mark.parametrize(
        "moment",
        [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC),
            datetime(2031, 7, 25, 2, 0, 0, 1, UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
        ],
    )
    def test_times_are_kept_to_the_microsecond(self, stand: Stand, moment: datetime) -> None:
        memory = stand.keep(a_memory(at=moment, valid_to=moment, expires_at=moment))
        assert stand.get(memory) == memory
        assert stand.stored(memory).occurred_at.utcoffset() == timedelta(0)

    def test_what_is_read_is_the_callers_own(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(metadata={"tags": ["a"]}))
        for found in (stand.stored(memory), stand.query(looking())[0]):
            found.metadata["tags"].append("b")
        stand.entries()[0].change["metadata"]["tags"].append("c")
        assert stand.get(memory) == a_memory(id=memory.id, metadata={"tags": ["a"]})
        assert stand.entries()[0].change["metadata"] == {"tags": ["a"]}

    def test_what_was_given_may_be_altered_afterwards(self, stand: Stand) -> None:
        metadata: dict[str, Any] = {"tags": ["a"]}
        vectors = vectors_of((1, 0, 0, 0))
        memory = stand.keep(a_memory(metadata=metadata), vectors=vectors)
        metadata["tags"].append("b")
        vectors.rows[:] = np.float32(0)
        assert stand.stored(memory).metadata == {"tags": ["a"]}
        found = stand.search(near=(1, 0, 0, 0), model=vectors.model).candidates
        assert [candidate.cosine for candidate in found] == [pytest.approx(1, abs=1e-5)]


class Applies:
    """All or nothing, in order, each change on top of what is stored."""

    def test_an_empty_change_set_is_applied_and_writes_nothing(self, stand: Stand) -> None:
        stand.keep(a_memory())
        stand.write(a_change_set())
        assert len(stand.entries()) == 1

    def test_the_sequence_is_that_of_the_last_entry(self, stand: Stand) -> None:
        applied = stand.write(a_change_set(a_memory(), a_memory("another kettle")))
        assert applied.sequence == stand.entries()[-1].sequence

    def test_a_new_memory_must_not_exist(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        other = a_memory("another kettle")
        refused = stand.refuse(a_change_set(other, replace(memory, content="changed")))
        assert refused == Refused(stale=(memory.id,))
        assert stand.get(other) is None
        assert stand.seen(looking()) == {memory.id}

    def test_an_update_must_build_on_the_stored_version(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.change(memory, importance=0.9)
        other = a_memory("another kettle")
        late = a_change(successor(memory, importance=0.1), before=memory)
        refused = stand.refuse(a_change_set(other, late))
        assert refused == Refused(stale=(memory.id,))
        assert stand.get(other) is None

    def test_an_update_of_an_unknown_memory_is_stale(self, stand: Stand) -> None:
        memory = a_memory()
        refused = stand.refuse(a_change_set(a_change(successor(memory), before=memory)))
        assert refused == Refused(stale=(memory.id,))

    def test_a_version_from_the_future_is_stale(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        ahead = replace(memory, version=3)
        refused = stand.refuse(a_change_set(a_change(successor(ahead), before=ahead)))
        assert refused.stale == (memory.id,)

    @pytest.mark.parametrize("scope", [Scope(user="ben"), Scope(), Scope(tenant="x", user="ilka")])
    def test_nobody_changes_a_memory_behind_other_walls(self, stand: Stand, scope: Scope) -> None:
        memory = stand.keep(a_memory())
        stand.keep(a_memory("Ben has a kettle.", scope=scope))
        forged = replace(memory, scope=scope)
        stolen = a_change(successor(forged, content="mine now"), before=forged)
        assert stand.refuse(a_change_set(stolen)).stale == (memory.id,)
        assert stand.get(memory) == memory

    def test_an_id_is_taken_for_other_users_too(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        copy = replace(memory, scope=Scope(user="ben"), content="mine now")
        assert stand.refuse(a_change_set(copy)).stale == (memory.id,)
        assert stand.get(memory) == memory

    def test_changes_of_one_memory_may_follow_each_other(self, stand: Stand) -> None:
        first = a_memory()
        second = successor(first, content="The kettle is red.")
        third = successor(second, importance=0.9)
        stand.write(
            a_change_set(first, a_change(second, before=first), a_change(third, before=second))
        )
        assert stand.get(first) == third
        assert [entry.version for entry in stand.entries()] == [1, 2, 3]
        assert stand.seen(looking()) == {first.id}
        stand.assert_sound()

    def test_each_of_them_must_build_on_the_one_before(self, stand: Stand) -> None:
        first = a_memory()
        beside = a_change(successor(first), before=first)
        assert stand.refuse(a_change_set(first, beside, beside)).stale == (first.id,)
        assert stand.refuse(a_change_set(first, first)).stale == (first.id,)
        assert stand.get(first) is None

    def test_every_failure_is_reported(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        stand.write(a_change_set(idempotency=(a_key("used", "r1", answer=1), a_key("other", "r1"))))
        refused = stand.refuse(
            a_change_set(
                a_memory(key="home"),
                a_change(successor(replace(memory, version=5)), before=replace(memory, version=5)),
                unless_known=frozenset({0}),
                slots=(a_slot(), a_slot(memory), a_slot(key="empty")),
                idempotency=(a_key("new"), a_key("used", "r1"), a_key("other", "r2")),
            )
        )
        assert refused == Refused(
            known={0: memory},
            stale=(memory.id,),
            slots=("home",),
            repeated={1: {"answer": 1}},
            clashing=(2,),
        )

    def test_a_refused_set_leaves_no_trace(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.refuse(
            a_change_set(
                memory,
                a_memory("a free slot", key="home"),
                idempotency=(a_key("k1"),),
                accesses=(an_access(memory),),
            )
        )
        stand.write(a_change_set(idempotency=(a_key("k1", "another request"),)))
        assert stand.get(memory) == memory
        assert stand.run(stand.store.slot(ILKA, "home")) == []

    def test_one_of_many_writers_of_a_version_wins(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(importance=0.0))
        answers = stand.together(
            *(
                stand.store.apply(
                    a_change_set(
                        a_change(successor(memory, importance=number / 10), before=memory),
                        a_memory(f"written with version {number}"),
                    )
                )
                for number in range(1, 9)
            )
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Applied"] + ["Refused"] * 7
        winner = next(n for n, answer in enumerate(answers, start=1) if isinstance(answer, Applied))
        assert stand.stored(memory).importance == winner / 10
        assert len(stand.query(looking())) == 2
        stand.assert_sound()

    def test_many_writers_lose_nothing(self, stand: Stand) -> None:
        scopes = [ILKA, Scope(user="ben")]
        memories = [a_memory(f"kettle {n}", scope=scopes[n % 2]) for n in range(40)]
        answers = stand.together(
            *(
                stand.store.apply(a_change_set(*memories[start : start + 2]))
                for start in range(0, 40, 2)
            )
        )
        assert all(isinstance(answer, Applied) for answer in answers)
        assert len({answer.sequence for answer in answers if isinstance(answer, Applied)}) == 20
        assert stand.seen(looking(everything=True)) == {memory.id for memory in memories}
        stand.assert_sound(*(View(scope=scope, now=NOON) for scope in scopes))


class GuardsSlots:
    """`ChangeSet.slots`, and `slot`."""

    def test_a_slot_gives_its_members_by_when_they_became_true(self, stand: Stand) -> None:
        late, early = a_memory("late", key="home"), a_memory("early", key="home", at=NOON - HOUR)
        also_late = a_memory("also late", key="home")
        stand.keep(also_late, late, early, a_memory("elsewhere", key="work"), a_memory("free"))
        assert stand.run(stand.store.slot(ILKA, "home")) == [early, late, also_late]
        assert stand.run(stand.store.slot(ILKA, "nothing")) == []

    def test_a_slot_belongs_to_exactly_one_scope(self, stand: Stand) -> None:
        scopes = [
            Scope(),
            ILKA,
            Scope(user="ben"),
            Scope(tenant="t", user="ilka"),
            Scope(user="ilka", agent="a"),
            Scope(user="ilka", session="a"),
        ]
        members = [a_memory(f"home of {scope}", scope=scope, key="home") for scope in scopes]
        stand.keep(*members)
        for scope, member in zip(scopes, members, strict=True):
            assert stand.run(stand.store.slot(scope, "home")) == [member]

    def test_what_is_retired_or_forgotten_left_its_slot(self, stand: Stand) -> None:
        fields: dict[str, Any] = {"key": "home"}
        kept = [
            a_memory("closed", valid_to=NOON + HOUR, state=State.SUPERSEDED, **fields),
            a_memory("archived", state=State.ARCHIVED, **fields),
            a_memory("expired", expires_at=NOON, **fields),
        ]
        gone = [
            a_memory("retired", retired_at=NOON, state=State.SUPERSEDED, **fields),
            a_memory("forgotten", state=State.FORGOTTEN, **fields),
        ]
        leaving = a_memory("leaving", **fields)
        stand.keep(*kept, *gone, leaving)
        stand.change(leaving, retired_at=NOON)
        assert stand.run(stand.store.slot(ILKA, "home")) == kept

    @pytest.mark.parametrize("key", ODD_NAMES)
    def test_a_slot_key_means_itself(self, stand: Stand, key: str) -> None:
        stand.keep(*(a_memory(f"in {name}", key=name) for name in ODD_NAMES))
        found = stand.run(stand.store.slot(ILKA, key))
        assert [memory.key for memory in found] == [key]

    def test_a_slot_as_it_was_read_may_be_written(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        stand.write(a_change_set(a_memory("next", key="home"), slots=(a_slot(memory),)))
        assert len(stand.run(stand.store.slot(ILKA, "home"))) == 2

    def test_an_empty_slot_is_a_precondition_too(self, stand: Stand) -> None:
        stand.write(a_change_set(a_memory(key="home"), slots=(a_slot(), a_slot(key="work"))))
        refused = stand.refuse(
            a_change_set(a_memory("x", key="home"), slots=(a_slot(key="work"), a_slot()))
        )
        assert refused == Refused(slots=("home",))

    def test_a_member_that_changed_is_another(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        stand.change(memory, valid_to=NOON + HOUR)
        refused = stand.refuse(a_change_set(a_memory("x", key="home"), slots=(a_slot(memory),)))
        assert refused == Refused(slots=("home",))

    def test_a_member_that_left_is_missed(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        stand.change(memory, state=State.FORGOTTEN)
        refused = stand.refuse(a_change_set(a_memory("x", key="home"), slots=(a_slot(memory),)))
        assert refused == Refused(slots=("home",))

    def test_slots_are_looked_at_before_the_set(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        after = successor(memory, retired_at=NOON)
        stand.write(
            a_change_set(
                a_memory("next", key="home"),
                a_change(after, before=memory),
                slots=(a_slot(memory),),
            )
        )

    def test_two_writers_of_one_slot_do_not_both_succeed(self, stand: Stand) -> None:
        answers = stand.together(
            *(
                stand.store.apply(
                    a_change_set(a_memory(f"home {n}", key="home"), slots=(a_slot(),))
                )
                for n in range(8)
            )
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Applied"] + ["Refused"] * 7
        assert len(stand.run(stand.store.slot(ILKA, "home"))) == 1


class RefusesWhatIsKnown:
    """`ChangeSet.unless_known`."""

    def known(self, stand: Stand, memory: Memory, at: datetime = NOON) -> Memory | None:
        """Which stored memory already says what this one says, if any."""
        changes = a_change_set(memory, at=at, unless_known=frozenset({0}))
        answer = stand.apply(changes)
        return answer.known[0] if isinstance(answer, Refused) else None

    def test_what_is_known_is_not_stored_again(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        refused = stand.refuse(a_change_set(a_memory(), unless_known=frozenset({0})))
        assert refused == Refused(known={0: memory})

    def test_without_the_wish_it_is_stored_again(self, stand: Stand) -> None:
        stand.keep(a_memory())
        stand.keep(a_memory())
        assert len(stand.query(looking())) == 2

    def test_case_and_spaces_do_not_make_it_new(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("The  kettle is blue.\n"))
        assert self.known(stand, a_memory("the kettle IS blue.")) == memory

    @pytest.mark.parametrize(
        "other",
        [
            a_memory("The kettle is not blue."),
            a_memory("The kettle is blue. 2"),
            a_memory(scope=Scope(user="ben")),
            a_memory(scope=Scope(user="ilka", agent="a")),
            a_memory(scope=Scope(user="ilka", session="a")),
            a_memory(scope=Scope(user="ilka", tenant="a")),
            a_memory(kind=Kind.EPISODIC),
            a_memory(key="kettle"),
            a_memory(metadata={"a": 1}),
            a_memory(pinned=True),
            a_memory(occurred_at=NOON - HOUR),
        ],
        ids=lambda memory: str(memory.id),
    )
    def test_what_differs_is_new(self, stand: Stand, other: Memory) -> None:
        stand.keep(a_memory())
        assert self.known(stand, replace(other, id=an_id())) is None

    @pytest.mark.parametrize(
        "fields",
        [
            {"state": State.FORGOTTEN},
            {"state": State.ARCHIVED},
            {"state": State.SUPERSEDED, "retired_at": NOON},
            {"retired_at": NOON},
            {"expires_at": NOON},
            {"valid_to": NOON},
        ],
        ids=str,
    )
    def test_what_no_longer_holds_is_not_known(self, stand: Stand, fields: dict[str, Any]) -> None:
        memory = stand.keep(a_memory(at=NOON - HOUR))
        stand.change(memory, **fields)
        assert self.known(stand, a_memory(at=NOON)) is None

    def test_an_updated_memory_is_known_by_its_new_words_only(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("old words"))
        after = stand.change(memory, content="new words")
        assert self.known(stand, a_memory("new words")) == after
        assert self.known(stand, a_memory("old words")) is None

    def test_of_several_the_smallest_id_is_named(self, stand: Stand) -> None:
        first, second = a_memory(), a_memory()
        stand.keep(second)
        stand.keep(first)
        assert self.known(stand, a_memory()) == first

    def test_the_same_said_twice_in_one_set_is_known_the_second_time(self, stand: Stand) -> None:
        first, other, second, third = a_memory(), a_memory("other"), a_memory(), a_memory()
        refused = stand.refuse(
            a_change_set(first, other, second, third, unless_known=frozenset({0, 1, 2, 3}))
        )
        assert refused == Refused(known={2: first, 3: first})
        stand.write(a_change_set(first, other, unless_known=frozenset({0, 1})))

    def test_what_is_stored_comes_before_what_is_said_twice(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        refused = stand.refuse(
            a_change_set(a_memory(), a_memory(), a_memory("new"), unless_known=frozenset({0, 1, 2}))
        )
        assert refused == Refused(known={0: memory, 1: memory})

    def test_what_the_set_has_just_ended_is_not_known(self, stand: Stand) -> None:
        old = stand.keep(a_memory("at the lake", key="home", at=NOON - HOUR))
        town = a_memory("in town", key="home")
        ended = successor(old, valid_to=NOON, superseded_by=town.id, state=State.SUPERSEDED)
        town_ended = successor(town, valid_to=NOON + HOUR, state=State.SUPERSEDED)
        again = a_memory("at the lake", key="home", at=NOON + HOUR)
        stand.write(
            a_change_set(
                town,
                a_change(ended, before=old),
                again,
                a_change(town_ended, before=town),
                unless_known=frozenset({0, 2}),
            )
        )

    def test_what_the_set_has_just_changed_is_known_by_its_new_words(self, stand: Stand) -> None:
        old = stand.keep(a_memory("old words"))
        renewed = successor(old, content="new words")
        change = a_change(renewed, before=old)
        refused = stand.refuse(
            a_change_set(change, a_memory("new words"), unless_known=frozenset({1}))
        )
        assert refused == Refused(known={1: renewed})

    def test_odd_texts_are_known_too(self, stand: Stand) -> None:
        memories = {name: a_memory(text) for name, text in ODD_TEXTS.items() if text.strip()}
        stand.keep(*memories.values())
        for memory in memories.values():
            assert self.known(stand, replace(memory, id=an_id())) == memory

    def test_many_writers_of_one_memory_leave_one(self, stand: Stand) -> None:
        answers = stand.together(
            *(
                stand.store.apply(a_change_set(a_memory(), unless_known=frozenset({0})))
                for _ in range(16)
            )
        )
        stored = stand.query(looking())
        assert len(stored) == 1
        known = [answer.known[0] for answer in answers if isinstance(answer, Refused)]
        assert known == stored * 15


class RemembersRequests:
    """`ChangeSet.idempotency`."""

    def test_a_repeated_request_gets_the_first_answer(self, stand: Stand) -> None:
        answer: dict[str, Any] = {"ids": ["x", 1, 1.0, None], "茶": {"a": True}}
        stand.write(a_change_set(a_memory(), idempotency=(a_key("k", "r", **answer),)))
        refused = stand.refuse(a_change_set(a_memory(), idempotency=(a_key("k", "r", other=1),)))
        assert refused == Refused(repeated={0: answer})
        assert repr(refused.repeated[0]) == repr(answer)
        assert len(stand.entries()) == 1

    def test_the_same_key_for_another_request_clashes(self, stand: Stand) -> None:
        stand.write(a_change_set(a_memory(), idempotency=(a_key("k", "r"),)))
        refused = stand.refuse(a_change_set(a_memory(), idempotency=(a_key("k", "q"),)))
        assert refused == Refused(clashing=(0,))

    def test_a_key_is_recorded_without_changes(self, stand: Stand) -> None:
        stand.write(a_change_set(idempotency=(a_key("k", "r", found="x"),)))
        refused = stand.refuse(a_change_set(idempotency=(a_key("k", "r"),)))
        assert refused == Refused(repeated={0: {"found": "x"}})
        assert stand.entries() == []

    def test_each_key_of_a_set_has_its_own_answer(self, stand: Stand) -> None:
        keys = (a_key("k1", "r1", n=1), a_key("k2", "r2", n=2), a_key("k3", "r3", n=3))
        stand.write(a_change_set(idempotency=keys))
        again = (a_key("new"), a_key("k3", "r3"), a_key("k1", "r1"), a_key("k2", "other"))
        refused = stand.refuse(a_change_set(idempotency=again))
        assert refused == Refused(repeated={1: {"n": 3}, 2: {"n": 1}}, clashing=(3,))

    def test_a_key_may_stand_once_in_a_set(self, stand: Stand) -> None:
        keys = (a_key("k", "r", n=1), a_key("k", "r", n=2), a_key("k", "q"))
        refused = stand.refuse(a_change_set(idempotency=keys))
        assert refused == Refused(repeated={1: {"n": 1}}, clashing=(2,))

    def test_a_key_belongs_to_one_user(self, stand: Stand) -> None:
        scopes = [ILKA, Scope(user="ben"), Scope(), Scope(tenant="t", user="ilka")]
        for scope in scopes:
            key = a_key("k", f"request of {scope}", scope=scope, of=str(scope))
            stand.write(a_change_set(idempotency=(key,)))
        for scope in scopes:
            agent = replace(scope, agent="a", session="s")
            key = a_key("k", f"request of {scope}", scope=agent)
            refused = stand.refuse(a_change_set(idempotency=(key,)))
            assert refused.repeated == {0: {"of": str(scope)}}

    def test_a_key_means_itself(self, stand: Stand) -> None:
        keys = tuple(a_key(name, "r", of=name) for name in ODD_NAMES)
        stand.write(a_change_set(idempotency=keys))
        refused = stand.refuse(a_change_set(idempotency=keys))
        assert refused.repeated == {n: {"of": name} for n, name in enumerate(ODD_NAMES)}

    def test_one_of_many_requests_with_one_key_is_carried_out(self, stand: Stand) -> None:
        answers = stand.together(
            *(
                stand.store.apply(
                    a_change_set(a_memory(f"kettle {n}"), idempotency=(a_key("k", "r", n=n),))
                )
                for n in range(8)
            )
        )
        winner = next(n for n, answer in enumerate(answers) if isinstance(answer, Applied))
        others = [answer.repeated for answer in answers if isinstance(answer, Refused)]
        assert others == [{0: {"n": winner}}] * 7
        assert [memory.content for memory in stand.query(looking())] == [f"kettle {winner}"]


class CountsAccesses:
    """`ChangeSet.accesses`."""

    def test_recalls_are_counted(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.write(a_change_set(accesses=(an_access(memory, count=2, at=NOON + HOUR),)))
        stand.write(a_change_set(accesses=(an_access(memory), an_access(memory, count=3))))
        expected = replace(memory, accessed_count=6, last_accessed_at=NOON + HOUR)
        assert stand.get(memory) == expected
        assert stand.query(looking()) == [expected]
        (candidate,) = stand.search(words="kettle").candidates
        assert candidate.accessed_count == 6

    def test_an_access_is_journalled_after_the_changes(self, stand: Stand) -> None:
        memory, new = stand.keep(a_memory()), a_memory("new")
        stand.write(a_change_set(new, accesses=(an_access(new, count=4), an_access(memory))))
        created, first, second = stand.entries()[1:]
        assert created.operation is Operation.CREATED
        assert (first.operation, first.memory_id) == (Operation.ACCESSED, new.id)
        assert first.change == {"count": 4, "last_at": "2031-07-25T12:00:00+00:00"}
        assert (second.operation, second.memory_id) == (Operation.ACCESSED, memory.id)
        assert stand.stored(new).accessed_count == 4
        stand.assert_sound()

    def test_an_access_to_nothing_is_dropped(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        ben = Scope(user="ben")
        stand.keep(a_memory(scope=ben))
        stand.write(
            a_change_set(
                accesses=(an_access(a_memory()), an_access(replace(memory, scope=ben))),
            )
        )
        assert stand.get(memory) == memory
        assert len(stand.entries()) == len(stand.entries(View(scope=ben, now=NOON))) == 1

    def test_an_update_read_before_an_access_keeps_the_count(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.write(a_change_set(accesses=(an_access(memory),)))
        after = stand.change(memory, importance=0.9)
        assert stand.get(memory) == replace(after, accessed_count=1, last_accessed_at=NOON)
        stand.assert_sound()

    def test_an_update_may_set_the_count(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(accessed_count=2, last_accessed_at=NOON))
        stand.write(a_change_set(accesses=(an_access(memory),)))
        after = stand.change(memory, accessed_count=9, last_accessed_at=None)
        assert stand.get(memory) == after
        stand.assert_sound()

    def test_accesses_do_not_stand_in_the_way_of_an_update(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(key="home"))
        stand.write(a_change_set(accesses=(an_access(memory),)))
        assert stand.stored(memory).version == memory.version
        stand.write(a_change_set(slots=(a_slot(memory),)))

    def test_a_forgotten_memory_stays_forgotten(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.write(a_change_set(a_change(forgotten(memory), before=memory)))
        stand.write(a_change_set(accesses=(an_access(memory),)))
        assert stand.query(Condition(view=looking().view), limit=EVERYONE) == []
        stand.assert_sound()


class WritingContract(
    KeepsExactly, Applies, GuardsSlots, RefusesWhatIsKnown, RemembersRequests, CountsAccesses
):
    """Everything about `apply` and `slot`."""
