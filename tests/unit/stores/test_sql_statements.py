"""Statements in `.sql` files."""

from __future__ import annotations

import pytest

from perdure.stores._sql.statements import load, numbered, parse


def test_a_file_holds_named_statements_without_their_comments() -> None:
    text = """
-- About the file.

-- name: one
-- Explains; with: a colon and a semicolon.
SELECT 1  -- in the line
FROM t;

-- name: two
SELECT 2;
"""
    assert parse(text) == {"one": "SELECT 1 FROM t", "two": "SELECT 2"}


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match="share a name"):
        parse("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;")


def test_placeholders_become_numbers_in_order_of_appearance() -> None:
    sql, names = numbered("SELECT :b::text, CAST(:a AS text) WHERE x = :b AND y = :a_2")
    assert sql == "SELECT $1::text, CAST($2 AS text) WHERE x = $1 AND y = $3"
    assert names == ("b", "a", "a_2")


def test_every_include_of_the_postgres_statements_is_resolved() -> None:
    statements = load("perdure.stores.postgres")
    assert not [name for name, sql in statements.items() if "{{" in sql or "--" in sql]
    assert "m.tenant" in statements["by_id"]
