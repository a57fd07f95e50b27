"""What is kept and for how long, worked by hand."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.plans import ActionKind
from perdure.domain.records import Kind, State
from perdure.domain.resting import Rest, is_due, lifeline_of
from perdure.domain.retention import Retention, action_for, due_at, evictions
from perdure.testing import NOON, a_memory

DAY = timedelta(days=1)
LONG = "The kettle is blue. " * 20
USUAL = Retention()


def a_line(content="The kettle is blue.", **fields):
    return lifeline_of(a_memory(content, **fields))


def action(line, *, days, retention=USUAL, archives=True):
    found = action_for(line, retention, NOON + days * DAY, archives=archives)
    return None if found is None else found.action.value


@pytest.mark.parametrize(
    ("content", "days", "expected"),
    [
        (LONG, 29, None),
        (LONG, 30, "compress"),
        (LONG, 89, "compress"),
        (LONG, 90, "archive"),
        ("short", 89, None),
        ("short", 90, "archive"),
    ],
)
def test_what_rests_is_compressed_and_then_archived(content, days, expected):
    assert action(a_line(content), days=days) == expected
    assert action(a_line(content), days=days, archives=False) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"pinned": True}, None),
        ({"held": True}, None),
        ({"importance": 0.8}, None),
        ({"importance": 0.79}, "archive"),
        ({"kind": Kind.SEMANTIC}, None),
        ({"key": "kettle"}, None),
        ({"subject": "user"}, None),
        ({"subject": "user", "valid_to": NOON, "state": State.SUPERSEDED}, "archive"),
        ({"subject": "user", "retired_at": NOON + 1000 * DAY}, None),
        ({"kind": Kind.SHORT_TERM}, "archive"),
        ({"state": State.COMPRESSED}, "archive"),
        ({"last_accessed_at": NOON + 400 * DAY}, None),
    ],
)
def test_what_is_not_given_up_for_lack_of_use(fields, expected):
    assert action(a_line(LONG, **fields), days=400) == expected


def test_what_has_ended_is_never_compressed():
    line = a_line(LONG, subject="user", valid_to=NOON, state=State.SUPERSEDED)
    assert action(line, days=60) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({}, "expire"), ({"pinned": True, "importance": 1.0}, "expire"), ({"held": True}, None)],
)
def test_what_has_expired_goes_unless_it_is_held(fields, expected):
    line = a_line(expires_at=NOON + DAY, **fields)
    assert action(line, days=0.999) is None
    assert action(line, days=1, archives=False) == expected


def test_never_means_never():
    retention = Retention(compress_after=None, archive_after=None)
    assert action(a_line(LONG), days=9000, retention=retention) is None
    assert due_at(retention, NOON, archives=True, limit=None).rested == {}


def test_a_plan_says_how_long_it_rested_and_what_that_saves():
    line = replace(a_line(LONG), bytes=1000)
    found = action_for(line, USUAL, NOON + 45 * DAY, archives=True)
    assert (found.reason, found.bytes_saved) == ("long, and idle for 45 days", 700)
    found = action_for(line, USUAL, NOON + 91 * DAY, archives=True)
    assert (found.reason, found.bytes_saved) == ("idle for 91 days", 1000)


MEMORIES = st.builds(
    a_memory,
    st.sampled_from(("short", LONG)),
    at=st.integers(-200, 0).map(lambda days: NOON + days * DAY),
    importance=st.floats(0, 1),
    kind=st.sampled_from(Kind),
    state=st.sampled_from(State),
    pinned=st.booleans(),
    held=st.booleans(),
    subject=st.sampled_from((None, "user")),
    valid_to=st.sampled_from((None, NOON + 1000 * DAY)),
    expires_at=st.sampled_from((None, NOON - DAY, NOON + DAY)),
)


@given(MEMORIES, st.floats(0, 1), st.booleans())
def test_the_store_is_asked_for_everything_there_is_something_to_do_with(memory, floor, archives):
    retention = Retention(importance_floor=floor)
    asked = due_at(retention, NOON, archives=archives, limit=None)
    found = action_for(lifeline_of(memory), retention, NOON, archives=archives)
    is_dead = memory.state in (State.ARCHIVED, State.FORGOTTEN)
    if found is not None and not is_dead:
        assert is_due(memory, asked)
    if is_due(memory, asked):
        assert found is not None


def lines(kind, strengths, **fields):
    """Memories of one kind with these importances, which are their strengths at noon."""
    return [a_line(kind=kind, importance=value, **fields) for value in strengths]


def evicted(residents, quota, **fields):
    found = evictions(residents, Retention(quota=quota, **fields), NOON, archives=False)
    return [item.memory_id for item in found.actions], found.beyond


def test_nobody_leaves_while_there_is_room():
    residents = lines(Kind.EPISODIC, (0.1, 0.2))
    assert evicted(residents, 2) == ([], 0)


def test_the_weakest_leave_first():
    residents = lines(Kind.EPISODIC, (0.5, 0.1, 0.3, 0.2))
    assert evicted(residents, 2) == ([residents[1].id, residents[3].id], 0)


def test_of_equally_weak_ones_that_leaves_which_was_touched_first():
    first, second = (a_line(importance=0.0, at=NOON - days * DAY) for days in (5, 4))
    assert evicted([second, first], 1) == ([first.id], 0)


def test_a_flood_of_one_kind_displaces_only_itself():
    flood = lines(Kind.EPISODIC, [0.7] * 12)
    few = lines(Kind.LONG_TERM, (0.1, 0.1, 0.1))
    ids, _ = evicted([*few, *flood], 10)
    # 15 - 10 leave: the flood shrinks from 12 to 7, and 3 weak ones of the other kind stay.
    assert len(ids) == 5
    assert not {line.id for line in few} & set(ids)


def test_kinds_share_the_room_when_each_wants_more_than_its_part():
    one, other = lines(Kind.EPISODIC, [0.5] * 12), lines(Kind.LONG_TERM, [0.6] * 8)
    ids, _ = evicted([*one, *other], 10)
    # 10 leave: 12 and 8 shrink to 5 each.
    assert len(set(ids) & {line.id for line in one}) == 7
    assert len(set(ids) & {line.id for line in other}) == 3


def test_what_is_important_or_still_true_leaves_only_when_nothing_else_is_left():
    plain = lines(Kind.LONG_TERM, (0.7, 0.6))
    important = lines(Kind.LONG_TERM, (0.9,))
    facts = lines(Kind.SEMANTIC, (0.1,), subject="user")
    residents = [*facts, *important, *plain]
    assert evicted(residents, 2)[0] == [plain[1].id, plain[0].id]
    assert evicted(residents, 1)[0] == [plain[1].id, plain[0].id, facts[0].id]


def test_the_pinned_and_the_held_never_leave():
    residents = [*lines(Kind.EPISODIC, (0.1, 0.1), pinned=True),
                 *lines(Kind.EPISODIC, (0.1,), held=True)]  # fmt: skip
    assert evicted(residents, 1) == ([], 2)


def test_who_leaves_anyway_makes_room():
    residents = lines(Kind.EPISODIC, (0.5, 0.1, 0.3))
    found = evictions(residents, Retention(quota=2), NOON, archives=True, leaving={residents[0].id})
    assert found.actions == ()


def test_the_reason_names_quota_and_strength_and_nothing_is_saved_without_an_archive():
    residents = lines(Kind.EPISODIC, (0.25, 0.5))
    for archives, saved in ((False, 0), (True, residents[0].bytes)):
        [found] = evictions(residents, Retention(quota=1), NOON, archives=archives).actions
        assert found.action is ActionKind.EVICT
        assert found.reason == "over the quota of 1: strength 0.250, the weakest episodic one"
        assert found.bytes_saved == saved


@given(st.lists(MEMORIES, max_size=30), st.integers(1, 20), st.booleans())
def test_as_few_leave_as_must(memories, quota, archives):
    residents = [lifeline_of(memory) for memory in memories]
    found = evictions(residents, Retention(quota=quota), NOON, archives=archives)
    ids = [item.memory_id for item in found.actions]
    assert len(set(ids)) == len(ids)
    assert len(ids) + found.beyond == max(0, len(residents) - quota)
    safe = {
        line.id
        for line in residents
        if line.pinned or line.held or (line.state is State.COMPRESSED and not archives)
    }
    assert not safe & set(ids)
    assert found.beyond <= max(0, len(safe) - quota)


def test_rest_is_told_apart_by_length_and_state():
    assert a_line(LONG).rest is Rest.LONG
    assert a_line("short").rest is Rest.SHORT
    assert a_line(LONG, state=State.SUPERSEDED).rest is Rest.DONE
