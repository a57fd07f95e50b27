"""Succession inside a slot, ordered by when a value became true."""

from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.changes import Operation
from perdure.domain.records import State
from perdure.domain.slots import (
    FILLS_THE_PAST,
    REPLACED_AT_ONCE,
    RESUMED,
    SUCCEEDED,
    succeed,
)
from perdure.domain.visibility import holds
from perdure.testing import NOON, a_memory, an_id

DAY = timedelta(days=1)


class Slot:
    """A slot to which values are told, each with the day it began and, perhaps, ended."""

    def __init__(self):
        self.memories = {}
        self.told = count(10)

    def tell(self, value, begins, ends=None, *, at=None):
        now = NOON + (next(self.told) if at is None else at) * DAY
        new = a_memory(
            value,
            key="home",
            recorded_at=now,
            valid_from=NOON + begins * DAY,
            valid_to=None if ends is None else NOON + ends * DAY,
        )
        members = [memory for memory in self.memories.values() if memory.retired_at is None]
        succession = succeed(members, new, now=now, new_id=an_id)
        for change in succession.changes:
            before = None if change.before is None else self.memories[change.before.id]
            assert change.before == before
            self.memories[change.after.id] = change.after
        assert self.memories[new.id] == succession.memory
        return succession

    def on(self, day):
        """What the slot holds on a day."""
        moment = NOON + day * DAY
        return [
            memory.content
            for memory in self.memories.values()
            if memory.retired_at is None and holds(memory, moment)
        ]

    def days(self, first, last):
        return [self.on(day) for day in range(first, last + 1)]


def test_a_first_value_just_begins():
    slot = Slot()
    succession = slot.tell("lake", 0)
    assert succession.superseded == ()
    assert [change.operation for change in succession.changes] == [Operation.CREATED]
    assert succession.changes[0].reason is None
    assert slot.days(-1, 1) == [[], ["lake"], ["lake"]]


def test_a_newer_value_ends_the_one_before():
    slot = Slot()
    lake = slot.tell("lake", 0).memory
    succession = slot.tell("town", 2)
    town = succession.memory
    assert slot.days(0, 3) == [["lake"], ["lake"], ["town"], ["town"]]
    ended = slot.memories[lake.id]
    assert ended == replace(
        lake,
        state=State.SUPERSEDED,
        superseded_by=town.id,
        valid_to=town.valid_from,
        version=2,
    )
    assert town.supersedes == (lake.id,)
    assert town.state is State.ACTIVE
    assert succession.superseded == (lake.id,)
    assert succession.changes[1].reason == SUCCEEDED
    assert succession.changes[1].operation is Operation.SUPERSEDED


def test_a_value_may_come_back():
    slot = Slot()
    first = slot.tell("lake", 0).memory
    slot.tell("town", 2)
    third = slot.tell("lake", 4).memory
    assert slot.days(0, 5) == [["lake"]] * 2 + [["town"]] * 2 + [["lake"]] * 2
    assert first.id != third.id


def test_late_news_fills_the_past():
    slot = Slot()
    lake = slot.tell("lake", 0).memory
    town = slot.tell("town", 4).memory
    succession = slot.tell("hills", 2)
    assert slot.days(0, 5) == [["lake"]] * 2 + [["hills"]] * 2 + [["town"]] * 2
    hills = succession.memory
    assert (hills.valid_to, hills.superseded_by) == (town.valid_from, town.id)
    assert hills.state is State.SUPERSEDED
    assert slot.memories[lake.id].superseded_by == hills.id
    assert succession.changes[0].reason == FILLS_THE_PAST
    assert slot.memories[town.id] == town


def test_news_from_before_everything_fills_the_beginning():
    slot = Slot()
    lake = slot.tell("lake", 2).memory
    hills = slot.tell("hills", 0)
    assert slot.days(-1, 3) == [[], ["hills"], ["hills"], ["lake"], ["lake"]]
    assert hills.superseded == ()
    assert hills.memory.superseded_by == lake.id


def test_the_same_moment_replaces_at_once():
    slot = Slot()
    lake = slot.tell("lake", 0).memory
    succession = slot.tell("town", 0)
    assert slot.days(-1, 1) == [[], ["town"], ["town"]]
    retired = slot.memories[lake.id]
    assert retired.retired_at == NOON + 11 * DAY
    assert retired.superseded_by == succession.memory.id
    assert retired.state is State.SUPERSEDED
    assert retired.valid_to is None
    assert succession.changes[1].reason == REPLACED_AT_ONCE


def test_the_same_moment_in_the_past_replaces_and_still_ends():
    slot = Slot()
    slot.tell("lake", 0)
    slot.tell("town", 2)
    slot.tell("hills", 0)
    assert slot.days(0, 3) == [["hills"], ["hills"], ["town"], ["town"]]


def test_a_bounded_value_interrupts_and_the_old_one_resumes():
    slot = Slot()
    lake = slot.tell("lake", 0).memory
    succession = slot.tell("hotel", 2, 4)
    assert slot.days(1, 5) == [["lake"], ["hotel"], ["hotel"], ["lake"], ["lake"]]
    resumed = succession.changes[-1]
    assert resumed.reason == RESUMED
    assert resumed.before is None
    assert resumed.after.id not in (lake.id, succession.memory.id)
    assert resumed.after.version == 1
    assert resumed.after.state is State.ACTIVE
    assert resumed.after.supersedes == (succession.memory.id,)
    assert resumed.after.provenance == (lake.id,)
    assert resumed.after.valid_from == NOON + 4 * DAY
    assert resumed.after.recorded_at == NOON + 11 * DAY
    assert succession.memory.state is State.ACTIVE


def test_an_interruption_inside_a_bounded_value_resumes_until_its_end():
    slot = Slot()
    slot.tell("lake", 0)
    town = slot.tell("town", 6).memory
    slot.tell("hotel", 2, 4)
    assert slot.days(1, 6) == [["lake"], ["hotel"], ["hotel"], ["lake"], ["lake"], ["town"]]
    (resumed,) = (item for item in slot.memories.values() if item.valid_from == NOON + 4 * DAY)
    assert (resumed.superseded_by, resumed.state) == (town.id, State.SUPERSEDED)


def test_an_interruption_that_outlasts_what_it_interrupts_resumes_nothing():
    slot = Slot()
    slot.tell("hotel", 0, 3)
    slot.tell("hospital", 2, 5)
    assert slot.days(0, 5) == [["hotel"]] * 2 + [["hospital"]] * 3 + [[]]


def test_an_interruption_ends_where_the_next_value_begins():
    slot = Slot()
    slot.tell("lake", 0)
    slot.tell("town", 4)
    slot.tell("hotel", 2, 6)
    assert slot.days(1, 6) == [["lake"], ["hotel"], ["hotel"], ["town"], ["town"], ["town"]]


def test_a_value_that_ended_when_the_next_begins_is_left_alone():
    slot = Slot()
    hotel = slot.tell("hotel", 0, 2).memory
    succession = slot.tell("lake", 2)
    assert succession.superseded == ()
    assert slot.memories[hotel.id] == hotel
    assert slot.days(1, 2) == [["hotel"], ["lake"]]


def test_an_interruption_until_the_same_end_resumes_nothing():
    slot = Slot()
    slot.tell("hotel", 0, 4)
    succession = slot.tell("hospital", 2, 4)
    assert [change.reason for change in succession.changes] == [None, SUCCEEDED]
    assert slot.days(1, 4) == [["hotel"], ["hospital"], ["hospital"], []]


def test_a_mistake_does_not_resume():
    slot = Slot()
    slot.tell("lake", 0)
    succession = slot.tell("hotel", 0, 2)
    assert len(succession.changes) == 2
    assert slot.days(0, 3) == [["hotel"], ["hotel"], [], []]


def test_nothing_resumes_where_another_value_begins():
    # Two members overlap, as an import may leave them.
    lake, town = a_memory("lake", at=NOON), a_memory("town", at=NOON + 4 * DAY)
    hotel = a_memory("hotel", at=NOON + 2 * DAY, valid_to=NOON + 6 * DAY)
    succession = succeed([lake, town], hotel, now=NOON + 9 * DAY, new_id=an_id)
    assert succession.memory.valid_to == town.valid_from
    assert len(succession.changes) == 2


def test_a_gap_is_not_filled_by_what_had_ended():
    slot = Slot()
    hotel = slot.tell("hotel", 0, 2).memory
    succession = slot.tell("lake", 4)
    assert slot.days(1, 4) == [["hotel"], [], [], ["lake"]]
    assert succession.superseded == ()
    assert slot.memories[hotel.id] == hotel


def test_a_value_may_begin_in_the_future():
    slot = Slot()
    lake = slot.tell("lake", 0, at=1).memory
    slot.tell("town", 9, at=2)
    assert slot.on(5) == ["lake"]
    assert slot.memories[lake.id].retired_at is None
    # What is told now, before what is planned, is no late news.
    assert slot.tell("hills", 3, at=3).changes[0].reason is None
    assert slot.days(2, 9) == [["lake"]] + [["hills"]] * 6 + [["town"]]


def test_several_that_overlap_are_all_ended():
    memories = [a_memory("one", at=NOON), a_memory("two", at=NOON + DAY)]
    new = a_memory("new", at=NOON + 2 * DAY)
    succession = succeed(memories, new, now=NOON + 2 * DAY, new_id=an_id)
    assert succession.superseded == tuple(memory.id for memory in memories)
    ended = [change.after for change in succession.changes[1:]]
    assert all(memory.valid_to == new.valid_from for memory in ended)


spans = st.tuples(st.integers(0, 8), st.none() | st.integers(1, 4))


@given(st.lists(spans, max_size=8))
def test_at_one_moment_a_slot_holds_at_most_one_value(told):
    slot = Slot()
    for number, (begins, length) in enumerate(told):
        slot.tell(f"value {number}", begins, None if length is None else begins + length)
    assert all(len(found) <= 1 for found in slot.days(-1, 14))


@given(st.lists(spans, max_size=8), spans)
def test_the_last_word_holds_when_it_says_and_elsewhere_nothing_is_lost(told, last):
    slot = Slot()
    for number, (begins, length) in enumerate(told):
        slot.tell(f"value {number}", begins, None if length is None else begins + length)
    before = slot.days(-1, 14)
    begins, length = last
    slot.tell("last", begins, None if length is None else begins + length)
    after = slot.days(-1, 14)
    assert slot.on(begins) == ["last"]
    for was, now in zip(before, after, strict=True):
        assert now in (was, ["last"]) or (was and not now)


@pytest.mark.parametrize(
    "order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)]
)
def test_the_order_of_telling_does_not_matter(order):
    slot = Slot()
    for number in order:
        slot.tell(("lake", "town", "hills")[number], 2 * number)
    assert slot.days(0, 5) == [["lake"]] * 2 + [["town"]] * 2 + [["hills"]] * 2
