"""What a `postgresql://` URL says."""

from __future__ import annotations

import pytest

from perdure.errors import Misconfigured
from perdure.stores.postgres.addresses import parse_address

URL = "postgresql://ilka:s%40cret@db.example:5433/memories"


def test_the_schema_is_ours_and_the_rest_is_the_drivers() -> None:
    address = parse_address(f"{URL}?sslmode=require&schema=agents&target_session_attrs=any")
    assert address.schema == "agents"
    assert address.dsn == f"{URL}?sslmode=require&target_session_attrs=any"


def test_the_schema_is_perdure_unless_named() -> None:
    assert parse_address(URL).schema == "perdure"
    assert parse_address(URL).dsn == URL


@pytest.mark.parametrize(
    "url",
    [
        URL,
        URL.replace("postgresql", "postgres"),
        "postgresql://ilka:s%40cret@one:1,two:2/memories",
        "postgresql://db.example/memories?user=ilka&password=s%40cret",
    ],
)
def test_nobody_sees_the_password(url: str) -> None:
    address = parse_address(url)
    assert "cret" not in address.place
    assert "cret" not in repr(address)
    assert address.place.endswith("/memories")


def test_a_schema_is_quoted() -> None:
    assert parse_address(f'{URL}?schema=a"b').quoted_schema == '"a""b"'


@pytest.mark.parametrize("url", ["", "memory.db", "sqlite:///a.db", "postgresql:/db"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(Misconfigured):
        parse_address(url)
