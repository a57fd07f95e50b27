"""What has expired is invisible the moment it expires, without any job."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from perdure import InvalidInput, NotFound
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

HOUR = timedelta(hours=1)


@pytest.fixture
def board(ilka, clock):
    """Notices with different times to live."""
    kept = {
        "one hour": ilka.remember("Notice: one hour", expires_at=HOUR).memory,
        "at once": ilka.remember("Notice: at once", expires_at=timedelta(0)).memory,
        "past": ilka.remember("Notice: past", expires_at="2031-03-09").memory,
        "forever": ilka.remember("Notice: forever").memory,
        "naive": ilka.remember(
            "Notice: naive",
            expires_at=datetime(2031, 3, 10, 10),  # noqa: DTZ001 - naive is UTC
        ).memory,
    }
    return ilka, kept


def seen(memory, **options):
    """What is seen by every default path; they must agree."""
    listed = {text.removeprefix("Notice: ") for text in texts(memory.list(**options))}
    recalled = texts(memory.recall("notice", limit=20, **options))
    assert {text.removeprefix("Notice: ") for text in recalled} == listed
    block = memory.recall_context("notice", max_tokens=5_000, limit=20, **options)
    assert {line.rpartition(": ")[2] for line in block.splitlines() if line[0] == "["} == listed
    assert memory.count(**options) == len(listed)
    return listed


def test_the_expired_is_hidden_the_moment_it_expires(board, clock):
    memory, _ = board
    assert seen(memory) == {"one hour", "forever", "naive"}
    clock.advance(HOUR - timedelta(microseconds=1))
    assert seen(memory) == {"one hour", "forever", "naive"}
    clock.advance(timedelta(microseconds=1))
    assert seen(memory) == {"forever"}


def test_the_expired_is_shown_when_asked_for(board, clock):
    memory, kept = board
    clock.advance(HOUR)
    assert seen(memory, include="expired") == set(kept)


def test_the_expired_cannot_be_read_by_its_id_unless_asked_for(board, clock):
    memory, kept = board
    clock.advance(HOUR)
    with pytest.raises(NotFound):
        memory.get(kept["one hour"].id)
    assert memory.get(kept["one hour"].id, include="expired").content == "Notice: one hour"


def test_an_extension_brings_it_back(board, clock):
    memory, kept = board
    clock.advance(HOUR)
    memory.update(kept["one hour"].id, expires_at=HOUR)
    assert seen(memory) == {"one hour", "forever"}
    clock.advance(HOUR)
    assert seen(memory) == {"forever"}


def test_an_expiry_can_be_taken_away(board, clock):
    memory, kept = board
    memory.update(kept["naive"].id, expires_at=None)
    clock.advance(timedelta(days=900))
    assert seen(memory) == {"naive", "forever"}


def test_an_update_of_something_else_leaves_the_expiry(board, clock):
    memory, kept = board
    memory.update(kept["one hour"].id, importance=0.9)
    clock.advance(HOUR)
    assert "one hour" not in seen(memory)


def test_the_expired_does_not_take_the_place_of_the_living(ilka, clock):
    ilka.remember_many(
        [{"content": f"Notice {n} notice notice", "expires_at": HOUR} for n in range(60)]
    )
    ilka.remember_many([{"content": f"A lasting notice of day {n}"} for n in range(12)])
    clock.advance(HOUR)
    assert len(ilka.recall("notice", limit=10)) == 10
    assert len(ilka.list(limit=12)) == 12
    assert ilka.list(limit=12).next_cursor is None


def test_an_expired_value_leaves_no_older_one_behind_in_its_slot(ilka, clock):
    ilka.remember("Code is 1111", key="code")
    clock.advance(HOUR)
    ilka.remember("Code is 2222", key="code", expires_at=HOUR)
    clock.advance(HOUR)
    assert texts(ilka.list()) == []


def test_expiry_holds_in_every_past(ilka, clock):
    ilka.remember("Gone by noon", expires_at=HOUR)
    before = clock.now()
    clock.advance(HOUR)
    assert texts(ilka.recall("noon", as_of=before)) == []
    assert texts(ilka.recall("noon", known_as_of=before)) == []


def test_expiry_survives_reopening(lasting_home):
    with lasting_home.open() as memory:
        memory.remember("Gone by noon", expires_at=HOUR)
    lasting_home.clock.advance(HOUR)
    assert lasting_home.open().count() == 0


@decided_by_the_engine
def test_an_export_keeps_the_expiry(ilka, clock, tmp_path, home):
    ilka.remember("Gone by noon", expires_at=HOUR)
    clock.advance(HOUR)
    ilka.export(tmp_path / "x.jsonl")
    ilka.forget_all()
    fresh = type(home)(
        store="memory", form=home.form, url="memory://", loop=home.loop, clock=clock
    ).open()
    fresh.import_(tmp_path / "x.jsonl")
    fresh = fresh.scoped(user="ilka")
    assert (fresh.count(), fresh.count(include="expired")) == (0, 1)


@decided_by_the_engine
@pytest.mark.parametrize("expires_at", [timedelta.max, "soon", 3600, float("inf")])
def test_an_expiry_that_cannot_be_read_is_refused(ilka, expires_at):
    with pytest.raises(InvalidInput, match="expires_at"):
        ilka.remember("Until when?", expires_at=expires_at)
    assert ilka.count() == 0


@decided_by_the_engine
def test_an_aware_expiry_of_another_zone_is_the_same_moment(ilka, clock):
    expires = datetime.fromisoformat("2031-03-10T23:00:00+13:00")
    kept = ilka.remember("Until ten UTC", expires_at=expires).memory
    assert kept.expires_at == datetime(2031, 3, 10, 10, tzinfo=UTC)
