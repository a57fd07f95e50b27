"""Aware UTC everywhere."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.domain.times import EPOCH, as_utc, from_micros, iso, to_micros
from perdure.errors import InvalidInput

NOON = datetime(2031, 7, 25, 12, tzinfo=UTC)
moments = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    "value",
    [
        NOON,
        datetime(2031, 7, 25, 12),  # noqa: DTZ001
        NOON.astimezone(timezone(timedelta(hours=8))),
        "2031-07-25T12:00:00Z",
        "2031-07-25T12:00:00",
        "2031-07-25 14:00:00+02:00",
        "  2031-07-25T12:00Z ",
    ],
)
def test_an_instant_may_be_written_in_many_ways(value):
    assert as_utc(value) == NOON
    assert as_utc(value).utcoffset() == timedelta(0)


def test_a_date_is_its_midnight():
    assert as_utc(date(2031, 7, 25)) == as_utc("2031-07-25") == NOON - timedelta(hours=12)


@pytest.mark.parametrize("value", ["last week", "", "2031-13-01", "25.07.2031", 5, None, 1.5, b"x"])
def test_what_is_no_time_is_refused_with_its_name(value):
    with pytest.raises(InvalidInput, match="valid_from"):
        as_utc(value, name="valid_from")


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"])
def test_an_instant_outside_the_calendar_is_refused(value):
    with pytest.raises(InvalidInput, match="1 to 9999"):
        as_utc(value)


@given(moments)
def test_microseconds_are_exact_both_ways(moment):
    assert from_micros(to_micros(moment)) == moment
    assert isinstance(to_micros(moment), int)


def test_microseconds_count_from_1970():
    assert to_micros(EPOCH) == 0
    assert to_micros(EPOCH - timedelta(microseconds=1)) == -1
    assert to_micros(datetime(2001, 9, 9, 1, 46, 40, 1, UTC)) == 1_000_000_000_000_001


@given(moments)
def test_the_text_form_is_read_back(moment):
    assert as_utc(iso(moment)) == moment


@given(moments, moments)
def test_text_forms_sort_like_times(one, other):
    assert (iso(one) < iso(other)) == (one < other)
