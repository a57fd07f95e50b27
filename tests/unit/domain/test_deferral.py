"""When a message that waits for a language model is tried again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from perdure.domain.deferral import DEFERRED, MOST_ATTEMPTS, Deferral, deferral_in

NOON = datetime(2031, 3, 10, 12, tzinfo=UTC)
FRESH = Deferral(
    said_at=datetime(2031, 3, 10, 13, tzinfo=timezone(timedelta(hours=1))),
    retry_at=NOON,
    predicates={"berth": "single"},
)


def test_the_pauses_grow_and_end() -> None:
    mark, now, pauses = FRESH, NOON, []
    while not mark.is_given_up:
        mark = mark.after_failure(now, "away")
        pauses.append((mark.retry_at - now) / timedelta(minutes=1))
        now = mark.retry_at
    assert pauses == [1, 4, 16, 64, 256, 720]
    assert len(pauses) == MOST_ATTEMPTS


@pytest.mark.parametrize(("asked_s", "minutes"), [(None, 1), (5, 1), (600, 10), (10**6, 720)])
def test_a_service_may_ask_for_a_longer_pause(asked_s: float | None, minutes: int) -> None:
    later = FRESH.after_failure(NOON, "busy", asked_s=asked_s)
    assert later.retry_at == NOON + timedelta(minutes=minutes)
    assert not later.is_due(NOON)
    assert later.is_due(later.retry_at)


def test_the_mark_is_read_back_as_it_was_written() -> None:
    mark = FRESH.after_failure(NOON, "away")
    again = deferral_in({DEFERRED: mark.as_json()})
    assert again == mark
    assert again is not None
    assert again.said_at.utcoffset() == timedelta(hours=1)


@pytest.mark.parametrize("value", [None, True, "yes", {}, {"said_at": "yesterday"}, [1]])
def test_a_mark_of_somebody_else_is_none(value: object) -> None:
    assert deferral_in({DEFERRED: value}) is None
    assert deferral_in({}) is None
