"""What the store promises to upkeep: what is due, where it is crowded, and days of use."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from perdure.domain.records import Kind, Memory, State, Strength
from perdure.domain.resting import (
    BANDS,
    HOT,
    LONG_CHARS,
    Crowd,
    Due,
    Lifeline,
    Rest,
    lifeline_of,
)
from perdure.domain.scope import Scope
from perdure.domain.utility import DayOfUse
from perdure.domain.visibility import View
from perdure.testing.builders import ILKA, NOON, a_change, a_change_set, a_memory, successor
from perdure.testing.contracts._store_stand import Stand
from perdure.testing.contracts._store_writing import an_access

DAY = timedelta(days=1)
TICK = timedelta(microseconds=1)
TENANT = View(scope=Scope(), now=NOON, everything=True)
MINE = View(scope=ILKA, now=NOON)
LONG = "The kettle is blue. " * 20
EVER = dict.fromkeys(Rest, NOON + 100_000 * DAY)


def due(**fields: Any) -> Due:
    """Everything that rests at all, unless told otherwise."""
    return Due(**{"rested": EVER, **fields})


def ids(lines: list[Lifeline]) -> list[str]:
    """The ids, in order."""
    return [line.id for line in lines]


def fed(memory: Memory, *, used: int) -> Memory:
    """The next version of a memory, used so many times more."""
    return successor(memory, used_count=memory.used_count + used)


class FindsWhatRests:
    """`due` and `residents`."""

    def test_what_was_touched_long_ago_comes_first(self, stand: Stand) -> None:
        old, older, new = (a_memory(at=NOON - days * DAY) for days in (40, 50, 10))
        stand.keep(old, older, new)
        asked = due(rested={Rest.SHORT: NOON - 30 * DAY})
        assert ids(stand.run(stand.store.due(MINE, asked))) == [older.id, old.id]
        assert ids(stand.run(stand.store.due(MINE, replace(asked, limit=1)))) == [older.id]

    def test_the_moment_itself_is_due(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        for moment, expected in {NOON: [memory.id], NOON - TICK: []}.items():
            asked = due(rested={Rest.SHORT: moment})
            assert ids(stand.run(stand.store.due(MINE, asked))) == expected

    def test_a_recall_and_a_review_that_is_due_later_put_rest_off(self, stand: Stand) -> None:
        recalled, reviewed, lapsed = a_memory(), a_memory(), a_memory()
        later = NOON + 9 * DAY
        earned = Strength(interval_days=9.0, repetitions=3, due_at=later)
        reviewed = replace(reviewed, strength=earned)
        lapsed = replace(lapsed, strength=replace(earned, repetitions=0))
        stand.keep(recalled, reviewed, lapsed)
        stand.write(a_change_set(accesses=(an_access(recalled, at=NOON + 5 * DAY),)))
        found = stand.run(stand.store.due(MINE, due()))
        assert [(line.id, line.touched_at) for line in found] == [
            (lapsed.id, NOON),
            (recalled.id, NOON + 5 * DAY),
            (reviewed.id, later),
        ]
        assert [line.interval_days for line in found] == [9.0, 1.0, 9.0]

    def test_a_recall_before_the_last_one_puts_nothing_forward(self, stand: Stand) -> None:
        memory = stand.keep(a_memory(last_accessed_at=NOON + DAY, accessed_count=1))
        stand.write(a_change_set(accesses=(an_access(memory, at=NOON),)))
        assert stand.run(stand.store.due(MINE, due()))[0].touched_at == NOON + DAY

    def test_what_holds_or_is_kept_never_rests(self, stand: Stand) -> None:
        fact: dict[str, Any] = {
            "subject": "user",
            "predicate": "owns",
            "object": "kettle",
            "polarity": "+",
        }
        stand.keep(
            a_memory(pinned=True),
            a_memory(held=True),
            a_memory(**fact),
            a_memory(key="kettle"),
            a_memory(kind=Kind.SEMANTIC),
            a_memory(state=State.ARCHIVED),
            a_memory(state=State.FORGOTTEN),
        )
        ended = a_memory(**fact, valid_to=NOON + DAY, state=State.SUPERSEDED)
        withdrawn = a_memory(**fact, retired_at=NOON + 2 * DAY, valid_to=NOON + 9 * DAY)
        stand.keep(ended, withdrawn)
        found = stand.run(stand.store.due(MINE, due()))
        assert [(line.id, line.touched_at) for line in found] == [
            (ended.id, NOON + DAY),
            (withdrawn.id, NOON + 2 * DAY),
        ]

    def test_a_change_takes_a_memory_out_of_rest_and_puts_it_back(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        nothing: dict[str, Any] = {}
        for name in ("pinned", "held"):
            memory = stand.change(memory, **{**nothing, name: True})
            assert stand.run(stand.store.due(MINE, due())) == []
            memory = stand.change(memory, **{**nothing, name: False})
            assert ids(stand.run(stand.store.due(MINE, due()))) == [memory.id]

    def test_long_short_and_compressed_ones_are_told_apart(self, stand: Stand) -> None:
        short, long = a_memory("茶" * (LONG_CHARS - 1)), a_memory("茶" * LONG_CHARS)
        fact = a_memory(LONG, key="kettle", valid_to=NOON)
        compressed = a_memory(LONG, state=State.COMPRESSED)
        stand.keep(short, long, fact, compressed)
        for rest, expected in {
            Rest.SHORT: {short.id, fact.id},
            Rest.LONG: {long.id},
            Rest.DONE: {compressed.id},
        }.items():
            asked = due(rested={rest: NOON})
            found = stand.run(stand.store.due(MINE, asked))
            assert set(ids(found)) == expected
            assert {line.rest for line in found} == {rest}

    def test_only_what_is_less_important_is_due(self, stand: Stand) -> None:
        steps = [place / BANDS for place in range(BANDS + 1)]
        memories = [a_memory(importance=importance) for importance in (*steps, 0.51, 0.549)]
        stand.keep(*memories)
        for below in (*steps, 0.52, 0.55):
            expected = {item.id for item in memories if item.importance < below}
            assert set(ids(stand.run(stand.store.due(MINE, due(below=below))))) == expected

    def test_what_has_expired_is_due_unless_it_is_held_or_forgotten(self, stand: Stand) -> None:
        expired, later = a_memory(expires_at=NOON), a_memory(expires_at=NOON + TICK)
        archived = a_memory(expires_at=NOON - DAY, state=State.ARCHIVED, at=NOON - 3 * DAY)
        pinned = a_memory(expires_at=NOON, pinned=True, importance=1.0)
        stand.keep(
            expired,
            later,
            archived,
            pinned,
            a_memory(expires_at=NOON, held=True),
            a_memory(expires_at=NOON, state=State.FORGOTTEN),
        )
        asked = Due(rested={}, expired_at=NOON)
        found = stand.run(stand.store.due(MINE, asked))
        assert ids(found) == [archived.id, expired.id, pinned.id]
        assert found[0].expires_at == NOON - DAY
        both = Due(rested={Rest.SHORT: NOON - 2 * DAY}, expired_at=NOON)
        assert ids(stand.run(stand.store.due(MINE, both))) == ids(found)
        assert ids(stand.run(stand.store.due(MINE, replace(both, limit=2)))) == ids(found)[:2]

    def test_nobody_elses_is_due(self, stand: Stand) -> None:
        mine = stand.keep(a_memory(scope=Scope(user="ilka", agent="tutor", session="s")))
        bens = stand.keep(a_memory(scope=Scope(user="ben")))
        others = stand.keep(a_memory(scope=Scope(tenant="other", user="ilka")))
        views = {
            MINE: {mine.id},
            View(scope=Scope(user="ilka", agent="tutor"), now=NOON): {mine.id},
            View(scope=Scope(user="ilka", agent="coach"), now=NOON): set(),
            View(scope=Scope(user="ilka", session="s"), now=NOON): {mine.id},
            View(scope=Scope(user="ilka", session="t"), now=NOON): set(),
            View(scope=Scope(user="nobody"), now=NOON): set(),
            TENANT: {mine.id, bens.id},
            View(scope=Scope(tenant="other"), now=NOON, everything=True): {others.id},
        }
        for view, expected in views.items():
            assert set(ids(stand.run(stand.store.due(view, due())))) == expected

    def test_residents_are_the_hot_ones_of_one_agent(self, stand: Stand) -> None:
        tutor = Scope(user="ilka", agent="tutor", session="s")
        hot = [a_memory(scope=tutor, state=state, pinned=True) for state in sorted(HOT)]
        stand.keep(
            *hot,
            a_memory(scope=tutor, state=State.ARCHIVED),
            a_memory(scope=tutor, state=State.FORGOTTEN),
            a_memory(),
            a_memory(scope=Scope(user="ben", agent="tutor")),
        )
        found = stand.run(stand.store.residents(Scope(user="ilka", agent="tutor")))
        assert ids(found) == [memory.id for memory in hot]
        assert [line.scope for line in found] == [tutor] * len(hot)
        assert stand.run(stand.store.residents(Scope(user="nobody"))) == []

    def test_a_lifeline_says_about_how_much_room_the_memory_takes(self, stand: Stand) -> None:
        stand.keep(a_memory("kettle"), a_memory(LONG * 10))
        small, large = sorted(
            line.bytes for line in stand.run(stand.store.residents(Scope(user="ilka")))
        )
        assert 0 < small < len(LONG) * 10 <= large

    def test_a_lifeline_is_as_the_reference_says(self, stand: Stand) -> None:
        strength = Strength(ease=1.5, interval_days=12.5, repetitions=2, due_at=NOON + DAY)
        memory = stand.keep(
            a_memory(LONG, importance=0.7, expires_at=NOON + 3 * DAY, strength=strength)
        )
        [found] = stand.run(stand.store.due(MINE, due()))
        assert replace(found, bytes=0) == replace(lifeline_of(memory), bytes=0)


class CountsResidents:
    """`crowded`."""

    def crowds(self, stand: Stand, above: int, view: View = TENANT) -> list[Crowd]:
        """What the store says."""
        return stand.run(stand.store.crowded(view, above=above))

    def test_an_agent_is_crowded_above_the_number(self, stand: Stand) -> None:
        tutor = Scope(user="ilka", agent="tutor")
        stand.keep(*(a_memory(scope=replace(tutor, session=str(n))) for n in range(3)))
        stand.keep(a_memory())
        assert self.crowds(stand, 2) == [Crowd(scope=tutor, memories=3)]
        assert self.crowds(stand, 3) == []
        assert self.crowds(stand, 0) == [
            Crowd(scope=ILKA, memories=1),
            Crowd(scope=tutor, memories=3),
        ]

    def test_what_leaves_and_returns_is_counted(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        for state in (State.ARCHIVED, State.ACTIVE, State.SUPERSEDED, State.FORGOTTEN):
            memory = stand.change(memory, state=state)
            expected = [Crowd(scope=ILKA, memories=1)] if state in HOT else []
            assert self.crowds(stand, 0) == expected

    def test_a_refused_set_counts_nothing(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.refuse(a_change_set(a_change(memory), a_memory()))
        assert self.crowds(stand, 0) == [Crowd(scope=ILKA, memories=1)]

    def test_crowds_are_behind_the_walls(self, stand: Stand) -> None:
        tutor = Scope(user="ilka", agent="tutor")
        stand.keep(a_memory(), a_memory(scope=tutor), a_memory(scope=Scope(user="ben")))
        stand.keep(a_memory(scope=Scope(tenant="other", user="ilka")))
        narrow = View(scope=replace(tutor, session="any"), now=NOON)
        for view, expected in {
            MINE: [ILKA, tutor],
            narrow: [tutor],
            TENANT: [Scope(user="ben"), ILKA, tutor],
            View(scope=Scope(user="nobody"), now=NOON): [],
        }.items():
            assert [crowd.scope for crowd in self.crowds(stand, 0, view)] == expected


class CountsUses:
    """`days_of_use`."""

    def days(self, stand: Stand, view: View = MINE, since: date = date.min) -> list[DayOfUse]:
        """What the store says."""
        return stand.run(stand.store.days_of_use(view, since=since))

    def test_recalls_count_for_the_day_of_the_last_and_uses_for_the_day_of_writing(
        self, stand: Stand
    ) -> None:
        memory = stand.keep(a_memory(used_count=7))
        stand.write(a_change_set(accesses=(an_access(memory, count=3, at=NOON),)))
        midnight = datetime(NOON.year, NOON.month, NOON.day, tzinfo=NOON.tzinfo) + DAY
        stand.write(a_change_set(accesses=(an_access(memory, count=2, at=midnight),)))
        after = fed(memory, used=1)
        stand.write(a_change_set(a_change(after, before=memory), at=midnight))
        assert self.days(stand) == [
            DayOfUse(day=NOON.date(), recalled=3, used=0),
            DayOfUse(day=midnight.date(), recalled=2, used=1),
        ]
        assert [item.day for item in self.days(stand, since=midnight.date())] == [midnight.date()]

    def test_counts_of_one_day_add_up_and_survive_the_memory(self, stand: Stand) -> None:
        one, other = a_memory(), a_memory(scope=Scope(user="ilka", agent="tutor"))
        stand.keep(one, other)
        for memory in (one, other, one):
            stand.write(a_change_set(accesses=(an_access(memory),)))
        stand.change(one, used_count=2, state=State.FORGOTTEN)
        assert self.days(stand) == [DayOfUse(day=NOON.date(), recalled=3, used=2)]
        narrow = View(scope=Scope(user="ilka", agent="tutor"), now=NOON)
        assert [item.recalled for item in self.days(stand, narrow)] == [1]

    def test_recalls_of_what_is_not_there_are_not_counted(self, stand: Stand) -> None:
        bens = stand.keep(a_memory(scope=Scope(user="ben")))
        foreign = replace(an_access(bens), scope=ILKA)
        stand.write(a_change_set(accesses=(foreign, an_access(a_memory()))))
        assert self.days(stand) == self.days(stand, TENANT) == []

    def test_a_refused_set_counts_no_use(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.refuse(a_change_set(a_change(memory), accesses=(an_access(memory),)))
        assert self.days(stand) == []

    def test_days_are_behind_the_walls(self, stand: Stand) -> None:
        for scope in (ILKA, Scope(user="ben"), Scope(tenant="other")):
            memory = stand.keep(a_memory(scope=scope))
            stand.write(a_change_set(accesses=(an_access(memory),)))
        assert [item.recalled for item in self.days(stand)] == [1]
        assert [item.recalled for item in self.days(stand, TENANT)] == [2]


class RestingContract(FindsWhatRests, CountsResidents, CountsUses):
    """All of it."""
