"""What `check` looks at: journal, records, links, and everything derived from them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from perdure.domain.records import Memory
from perdure.errors import CorruptStore
from perdure.ports.store import Finding
from perdure.stores._sql.chain import Walls
from perdure.stores._verification import chain_findings, link_findings, replay_findings
from perdure.stores.postgres.locking import lock_walls
from perdure.stores.postgres.rows import Row, derived_from, entry_of, memory_of
from perdure.stores.postgres.transactions import Session, Transactions

_PROBLEMS = {
    "fingerprint": "the fingerprint is not that of the words",
    "lexemes": "the terms are not those of the text",
    "instants": "the instants are not those its texts name",
    "interval_days": "not what its reviews have earned it",
    "review_due_at": "not what its reviews have earned it",
}


async def check_all(transactions: Transactions, schema: str, *, repair: bool) -> list[Finding]:
    """Every finding, one (tenant, user) after the other, so that nobody is held up for long."""
    findings: list[Finding] = []
    for row in await transactions.read(lambda session: session.rows("all_walls")):
        walls = (row["tenant"], row["user_id"])
        work = partial(_check_walls, schema=schema, walls=walls, repair=repair)
        run: Callable[..., Any] = transactions.write if repair else transactions.snapshot
        findings.extend(await run(work))
    findings.extend(await _check_owners(transactions, repair=repair))
    return findings


async def _check_walls(
    session: Session, *, schema: str, walls: Walls, repair: bool
) -> list[Finding]:
    values = {"tenant": walls[0], "user_id": walls[1]}
    if repair:
        await lock_walls(session, schema, [walls])
    rows = await session.rows("derived_within", **values)
    entries = [entry_of(row) for row in await session.rows("journal_of", **values)]
    findings = list(chain_findings(entries))
    stored: dict[str, Memory] = {}
    for row in rows:
        try:
            stored[row["id"]] = memory_of(row)
        except CorruptStore:
            problem = "the row describes no memory"
            findings.append(Finding(place="records", problem=problem, memory_id=row["id"]))
    findings.extend(replay_findings(entries, stored))
    findings.extend(link_findings(stored))
    findings.extend(await _derived(session, rows, stored, values, repair=repair))
    return findings


async def _derived(
    session: Session,
    rows: list[Row],
    stored: dict[str, Memory],
    values: dict[str, str],
    *,
    repair: bool,
) -> list[Finding]:
    findings: list[Finding] = []

    def found(place: str, problem: str, memory_id: str) -> None:
        findings.append(Finding(place=place, problem=problem, memory_id=memory_id, repaired=repair))

    for row in rows:
        memory = stored.get(row["id"])
        right = {} if memory is None else derived_from(memory)
        wrong = [name for name, value in right.items() if not _agree(name, row[name], value)]
        if wrong and repair:
            await session.rows("repair_derived", **values, id=row["id"], **right)
        for name in wrong:
            found(name, _PROBLEMS[name], row["id"])
    for row in await session.rows("foreign_vectors", **values):
        if repair:
            await session.rows("drop_vectors", **values, memory_id=row["memory_id"])
        found("vectors", "made by another model than the store's", row["memory_id"])
    for row in await session.rows("miscounted", **values):
        if repair:
            counted = {"agent": row["agent"], "memories": row["memories"]}
            await session.rows("mend_count", **values, **counted)
        problem = "not as many hot memories as are stored"
        findings.append(Finding(place="residents", problem=problem, repaired=repair))
    for row in await session.rows("unowned", **values):
        if repair:
            await session.rows("own", **values, id=row["id"])
        found("memory_owners", "does not say whose the memory is", row["id"])
    return findings


def _agree(name: str, kept: Any, right: Any) -> bool:
    if name == "instants":
        return bool(json.loads(kept) == json.loads(right))
    return bool(kept == right)


async def _check_owners(transactions: Transactions, *, repair: bool) -> list[Finding]:
    async def work(session: Session) -> list[Finding]:
        rows = await session.rows("owned_by_nobody")
        if repair:
            await session.many("disown", [{"id": row["id"]} for row in rows])
        problem = "names an id that no record has"
        return [
            Finding(place="memory_owners", problem=problem, memory_id=row["id"], repaired=repair)
            for row in rows
        ]

    return await (transactions.write(work) if repair else transactions.read(work))
