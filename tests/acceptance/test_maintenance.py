"""Upkeep: what is due is done once, what is kept is kept, and nothing is lost by it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from perdure import (
    Conflict,
    InvalidInput,
    Misconfigured,
    NotFound,
    PermissionDenied,
    Scope,
    Settings,
)
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import everything_in, texts

DAY = timedelta(days=1)
NOTES = [
    ("the weakest", 0.1),
    ("weak", 0.2),
    ("middling", 0.4),
    ("strong", 0.6),
]


def crowded(home, quota, **settings):
    """An open memory with room for `quota` memories, and four notes of one user in it."""
    memory = home.open(settings=Settings(**{"archive": "off", "quota": quota, **settings}))
    ilka = memory.scoped(user="ilka")
    kept = {
        name: ilka.remember(f"Note: {name}", importance=importance).memory
        for name, importance in NOTES
    }
    return memory, ilka, kept


def state(memory, ilka):
    """Everything a plan must not change."""
    return ilka.changes(), ilka.stats().memories, texts(everything_in(ilka, limit=50))


def test_a_dry_run_tells_exactly_what_would_be_done_and_changes_nothing(home, clock):
    memory, ilka, kept = crowded(home, 2)
    expiring = ilka.remember("Note: for a day", expires_at=DAY).memory
    clock.advance(2 * DAY)
    before = state(memory, ilka)
    planned = ilka.maintain(dry_run=True)
    assert state(memory, ilka) == before
    assert not planned.applied
    assert [(item.memory_id, item.action) for item in planned.actions] == [
        (expiring.id, "expire"),
        (kept["the weakest"].id, "evict"),
        (kept["weak"].id, "evict"),
    ]
    assert "expired on 2031-03-11" in planned.actions[0].reason
    assert "over the quota of 2" in planned.actions[1].reason
    done = ilka.maintain()
    assert done.applied
    assert done.actions == planned.actions
    assert done.counts == {"expire": 1, "evict": 2}
    assert sorted(texts(everything_in(ilka, limit=50))) == ["Note: middling", "Note: strong"]


def test_running_it_again_changes_nothing(home, clock):
    memory, ilka, _ = crowded(home, 2)
    ilka.remember("Note: for a day", expires_at=DAY)
    clock.advance(2 * DAY)
    assert ilka.maintain()
    before = state(memory, ilka)
    for _ in range(2):
        assert not ilka.maintain()
        assert not ilka.evict()
        assert state(memory, ilka) == before


def test_what_was_evicted_loses_no_word_and_comes_back(home, clock):
    _, ilka, kept = crowded(home, 2)
    plan = ilka.evict()
    assert [item.memory_id for item in plan.actions] == [kept["the weakest"].id, kept["weak"].id]
    gone = ilka.get(kept["weak"].id)
    assert (gone.state, gone.content) == ("archived", "Note: weak")
    assert "Note: weak" not in texts(ilka.recall("note weak", limit=50))
    assert "Note: weak" in texts(ilka.recall("note weak", limit=50, include="archived"))
    assert [step.operation for step in ilka.history(gone.id)] == ["created", "archived"]
    assert "over the quota" in ilka.history(gone.id)[-1].reason
    back = ilka.restore(gone.id)
    assert back.state == "active"
    assert "Note: weak" in texts(ilka.recall("note weak", limit=50))


def test_what_was_brought_back_rests_anew(home, clock):
    _, ilka, kept = crowded(home, 3)
    ilka.evict()
    clock.advance(200 * DAY)
    ilka.restore(kept["the weakest"].id)
    plan = ilka.evict(dry_run=True)
    assert [item.memory_id for item in plan.actions] == [kept["weak"].id]


def test_each_agent_of_each_user_has_room_of_its_own(home, clock):
    memory = home.open(settings=Settings(quota=1))
    scopes = [
        Scope(user="ilka"), Scope(user="ilka", agent="tutor"), Scope(user="bo", agent="tutor"),
    ]  # fmt: skip
    for scope in scopes:
        memory.remember("Note: one", scope=scope)
    assert not memory.maintain(everything=True, dry_run=True)
    for scope in scopes:
        memory.remember("Note: two", scope=scope, importance=0.1)
    tutors = memory.scoped(user="ilka", agent="tutor")
    assert len(tutors.maintain(dry_run=True)) == 1
    assert len(memory.scoped(user="ilka").maintain(dry_run=True)) == 2
    assert len(memory.maintain(everything=True)) == 3
    assert not memory.maintain(everything=True)
    assert memory.count(everything=True) == 3


def test_another_tenants_memories_are_never_touched(home, clock):
    memory = home.open(settings=Settings(quota=1))
    other = memory.scoped(tenant="other")
    for number in range(3):
        other.remember(f"Note: {number}", expires_at=DAY)
    clock.advance(2 * DAY)
    assert not memory.maintain(everything=True)
    assert len(other.maintain(everything=True)) == 3


def test_the_pinned_and_the_held_are_not_evicted(home, clock):
    memory = home.open(settings=Settings(quota=1))
    ilka = memory.scoped(user="ilka")
    for number in range(2):
        ilka.remember(f"Note: pinned {number}", importance=0.0, pinned=True)
        ilka.remember(f"Note: held {number}", importance=0.0, held=True)
    plan = ilka.maintain()
    assert not plan.actions
    assert any("3 more than the quota stay" in note for note in plan.notes)


def test_a_legal_hold_outlasts_the_time_to_live(home, clock):
    ilka = home.open().scoped(user="ilka")
    note = ilka.remember("Note: evidence", expires_at=DAY, held=True).memory
    assert note.held
    clock.advance(2 * DAY)
    assert not ilka.maintain()
    assert ilka.get(note.id, include="expired").content == "Note: evidence"
    assert not ilka.update(note.id, held=False).held
    assert [item.action for item in ilka.maintain().actions] == ["expire"]


def test_what_expired_is_forgotten_and_its_facts_with_it(home, clock):
    ilka = home.open().scoped(user="ilka")
    note = ilka.remember("Note: for a day", expires_at=DAY).memory
    clock.advance(DAY)
    ilka.maintain()
    with pytest.raises(NotFound):
        ilka.get(note.id, include="expired")
    assert [step.operation for step in ilka.history(note.id)] == ["created", "forgotten"]


def test_a_limit_bounds_the_actions_of_one_call(home, clock):
    _, ilka, _ = crowded(home, 1)
    ilka.remember("Note: for a day", expires_at=DAY)
    clock.advance(2 * DAY)
    whole = ilka.maintain(dry_run=True)
    assert len(whole) == 4
    assert ilka.maintain(dry_run=True, limit=2).actions == whole.actions[:2]
    assert ilka.maintain(limit=2).actions == whole.actions[:2]
    assert ilka.maintain(limit=1).actions == whole.actions[2:3]
    assert ilka.evict(limit=9).actions == whole.actions[3:]


def test_a_recall_that_is_not_written_yet_counts(home, clock):
    _, ilka, kept = crowded(home, 3, decay="daily", decay_grace=timedelta(0), decay_floor=0.0)
    clock.advance(150 * DAY)
    # 0.2 × 0.99^150 < 0.1: the note that was recalled is the stronger one by now.
    for _ in range(2):
        hits = ilka.recall("Note: the weakest", limit=1)
        assert hits[0].memory.id == kept["the weakest"].id
    assert [item.memory_id for item in ilka.evict(dry_run=True).actions] == [kept["weak"].id]
    assert [item.memory_id for item in ilka.evict().actions] == [kept["weak"].id]


def test_without_an_archive_the_plan_says_so_and_nothing_is_compressed(home, clock):
    ilka = home.open(settings=Settings(quota=100, archive="off")).scoped(user="ilka")
    ilka.remember("The kettle is blue. " * 40, understand=False)
    clock.advance(400 * DAY)
    plan = ilka.maintain()
    if not plan.actions:
        assert any("no archive is configured" in note for note in plan.notes)


@decided_by_the_engine
def test_a_bound_manager_maintains_its_own_only(memory, ilka):
    with pytest.raises(PermissionDenied):
        ilka.maintain(everything=True)
    with pytest.raises(PermissionDenied):
        ilka.start_maintenance(timedelta(hours=1))


@decided_by_the_engine
def test_upkeep_of_no_user_says_that_others_are_due(home, clock):
    memory, ilka, _ = crowded(home, 4)
    assert "everything=True" not in " ".join(memory.maintain(dry_run=True).notes)
    ilka.remember("Note: one too many")
    for planned in (memory.maintain(dry_run=True), memory.maintain(), memory.evict(dry_run=True)):
        assert not planned.actions
        assert "everything=True" in planned.notes[-1]
    assert "everything=True" not in " ".join(memory.scoped(agent="tutor").maintain().notes)
    assert memory.maintain(everything=True).counts == {"evict": 1}


def test_what_makes_no_sense_is_refused(memory):
    for wrong in ({"dry_run": 1}, {"limit": 0}, {"limit": True}, {"everything": "yes"}):
        with pytest.raises(InvalidInput):
            memory.maintain(**wrong)
        with pytest.raises(InvalidInput):
            memory.evict(**wrong)
    for wrong in (timedelta(0), timedelta(days=-1), 60, None):
        with pytest.raises(InvalidInput):
            memory.start_maintenance(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"quota": 0},
        {"compress_after": 30},
        {"archive_after": timedelta(days=-1)},
        {"importance_floor": -0.1},
        {"decay": "none"},
        {"decay_daily_rate": 1.5},
        {"decay_grace": None},
        {"maintenance_every": timedelta(0)},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(Misconfigured, match=next(iter(wrong))):
        Settings(**wrong)


def test_two_at_once_do_not_do_the_same_work(shared_home):
    one, other = (shared_home.open(settings=Settings(quota=5)) for _ in range(2))
    for number in range(25):
        one.remember(f"Note: {number}")

    def maintained(memory):
        try:
            return [action.memory_id for action in memory.maintain().actions]
        except Conflict:
            return []

    with ThreadPoolExecutor(4) as pool:
        done = [item for ids in pool.map(maintained, [one, other] * 4) for item in ids]
    assert sorted(done) == sorted(set(done))
    assert len(done) == 20
    assert one.count() == 5


LONG = " ".join(
    f"Stall {number} of the market sold {thing} from the valley to Mrs. Okafor."
    for number, thing in enumerate(("apples", "honey", "candles", "baskets", "cheese", "wool"))
)


@pytest.fixture
def archived_home(home, tmp_path):
    """A home whose memories may go to an archive."""
    return home, f"file://{tmp_path / 'cold'}"


def test_what_rests_is_compressed_and_then_archived_and_comes_back(archived_home, clock):
    home, archive = archived_home
    ilka = home.open(settings=Settings(archive=archive)).scoped(user="ilka")
    long = ilka.remember(LONG, kind="episodic", understand=False).memory
    short = ilka.remember("A short note.", understand=False).memory
    fact = ilka.remember("The kettle is blue.", key="kettle").memory
    important = ilka.remember(f"{LONG} Twice.", importance=0.9, understand=False).memory
    clock.advance(31 * DAY)
    planned = ilka.maintain(dry_run=True)
    assert [(item.memory_id, item.action) for item in planned.actions] == [(long.id, "compress")]
    assert ilka.maintain().actions == planned.actions
    compressed = ilka.get(long.id)
    assert compressed.state == "compressed"
    assert 0 < len(compressed.content) < len(LONG)
    assert not ilka.maintain()
    clock.advance(60 * DAY)
    done = ilka.maintain()
    assert done.counts == {"archive": 2}
    assert done.bytes_saved > 0
    assert {ilka.get(memory_id).state for memory_id in (long.id, short.id)} == {"archived"}
    assert not ilka.maintain()
    for memory in (fact, important):
        assert ilka.get(memory.id).state == "active"
    for memory in (long, short):
        back = ilka.restore(memory.id)
        assert (back.state, back.content) == ("active", memory.content)
    assert not ilka.maintain(), "what was brought back rests anew"


def test_what_has_no_room_goes_to_the_archive(archived_home, clock):
    home, archive = archived_home
    _, ilka, kept = crowded(home, 2, archive=archive)
    plan = ilka.evict()
    assert plan.notes == ()
    assert len(plan) == 2
    assert plan.bytes_saved > 0
    gone = ilka.get(kept["weak"].id)
    assert gone.archive is not None
    assert ilka.restore(gone.id).content == "Note: weak"
