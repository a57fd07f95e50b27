"""Bringing the schema up to date: numbered scripts, in order, each once, all or none."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from perdure.domain import analysis
from perdure.errors import NewerStore
from perdure.stores.postgres.addresses import Address
from perdure.stores.postgres.locking import lock_key, take_locks
from perdure.stores.postgres.rows import array_literal, memory_of
from perdure.stores.postgres.transactions import Session

_BATCH = 500


class Migration(NamedTuple):
    """One script of `migrations/`, such as `0001_initial.sql`."""

    version: int
    name: str
    sql: str


def migrations() -> list[Migration]:
    """Every script, in order."""
    scripts = sorted(
        (item for item in files("perdure.stores.postgres").joinpath("migrations").iterdir()
         if item.name.endswith(".sql")),
        key=lambda item: item.name,
    )  # fmt: skip
    return [
        Migration(int(item.name[:4]), item.name.removesuffix(".sql"), item.read_text("utf-8"))
        for item in scripts
    ]


async def migrate(session: Session, address: Address) -> None:
    """Run what is missing. Must be called in a transaction, which it holds one lock in.

    Raises `NewerStore`, and changes nothing, when a newer version was here.
    """
    lock = lock_key(address.schema, "migrations")
    await take_locks(session, exclusive=[lock])
    known = migrations()
    present = 0
    if await session.value("has_migrations", table=f"{address.quoted_schema}.schema_migrations"):
        present = await session.value("schema_version")
    if present > known[-1].version:
        raise NewerStore(
            f"{address.place}: schema {address.schema!r} is at version {present}, and this version "
            f"of the package knows {known[-1].version}; upgrade the package"
        )
    if not await session.value("has_schema", schema=address.quoted_schema):
        await session.script(f"CREATE SCHEMA {address.quoted_schema}")
    if not present:
        await session.script(
            f"CREATE TABLE IF NOT EXISTS {address.quoted_schema}.schema_migrations "
            "(version integer PRIMARY KEY, name text NOT NULL)"
        )
    for migration in (step for step in known if step.version > present):
        await session.script(migration.sql)
        await session.rows("note_migration", version=migration.version, name=migration.name)
    await _renew_terms(session)


async def _renew_terms(session: Session) -> None:
    """Analyse every text again when the analysis gives other terms than it did."""
    if await session.value("analysis_version") == analysis.VERSION:
        return
    after = ""
    while batch := await session.rows("texts_after", after=after, limit=_BATCH):
        memories = [memory_of(row) for row in batch]
        await session.many(
            "set_lexemes",
            [
                {
                    "tenant": memory.scope.tenant,
                    "user_id": memory.scope.user,
                    "id": memory.id,
                    "lexemes": array_literal(analysis.lexemes(memory.indexed_text)),
                }
                for memory in memories
            ],
        )
        after = memories[-1].id
    await session.rows("set_analysis_version", version=analysis.VERSION)
