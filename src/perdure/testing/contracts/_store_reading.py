"""What `get`, `query` and `count` promise, and that every read path sees the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from perdure.domain.filters import evaluate, parse_filter
from perdure.domain.query import Condition, Order, Position, sort_value
from perdure.domain.records import Attachment, Kind, Memory, Source, State
from perdure.domain.scope import Scope
from perdure.domain.visibility import INCLUDES, View
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, a_memory, forgotten
from perdure.testing.contracts._store_stand import EVERYONE, Stand, looking
from perdure.testing.contracts._store_writing import ODD_NAMES, an_access

HOUR = timedelta(hours=1)
ANYTHING = frozenset(INCLUDES)


def kettles(*scopes: Scope) -> list[Memory]:
    """One memory for each scope."""
    return [a_memory(f"kettle {n}", scope=scope) for n, scope in enumerate(scopes)]


def among(condition: Condition, **fields: Any) -> Condition:
    """The condition with its filter, kinds or window replaced."""
    return replace(condition, **fields)


class GetsById:
    """`get`."""

    def test_unknown_ids_are_left_out(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        assert stand.run(stand.store.get(ILKA, [memory.id, "nothing", ""])) == {memory.id: memory}
        assert stand.run(stand.store.get(ILKA, [])) == {}

    def test_an_id_may_be_asked_twice(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        assert stand.run(stand.store.get(ILKA, [memory.id] * 3)) == {memory.id: memory}

    @pytest.mark.parametrize("scope", [Scope(), Scope(user="ben"), Scope(user="ilka", tenant="t")])
    def test_nothing_is_got_through_walls(self, stand: Stand, scope: Scope) -> None:
        memory = stand.keep(a_memory())
        stand.keep(a_memory(scope=scope))
        assert stand.run(stand.store.get(scope, [memory.id])) == {}
        assert stand.run(stand.store.history(scope, memory.id)) == []

    def test_agent_and_session_do_not_narrow(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(scope=replace(ILKA, agent="a", session="s")))
        for scope in (ILKA, replace(ILKA, agent="b"), replace(ILKA, session="x")):
            assert stand.run(stand.store.get(scope, [memory.id])) == {memory.id: memory}

    @pytest.mark.parametrize("state", list(State))
    def test_every_state_is_got(self, stand: Stand, state: State) -> None:
        memory = stand.keep(a_memory(state=state, retired_at=NOON, expires_at=NOON))
        assert stand.get(memory) == memory

    def test_thousands_of_ids_may_be_asked_at_once(self, stand: Stand) -> None:
        memories = [a_memory(f"kettle {n}") for n in range(2500)]
        stand.keep(*memories)
        ids = [memory.id for memory in memories]
        assert len(stand.run(stand.store.get(ILKA, ids))) == 2500
        assert stand.run(stand.store.count(looking())) == 2500


class KeepsWalls:
    """Tenant and user match exactly; agent and session narrow."""

    def test_a_user_sees_nobody_elses_memories(self, stand: Stand) -> None:
        scopes = [
            Scope(),
            ILKA,
            Scope(user="ben"),
            Scope(tenant="t"),
            Scope(tenant="t", user="ilka"),
        ]
        memories = kettles(*scopes)
        stand.keep(*memories)
        for scope, memory in zip(scopes, memories, strict=True):
            assert stand.seen(looking(scope=scope)) == {memory.id}

    def test_agent_and_session_narrow_when_given(self, stand: Stand) -> None:
        plain, agent, session, both, other = kettles(
            ILKA,
            replace(ILKA, agent="a"),
            replace(ILKA, session="s"),
            replace(ILKA, agent="a", session="s"),
            replace(ILKA, agent="b", session="t"),
        )
        stand.keep(plain, agent, session, both, other)

        def seen(**parts: str) -> set[str]:
            return stand.seen(looking(scope=replace(ILKA, **parts)))

        assert seen() == {plain.id, agent.id, session.id, both.id, other.id}
        assert seen(agent="a") == {agent.id, both.id}
        assert seen(session="s") == {session.id, both.id}
        assert seen(agent="a", session="s") == {both.id}
        assert seen(agent="b", session="s") == set()

    def test_everything_spans_the_tenant_and_no_more(self, stand: Stand) -> None:
        inside = kettles(
            Scope(tenant="t"),
            Scope(tenant="t", user="ilka", agent="a"),
            Scope(tenant="t", user="ben", session="s"),
        )
        outside = kettles(Scope(), ILKA, Scope(tenant="tt", user="ilka"), Scope(tenant="T"))
        stand.keep(*inside, *outside)
        for scope in (Scope(tenant="t", user="ilka"), Scope(tenant="t", agent="x", session="y")):
            seen = stand.seen(looking(scope=scope, everything=True))
            assert seen == {memory.id for memory in inside}

    @pytest.mark.parametrize("part", ["tenant", "agent", "user", "session"])
    def test_scope_parts_mean_themselves(self, stand: Stand, part: str) -> None:
        scopes = [replace(ILKA, **{part: name}) for name in ODD_NAMES]
        memories = kettles(*scopes)
        stand.keep(*memories)
        narrows = part in ("agent", "session")
        for scope, memory in zip(scopes, memories, strict=True):
            is_open = narrows and getattr(scope, part) == ""
            expected = {item.id for item in memories} if is_open else {memory.id}
            assert stand.seen(looking(scope=scope)) == expected
            assert stand.run(stand.store.get(scope, [memory.id])) == {memory.id: memory}

    def test_parts_do_not_run_into_each_other(self, stand: Stand) -> None:
        scopes = [
            Scope(tenant="a", user="bc"),
            Scope(tenant="ab", user="c"),
            Scope(tenant="abc"),
            Scope(user="abc"),
            Scope(tenant="a/b", user="c"),
            Scope(tenant="a", user="b/c"),
            Scope(tenant="a\x1fb", user="c"),
            Scope(tenant="a", user="b\x1fc"),
            Scope(tenant="a:b", user="c"),
            Scope(tenant="a", user="b:c"),
        ]
        memories = kettles(*scopes)
        stand.keep(*memories)
        for scope, memory in zip(scopes, memories, strict=True):
            assert stand.seen(looking(scope=scope)) == {memory.id}


class ShowsWhatIsVisible:
    """State, expiry and validity, at the asked times."""

    def test_forgotten_memories_are_never_shown(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        assert stand.seen(looking()) == {memory.id}
        stand.write(a_change_set(a_change(forgotten(memory), before=memory)))
        for everything in (False, True):
            assert stand.seen(looking(include=ANYTHING, everything=everything)) == set()

    def test_archived_memories_are_shown_when_asked_for(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(state=State.ARCHIVED))
        assert stand.seen(looking()) == set()
        assert stand.seen(looking(include=ANYTHING - {"archived"})) == set()
        assert stand.seen(looking(include=frozenset({"archived"}))) == {memory.id}

    def test_compressed_memories_are_shown(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(state=State.COMPRESSED))
        assert stand.seen(looking()) == {memory.id}

    def test_a_memory_expires_at_its_moment(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(expires_at=NOON + HOUR))
        shortly_before = NOON + HOUR - timedelta(microseconds=1)
        assert stand.seen(looking(now=shortly_before)) == {memory.id}
        assert stand.seen(looking(now=NOON + HOUR)) == set()
        assert stand.seen(looking(now=NOON + HOUR, as_of=NOON)) == set()
        assert stand.seen(looking(now=NOON + HOUR, include=ANYTHING - {"expired"})) == set()
        expired = frozenset({"expired"})
        assert stand.seen(looking(now=NOON + HOUR, include=expired)) == {memory.id}

    def test_validity_is_half_open(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(valid_to=NOON + HOUR))
        tick = timedelta(microseconds=1)
        for moment, is_seen in {
            NOON - tick: False,
            NOON: True,
            NOON + HOUR - tick: True,
            NOON + HOUR: False,
        }.items():
            expected = {memory.id} if is_seen else set()
            assert stand.seen(looking(now=moment)) == expected
            assert stand.seen(looking(now=NOON + 9 * HOUR, as_of=moment)) == expected

    def test_former_memories_are_shown_when_asked_for(self, stand: Stand) -> None:
        past, future = a_memory(valid_to=NOON), a_memory(at=NOON + HOUR)
        stand.keep(past, future)
        assert stand.seen(looking()) == set()
        former = frozenset({"former"})
        assert stand.seen(looking(include=former)) == {past.id, future.id}

    def test_a_corrected_memory_is_shown_as_superseded_only(self, stand: Stand) -> None:
        memory = stand.keep(
            a_memory(state=State.SUPERSEDED, retired_at=NOON, superseded_by="another")
        )
        assert stand.seen(looking(include=ANYTHING - {"superseded"})) == set()
        assert stand.seen(looking(include=frozenset({"superseded"}))) == {memory.id}

    def test_an_ended_memory_holds_until_its_end(self, stand: Stand) -> None:
        fields: dict[str, Any] = {"state": State.SUPERSEDED, "superseded_by": "another"}
        memory = stand.keep(a_memory(valid_to=NOON + HOUR, **fields))
        later = looking(now=NOON + HOUR)
        assert stand.seen(later) == set()
        assert stand.seen(looking(now=NOON + HOUR, as_of=NOON)) == {memory.id}
        for include in ("superseded", "former"):
            view = looking(now=NOON + HOUR, include=frozenset({include}))
            assert stand.seen(view) == {memory.id}

    def test_a_retracted_memory_is_shown_by_nothing(self, stand: Stand) -> None:
        stand.keep(a_memory(retired_at=NOON + HOUR))
        assert stand.seen(looking(include=ANYTHING)) == set()

    def test_visibility_follows_changes(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        archived = stand.change(memory, state=State.ARCHIVED)
        assert stand.seen(looking()) == set()
        restored = stand.change(archived, state=State.ACTIVE)
        assert stand.seen(looking()) == {memory.id}
        gone = stand.change(restored, state=State.FORGOTTEN)
        assert stand.seen(looking()) == set()
        stand.change(gone, state=State.ACTIVE, content="The kettle is back.")
        assert stand.seen(looking()) == {memory.id}

    def test_kinds_are_told_apart(self, stand: Stand) -> None:
        memories = {kind: a_memory(kind=kind) for kind in Kind}
        stand.keep(*memories.values())
        for kind, memory in memories.items():
            assert stand.seen(among(looking(), kinds=frozenset({kind}))) == {memory.id}
        assert stand.seen(among(looking(), kinds=frozenset())) == set()
        assert stand.seen(among(looking(), kinds=frozenset(Kind))) == {
            memory.id for memory in memories.values()
        }

    def test_a_window_is_half_open(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        tick = timedelta(microseconds=1)
        for window, is_seen in {
            (NOON, None): True,
            (NOON + tick, None): False,
            (None, NOON): False,
            (None, NOON + tick): True,
            (NOON, NOON + tick): True,
            (NOON, NOON): False,
            (None, None): True,
        }.items():
            expected = {memory.id} if is_seen else set()
            assert stand.seen(among(looking(), between=window)) == expected

    def test_a_lasting_event_is_in_every_window_it_meets(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(occurred_until=NOON + 2 * HOUR))
        tick = timedelta(microseconds=1)
        for window, is_seen in {
            (NOON + HOUR, NOON + HOUR + tick): True,
            (NOON + 2 * HOUR, None): True,
            (NOON + 2 * HOUR + tick, None): False,
            (None, NOON): False,
        }.items():
            expected = {memory.id} if is_seen else set()
            assert stand.seen(among(looking(), between=window)) == expected


FILTERED = [
    a_memory(
        "kettle", metadata={"n": 1, "text": "a", "flag": True, "tags": ["x", 1], "none": None}
    ),
    a_memory("kettle", metadata={"n": 1.0, "text": "A", "flag": False, "tags": [], "o": {"a": 1}}),
    a_memory("kettle", metadata={"n": "1", "text": "b%_", "flag": 1, "tags": "x", "o": {"a": 1.0}}),
    a_memory("kettle", metadata={"n": 10, "text": "é", "when": "2031-07-25T14:00:00+02:00"}),
    a_memory("kettle", metadata={"n": 2**53 + 1, "text": "茶", "when": "2031-07-25T12:00:00Z"}),
    a_memory("kettle", metadata={"n": 2.0**53, "text": "", "when": "not a time", "tags": [None]}),
    a_memory("kettle", metadata={"n": -0.0, 'o"dd.key$[0]': "y", "": "empty", "tags": [["x"]]}),
    a_memory("kettle", importance=0.9, pinned=True, key="home", at=NOON - HOUR),
    a_memory("kettle", subject="user", predicate="owns", object="kettle", polarity="+"),
    a_memory("kettle", source=Source(role="user", speaker="Ilka"), expires_at=NOON + HOUR),
]
FILTERS: list[dict[str, Any]] = [
    {"n": 1},
    {"n": "1"},
    {"n": True},
    {"n": {"ne": 1}},
    {"n": {"gt": 1}},
    {"n": {"gte": 1, "lt": 10}},
    {"n": {"gt": 2**53}},
    {"n": {"gt": 2.0**53}},
    {"n": {"lt": "2"}},
    {"n": 0},
    {"flag": True},
    {"flag": 1},
    {"flag": {"ne": False}},
    {"none": None},
    {"n": {"ne": None}},
    {"none": {"exists": True}},
    {"none": {"exists": False}},
    {"text": "a"},
    {"text": {"in": ["a", "é", 1]}},
    {"text": {"nin": ["a", "é"]}},
    {"text": {"in": []}},
    {"text": {"nin": []}},
    {"text": {"contains": "%"}},
    {"text": {"contains": "_"}},
    {"text": {"contains": ""}},
    {"text": {"gt": "a"}},
    {"text": {"lte": "A"}},
    {"tags": {"contains": "x"}},
    {"tags": {"contains": 1}},
    {"tags": {"contains": True}},
    {"tags": {"contains": None}},
    {"tags": {"contains": ["x"]}},
    {"tags": []},
    {"tags": ["x", 1.0]},
    {"o": {"eq": {"a": 1}}},
    {"when": {"eq": NOON}},
    {"when": {"lt": NOON + HOUR}},
    {"when": {"in": [NOON, "not a time"]}},
    {'o"dd.key$[0]': "y"},
    {"": "empty"},
    {"missing": {"ne": 1}},
    {"missing": {"exists": False}},
    {"not": {"n": 1}},
    {"or": [{"n": 1}, {"text": "b%_"}]},
    {"or": []},
    {"and": []},
    {"and": [{"n": 1}, {"not": {"text": "a"}}]},
    {"not": {"or": [{"n": 1}, {"memory.pinned": True}]}},
    {"memory.importance": {"gt": 0.5}},
    {"memory.pinned": True},
    {"memory.key": "home"},
    {"memory.key": {"exists": False}},
    {"memory.content": {"contains": "ett"}},
    {"memory.occurred_at": {"lt": NOON}},
    {"memory.occurred_at": "2031-07-25T13:00:00+02:00"},
    {"memory.expires_at": {"exists": True}},
    {"memory.expires_at": {"gt": NOON}},
    {"memory.expires_at": {"ne": NOON}},
    {"memory.role": "user"},
    {"memory.speaker": {"in": ["Ilka", "Ben"]}},
    {"memory.predicate": {"contains": "own"}},
    {"memory.polarity": "+"},
    {"memory.kind": {"in": ["long_term"]}},
    {"memory.user": "ilka"},
    {"memory.version": {"lte": 1.5}},
    {"memory.superseded_by": {"exists": True}},
]


class FiltersAlike:
    """The filter language means what `domain.filters` says, in every read path."""

    @pytest.mark.parametrize("raw", FILTERS, ids=str)
    def test_a_filter_means_what_the_reference_says(self, stand: Stand, raw: Any) -> None:
        stand.keep(*FILTERED)
        parsed = parse_filter(raw)
        expected = {memory.id for memory in FILTERED if evaluate(parsed, memory)}
        assert stand.seen(among(looking(), filter=parsed)) == expected

    def test_a_filter_follows_changes(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(metadata={"topic": "tea"}))
        stand.change(memory, metadata={"topic": "chess"})
        stand.write(a_change_set(accesses=(an_access(memory, count=3),)))
        for raw, expected in (
            ({"topic": "tea"}, set()),
            ({"topic": "chess"}, {memory.id}),
            ({"memory.accessed_count": {"gte": 3}}, {memory.id}),
            ({"memory.last_accessed_at": NOON}, {memory.id}),
            ({"memory.version": 2}, {memory.id}),
        ):
            assert stand.seen(among(looking(), filter=parse_filter(raw))) == expected

    def test_a_filter_does_not_reach_through_walls(self, stand: Stand) -> None:
        stand.keep(a_memory(scope=Scope(user="ben"), metadata={"a": 1}))
        for raw in (
            {"or": [{"a": 1}, {"memory.user": "ben"}]},
            {"not": {"a": 2}},
            {"memory.user": {"ne": "ilka"}},
        ):
            assert stand.seen(among(looking(), filter=parse_filter(raw))) == set()


def a_varied_lot() -> list[Memory]:
    """Memories with many equal sort values, not in the order of their ids."""
    memories = [
        a_memory(
            f"kettle {n}",
            recorded_at=NOON + (n % 3) * HOUR,
            occurred_at=NOON - (n % 2) * HOUR,
            importance=(0.1 + 0.2, 0.3, 0.5, 0.0)[n % 4],
        )
        for n in range(12)
    ]
    return memories[5:] + memories[:5]


def in_order(memories: list[Memory], order: Order, *, descending: bool) -> list[Memory]:
    """The memories as a listing must give them."""

    def key(memory: Memory) -> tuple[int | float, str]:
        return sort_value(memory, order), memory.id

    return sorted(memories, key=key, reverse=descending)


def end_of(page: list[Memory], order: Order) -> Position:
    """Where a page ended."""
    return Position(sort_value(page[-1], order), page[-1].id)


class ListsInOrder:
    """`query`: order, ties and pages."""

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("order", list(Order))
    def test_a_listing_is_sorted_by_value_and_id(
        self, stand: Stand, order: Order, descending: bool
    ) -> None:
        memories = a_varied_lot()
        stand.keep(*memories)
        found = stand.query(looking(), order=order, descending=descending)
        assert found == in_order(memories, order, descending=descending)

    @pytest.mark.parametrize("limit", [1, 2, 5, 12, 13])
    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("order", list(Order))
    def test_pages_give_each_memory_once(
        self, stand: Stand, order: Order, descending: bool, limit: int
    ) -> None:
        memories = a_varied_lot()
        stand.keep(*memories)
        found: list[Memory] = []
        after = None
        for _ in range(20):
            page = stand.query(
                looking(), order=order, descending=descending, limit=limit, after=after
            )
            found += page
            if len(page) < limit:
                break
            after = end_of(page, order)
        assert found == in_order(memories, order, descending=descending)

    @pytest.mark.parametrize("descending", [False, True])
    def test_pages_hold_while_memories_come_and_go(self, stand: Stand, descending: bool) -> None:
        memories = [a_memory(f"kettle {n}") for n in range(12)]
        early, late = memories[0], memories[-1]
        if descending:
            memories.reverse()
        stand.keep(*memories)
        page = stand.query(looking(), limit=4, descending=descending)
        assert page == memories[:4]
        stand.change(page[-1], state=State.FORGOTTEN)
        stand.change(memories[5], state=State.FORGOTTEN)
        newer = a_memory("newer kettle", recorded_at=NOON + HOUR)
        older = a_memory("older kettle", recorded_at=NOON - HOUR, id="0" + early.id)
        stand.keep(newer, older)
        after = end_of(page, Order.RECORDED_AT)
        rest = stand.query(looking(), limit=EVERYONE, descending=descending, after=after)
        last = older if descending else newer
        assert rest == [memories[4], *memories[6:], last]
        assert late in (*page, *rest)

    def test_a_page_may_start_between_memories(self, stand: Stand) -> None:
        first, second = a_memory(importance=0.2), a_memory(importance=0.4)
        stand.keep(first, second)
        for position, expected in {
            Position(0.3, ""): [second],
            Position(0.2, "~"): [second],
            Position(0.2, ""): [first, second],
            Position(0.4, second.id): [],
        }.items():
            page = stand.query(looking(), order=Order.IMPORTANCE, after=position)
            assert page == expected

    def test_a_listing_holds_whole_records(self, stand: Stand) -> None:
        attachment = Attachment(media_type="image/png", digest="ab", location="x", caption="c")
        memory = a_memory(metadata={"a": [1]}, attachments=(attachment,), supersedes=("x",))
        stand.keep(memory)
        assert stand.query(looking()) == [memory]

    def test_a_listing_obeys_the_whole_condition(self, stand: Stand) -> None:
        wanted = [
            a_memory("kettle", kind=Kind.EPISODIC, metadata={"a": 1}, at=NOON - n * HOUR)
            for n in range(4)
        ]
        unwanted = [
            a_memory("kettle", kind=Kind.EPISODIC, metadata={"a": 2}),
            a_memory("kettle", metadata={"a": 1}),
            a_memory("kettle", kind=Kind.EPISODIC, metadata={"a": 1}, scope=Scope(user="ben")),
            a_memory("kettle", kind=Kind.EPISODIC, metadata={"a": 1}, at=NOON + HOUR),
        ]
        stand.keep(*wanted, *unwanted)
        condition = Condition(
            view=View(scope=ILKA, now=NOON),
            filter=parse_filter({"a": 1}),
            kinds=frozenset({Kind.EPISODIC}),
            between=(NOON - 2 * HOUR, NOON + 9 * HOUR),
        )
        assert stand.query(condition, descending=True) == wanted[:3]
        assert stand.run(stand.store.count(condition)) == 3


class KnowsThePast:
    """`known_as_of` in every read path."""

    def test_an_update_was_not_known_before_it(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("The kettle is blue.", metadata={"v": 1}))
        after = stand.change(memory, at=NOON + HOUR, content="My kettle is red.", metadata={"v": 2})
        now = NOON + 2 * HOUR
        for known, expected in {
            NOON: memory,
            NOON + HOUR - timedelta(microseconds=1): memory,
            NOON + HOUR: after,
            now: after,
        }.items():
            condition = looking(now=now, known_as_of=known)
            assert stand.query(condition) == [expected]
            assert stand.seen(condition) == {memory.id}
            wanted = among(condition, filter=parse_filter({"v": expected.version}))
            assert stand.seen(wanted) == {memory.id}

    def test_a_memory_was_not_known_before_it_was_written(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(at=NOON - HOUR), at=NOON)
        before = NOON - timedelta(microseconds=1)
        assert stand.seen(looking(known_as_of=before)) == set()
        assert stand.seen(looking(known_as_of=NOON)) == {memory.id}

    def test_a_correction_was_not_known_before_it(self, stand: Stand) -> None:
        wrong = stand.keep(a_memory("kettle: blue"), at=NOON)
        right = a_memory("kettle: red", supersedes=(wrong.id,))
        retired = replace(
            wrong,
            version=2,
            state=State.SUPERSEDED,
            retired_at=NOON + HOUR,
            superseded_by=right.id,
        )
        stand.write(a_change_set(right, a_change(retired, before=wrong), at=NOON + HOUR))
        now = NOON + 2 * HOUR
        assert stand.seen(looking(now=now)) == {right.id}
        assert stand.seen(looking(now=now, known_as_of=NOON)) == {wrong.id}
        assert stand.seen(looking(now=now, known_as_of=NOON + HOUR)) == {right.id}
        superseded = frozenset({"superseded"})
        both = looking(now=now, known_as_of=now, include=superseded)
        assert stand.seen(both) == {wrong.id, right.id}

    def test_both_times_may_be_asked_at_once(self, stand: Stand) -> None:
        lake = stand.keep(a_memory("kettle at the lake", at=NOON), at=NOON)
        town = a_memory("kettle in town", at=NOON + HOUR, recorded_at=NOON + 5 * HOUR)
        ended = replace(lake, version=2, valid_to=NOON + HOUR, superseded_by=town.id)
        stand.write(a_change_set(town, a_change(ended, before=lake), at=NOON + 5 * HOUR))

        def seen(as_of: int, known_as_of: int) -> set[str]:
            return stand.seen(
                looking(
                    now=NOON + 9 * HOUR,
                    as_of=NOON + as_of * HOUR,
                    known_as_of=NOON + known_as_of * HOUR,
                )
            )

        assert seen(0, 0) == seen(2, 0) == seen(2, 4) == seen(0, 5) == {lake.id}
        assert seen(1, 5) == seen(2, 9) == {town.id}

    def test_what_is_forgotten_is_not_shown_as_it_was_known(self, stand: Stand) -> None:
        memory = stand.keep(a_memory("kettle at home"))
        kept = stand.keep(a_memory("kettle at work"))
        gone = stand.change(memory, at=NOON + HOUR, state=State.FORGOTTEN)
        now = NOON + 3 * HOUR
        for known in (NOON, NOON + HOUR, now):
            view = looking(now=now, known_as_of=known, include=ANYTHING)
            assert stand.seen(view) == {kept.id}
        stand.change(gone, at=NOON + 2 * HOUR, state=State.ACTIVE)
        assert stand.seen(looking(now=now, known_as_of=NOON)) == {memory.id, kept.id}
        assert stand.seen(looking(now=now, known_as_of=NOON + HOUR)) == {kept.id}
        assert stand.seen(looking(now=now, known_as_of=now)) == {memory.id, kept.id}

    def test_walls_and_narrowing_hold_for_the_past_too(self, stand: Stand) -> None:
        agent = replace(ILKA, agent="a")
        mine, of_agent, bens, other_tenant = kettles(
            ILKA, agent, Scope(user="ben"), Scope(tenant="t", user="ilka")
        )
        stand.keep(mine, of_agent, bens, other_tenant)

        def seen(scope: Scope, *, everything: bool = False) -> set[str]:
            return stand.seen(looking(scope=scope, known_as_of=NOON, everything=everything))

        assert seen(ILKA) == {mine.id, of_agent.id}
        assert seen(agent) == {of_agent.id}
        assert seen(Scope()) == set()
        assert seen(Scope(), everything=True) == {mine.id, of_agent.id, bens.id}

    def test_recalls_are_part_of_what_was_known(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.write(a_change_set(accesses=(an_access(memory, count=2),), at=NOON + HOUR))
        (before,) = stand.query(looking(known_as_of=NOON))
        (after,) = stand.query(looking(known_as_of=NOON + HOUR))
        assert (before.accessed_count, after.accessed_count) == (0, 2)

    def test_a_change_counts_at_its_own_time(self, stand: Stand) -> None:
        memory = a_memory(at=NOON - 9 * HOUR)
        imported = a_change(memory, at=NOON - 5 * HOUR)
        stand.write(a_change_set(imported, at=NOON))
        assert stand.seen(looking(known_as_of=NOON - 6 * HOUR)) == set()
        assert stand.seen(looking(known_as_of=NOON - 5 * HOUR)) == {memory.id}

    @pytest.mark.parametrize("order", list(Order))
    def test_the_past_is_listed_in_pages(self, stand: Stand, order: Order) -> None:
        memories = a_varied_lot()
        stand.keep(*memories)
        for memory in memories[:6]:
            stand.change(memory, at=NOON + HOUR, importance=0.7, content="changed kettle")
        expected = in_order(memories, order, descending=False)
        condition = looking(known_as_of=NOON)
        first = stand.query(condition, order=order, limit=7)
        rest = stand.query(condition, order=order, limit=7, after=end_of(first, order))
        assert first + rest == expected


class ReadingContract(
    GetsById, KeepsWalls, ShowsWhatIsVisible, FiltersAlike, ListsInOrder, KnowsThePast
):
    """Everything about `get`, `query` and `count`."""
