from __future__ import annotations

import pytest

from perdure.remote.retrying import RetryPolicy, asked_delay_s

POLICY = RetryPolicy(max_retries=6, patience_s=60.0)


@pytest.mark.parametrize(
    ("retry", "delay_s"), [(0, 0.5), (1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 8.0), (6, None)]
)
def test_delays_double_up_to_the_longest_and_end(retry: int, delay_s: float | None) -> None:
    assert POLICY.delay_s(retry, asked_s=None, chance=1.0) == delay_s


def test_chance_takes_up_to_a_quarter_off() -> None:
    assert POLICY.delay_s(1, asked_s=None, chance=0.0) == 0.75


def test_the_service_has_its_way_within_patience() -> None:
    assert POLICY.delay_s(0, asked_s=37.5, chance=0.0) == 37.5
    assert POLICY.delay_s(0, asked_s=0.0, chance=0.0) == 0.0
    assert POLICY.delay_s(0, asked_s=61.0, chance=0.0) is None


def test_no_delay_exceeds_patience() -> None:
    hasty = RetryPolicy(max_retries=9, patience_s=2.0)
    assert hasty.delay_s(5, asked_s=None, chance=1.0) == 2.0


def test_no_retries_means_none() -> None:
    assert RetryPolicy(max_retries=0, patience_s=9.0).delay_s(0, asked_s=1.0, chance=0) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-4"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        (
            {
                "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT",
                "date": "Fri, 31 Dec 1999 23:59:29 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Fri, 31 Dec 1999 23:59:00 GMT",
                "date": "Fri, 31 Dec 1999 23:59:29 GMT",
            },
            0.0,
        ),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "today"}, None),
        (
            {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:29"},
            None,
        ),
    ],
)
def test_what_a_service_asks_for_is_understood(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert asked_delay_s(headers) == seconds
