"""Times are aware UTC on every path, and a window that cannot be read is never no window."""

from __future__ import annotations

import json
import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from perdure import InvalidInput
from tests.acceptance.home import decided_by_the_engine
from tests.acceptance.reading import texts

ZONES = ["UTC0", "AAA-14", "BBB+11", "EST5EDT,M3.2.0,M11.1.0", "CET-1CEST,M3.5.0,M10.5.0/3"]
MOMENTS = [
    "2031-07-25T02:00:00+00:00",
    "2031-07-24T23:59:59.999999+00:00",
    "2031-07-25T00:00:00+00:00",
    "2031-03-09T07:30:00+00:00",  # clocks go forward in New York
    "2031-10-26T00:59:59.000001+00:00",  # clocks go back in Berlin
]


@pytest.fixture
def in_zone(monkeypatch):
    """Sets the time zone of the process; set back at the end."""

    def move(zone):
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def told_times(memory, note_id, path):
    """When it happened, as each path of reading tells it."""
    [listed] = memory.list()
    [hit] = memory.recall("barometer")
    memory.export(path)
    [line] = [json.loads(line) for line in path.read_text().splitlines()][1:]
    return {
        "get": memory.get(note_id).occurred_at.isoformat(),
        "list": listed.occurred_at.isoformat(),
        "recall": hit.memory.occurred_at.isoformat(),
        "history": memory.history(note_id)[0].memory.occurred_at.isoformat(),
        "history at": memory.history(note_id)[0].at.isoformat(),
        "recorded": memory.get(note_id).recorded_at.isoformat(),
        "valid": memory.get(note_id).valid_from.isoformat(),
        "export": line["memory"]["occurred_at"],
        "journal": memory.changes(limit=1)[0].at.isoformat(),
    }


@pytest.mark.parametrize("zone", ZONES)
def test_every_path_tells_the_same_utc_time_in_every_zone(home, in_zone, zone, tmp_path):
    in_zone(zone)
    memory = home.open()
    for moment in MOMENTS:
        home.clock.set(moment)
        mine = memory.scoped(user=moment)
        note = mine.remember("The barometer fell").memory
        assert set(told_times(mine, note.id, tmp_path / "x.jsonl").values()) == {moment}


def test_nothing_shifts_when_the_zone_changes_and_the_store_is_reopened(
    lasting_home, in_zone, tmp_path
):
    in_zone("AAA-14")
    lasting_home.clock.set(MOMENTS[0])
    with lasting_home.open() as memory:
        note = memory.remember("The barometer fell").memory
    in_zone("BBB+11")
    memory = lasting_home.open()
    assert set(told_times(memory, note.id, tmp_path / "x.jsonl").values()) == {MOMENTS[0]}
    assert memory.count(between=("2031-07-25", "2031-07-25")) == 1


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_is_a_day_in_utc(home, in_zone, zone):
    in_zone(zone)
    memory = home.open()
    for number, moment in enumerate(MOMENTS[:3]):
        memory.remember(f"Reading {number}", occurred_at=moment)
    on_that_day = {"between": ("2031-07-25", "2031-07-25")}
    assert texts(memory.list(order="occurred_at", **on_that_day)) == ["Reading 2", "Reading 0"]
    assert memory.count(filters={"memory.occurred_at": {"lt": "2031-07-25"}}) == 1


@decided_by_the_engine
@pytest.mark.parametrize(
    "told",
    [
        "2031-07-25T02:00:00Z",
        "2031-07-25T02:00:00",
        "2031-07-25T04:00:00+02:00",
        "20310725T020000Z",
        datetime(2031, 7, 25, 2, tzinfo=UTC),
        datetime(2031, 7, 25, 2),  # noqa: DTZ001 - naive is UTC
        datetime(2031, 7, 24, 19, tzinfo=timezone(timedelta(hours=-7))),
    ],
    ids=str,
)
def test_one_moment_told_in_different_ways_is_one_moment(ilka, in_zone, told):
    in_zone("BBB+11")
    kept = ilka.remember("At two", occurred_at=told, valid_from=told).memory
    assert kept.occurred_at == kept.valid_from == datetime(2031, 7, 25, 2, tzinfo=UTC)
    assert ilka.get(kept.id).occurred_at.isoformat() == MOMENTS[0]


@decided_by_the_engine
def test_a_date_is_its_midnight(ilka):
    kept = ilka.remember("All day", occurred_at=date(2031, 7, 25)).memory
    assert kept.occurred_at == datetime(2031, 7, 25, tzinfo=UTC)


@decided_by_the_engine
@pytest.mark.parametrize(
    "name", ["occurred_at", "occurred_until", "valid_from", "valid_to", "expires_at"]
)
@pytest.mark.parametrize(
    "value", ["yesterday", "上周五", "25.07.2031", "2031-13-01", "", 1943920800, 0.5]
)
def test_a_time_that_cannot_be_read_is_refused(ilka, name, value):
    with pytest.raises(InvalidInput, match=name):
        ilka.remember("When?", **{name: value})
    assert ilka.count() == 0


@decided_by_the_engine
@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": "2031-02-01", "valid_to": "2031-02-01"},
        {"valid_from": "2031-02-02", "valid_to": "2031-02-01"},
        {"occurred_at": "2031-02-02", "occurred_until": "2031-02-01"},
    ],
)
def test_an_interval_that_ends_before_it_begins_is_refused(ilka, times):
    with pytest.raises(InvalidInput):
        ilka.remember("Backwards", **times)
    assert ilka.count() == 0


@pytest.fixture
def week(ilka):
    """One memory a day from the 24th to the 27th, told in different ways."""
    days = [
        datetime(2031, 7, 24, 8),  # noqa: DTZ001 - naive is UTC
        datetime(2031, 7, 25, 8, tzinfo=UTC),
        "2031-07-26T08:00:00",
        "2031-07-27T10:00:00+02:00",
    ]
    for number, day in enumerate(days, start=24):
        ilka.remember(f"Dig day {number}", occurred_at=day)
    return ilka


def reads(memory):
    """Every call that takes a window."""
    return [
        lambda between: texts(memory.recall("dig day", between=between)),
        lambda between: texts(memory.list(between=between)),
        lambda between: memory.count(between=between),
        lambda between: memory.recall_context("dig day", between=between),
        lambda between: memory.forget_all(between=between),
    ]


@decided_by_the_engine
@pytest.mark.parametrize(
    "window",
    [
        "last week",
        "past 7 days",
        "last seven days",
        "sometime-ish",
        "上个星期",
        "2031-07-25",
        ("last week", None),
        (None, "sometime-ish"),
        ("2031-07-25", "27"),
        ("2031-07-25",),
        ("2031-07-25", "2031-07-26", "2031-07-27"),
        (7, None),
        {"start": "2031-07-25"},
    ],
    ids=str,
)
def test_a_window_that_cannot_be_read_is_refused_by_every_call(week, window):
    for read in reads(week):
        with pytest.raises(InvalidInput, match="between"):
            read(window)
    assert week.count() == 4


@decided_by_the_engine
@pytest.mark.parametrize(
    "window",
    [
        ("2031-07-26", "2031-07-25"),
        ("2031-07-25T10:00", "2031-07-25T10:00"),
        (datetime(2031, 7, 26, tzinfo=UTC), datetime(2031, 7, 25)),  # noqa: DTZ001
    ],
    ids=str,
)
def test_a_window_that_ends_before_it_starts_is_refused(week, window):
    for read in reads(week):
        with pytest.raises(InvalidInput, match="before"):
            read(window)
    assert week.count() == 4


WINDOWS = [
    (("2031-07-25", "2031-07-26"), {25, 26}),
    (("20310725", "20310726"), {25, 26}),
    ((date(2031, 7, 25), date(2031, 7, 25)), {25}),
    ((datetime(2031, 7, 25), datetime(2031, 7, 27, tzinfo=UTC)), {25, 26}),  # noqa: DTZ001
    (("2031-07-25T08:00:00", "2031-07-26T08:00:00Z"), {25}),
    (("2031-07-25T08:00:00.000001", None), {26, 27}),
    ((None, "2031-07-24"), {24}),
    ((None, None), {24, 25, 26, 27}),
    (None, {24, 25, 26, 27}),
    (["2031-07-27", None], {27}),
    (("2031-08-01", None), set()),
]


def test_a_window_takes_in_what_happened_from_its_start_up_to_its_end(week):
    for window, days in WINDOWS:
        expected = [f"Dig day {day}" for day in sorted(days)]
        assert sorted(texts(week.recall("dig day", between=window))) == expected, window
        assert texts(week.list(between=window, order="occurred_at")) == expected, window
        assert week.count(between=window) == len(days), window


def test_an_event_with_a_duration_is_in_every_window_it_meets(ilka):
    ilka.remember("The fair", occurred_at="2031-06-03", occurred_until="2031-06-09")
    inside = [("2031-06-05", "2031-06-06"), ("2031-06-09", None), (None, "2031-06-03")]
    outside = [("2031-06-10", None), (None, "2031-06-02")]
    assert [ilka.count(between=window) for window in [*inside, *outside]] == [1, 1, 1, 0, 0]


def test_times_keep_their_microseconds(lasting_home):
    moment = datetime(2031, 7, 25, 2, 0, 0, 123457, tzinfo=UTC)
    with lasting_home.open() as memory:
        note = memory.remember("Precisely", occurred_at=moment, expires_at=moment).memory
    read = lasting_home.open().get(note.id, include="expired")
    assert (read.occurred_at, read.expires_at) == (moment, moment)


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
def test_the_ends_of_the_calendar_can_be_kept(ilka, moment):
    kept = ilka.remember("At the edge", occurred_at=moment, valid_from="0001-01-01").memory
    assert ilka.get(kept.id).occurred_at == kept.occurred_at
    assert ilka.recall("edge").hits[0].memory.id == kept.id


@decided_by_the_engine
@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-11:00"])
def test_a_moment_beyond_the_calendar_in_utc_is_refused(ilka, value):
    with pytest.raises(InvalidInput):
        ilka.remember("Beyond", occurred_at=value)


def test_a_clock_that_goes_back_loses_nothing(ilka, clock):
    first = ilka.remember("Before the clock was set back").memory
    clock.advance(timedelta(days=-2))
    second = ilka.remember("After the clock was set back").memory
    ilka.update(second.id, importance=0.9)
    clock.advance(timedelta(days=3))
    assert {first.id, second.id} == {item.id for item in ilka.list()}
    assert ilka.get(second.id).importance == 0.9
