"""Bringing a file to the newest schema: numbered files, forward only, all in one transaction."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from typing import NamedTuple

from perdure.stores._sql.statements import sql_files

_NUMBERED = re.compile(r"^(\d{4})_\w+\.sql$")

APPLICATION_ID = 0x50455244
"""In the file's header, so that tools and we can tell a Perdure store from other SQLite files."""


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration, in order. Numbers rise; some may be left out."""
    found = sorted(
        Migration(int(match.group(1)), file.read_text(encoding="utf-8"))
        for file in sql_files(__package__, "migrations")
        if (match := _NUMBERED.match(file.name))
    )
    numbers = [step.number for step in found]
    if numbers != sorted(set(numbers)):
        raise ValueError(f"two migrations have the same number: {numbers}")
    return tuple(found)


def newest() -> int:
    """The schema version this package writes."""
    return migrations()[-1].number


def statements_of(script: str) -> list[str]:
    """The statements of a script. `executescript` would commit the transaction first."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if ";" in line and sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if re.sub(r"--.*", "", pending).strip():
        raise ValueError(f"a migration ends inside a statement: {pending.strip()[:80]}")
    return found


def migrate(
    connection: sqlite3.Connection, *, steps: tuple[Migration, ...] | None = None
) -> list[int]:
    """Apply what is missing; the numbers that were. The caller holds a write transaction, so of
    several processes only the first finds anything to do."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    done: list[int] = []
    for step in migrations() if steps is None else steps:
        if step.number <= version:
            continue
        for statement in statements_of(step.sql):
            connection.execute(statement)
        done.append(step.number)
    if done:
        connection.execute(f"PRAGMA user_version = {done[-1]}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return done
