"""Erasing memories in one transaction, and freeing the tables of their bytes."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from secrets import token_hex

from perdure.domain.changes import Refused
from perdure.domain.erasure import (
    KEY_BYTES,
    Erased,
    Erasure,
    change_set_of,
    is_erased,
    request_is_erased,
    trace_of_request,
    trace_of_words,
)
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.times import iso
from perdure.stores.postgres.addresses import Address
from perdure.stores.postgres.applying import apply_in
from perdure.stores.postgres.locking import lock_walls
from perdure.stores.postgres.rows import memory_of
from perdure.stores.postgres.transactions import Session, Transactions

log = logging.getLogger(__name__)

TOUCHED = ("memories", "vectors", "token_vectors", "journal", "idempotency")
"""Tables that hold contents."""
REWRITTEN_BYTES = 256 * 2**20
"""Larger tables are not rewritten on the way: nobody could use them meanwhile."""


async def inventory(session: Session, scope: Scope) -> dict[str, tuple[str, ...]]:
    """As the store port says."""
    rows = await session.rows(
        "inventory", **_walls(scope), agent=scope.agent, session=scope.session
    )
    return {
        row["id"]: tuple(json.loads(row["extra"]).get("supports", ())) if row["extra"] else ()
        for row in rows
    }


async def erase_in(session: Session, schema: str, erasure: Erasure) -> Erased | Refused:
    """Erase, or say why not. Must be called in a transaction."""
    scope = erasure.scope
    await lock_walls(session, schema, [scope.walls])
    if erasure.is_complete:
        turned_up = (await inventory(session, scope)).keys() - (erasure.ids or frozenset())
        if turned_up:
            return Refused(stale=tuple(sorted(turned_up)))
    memories = await _targets(session, erasure)
    if held := tuple(memory.id for memory in memories if memory.held):
        return Refused(held=held)
    if not memories:
        return Erased()
    counts = await _counts(session, scope, [memory.id for memory in memories])
    written = await apply_in(session, schema, change_set_of(erasure, memories))
    if isinstance(written.result, Refused):
        return written.result
    counts["requests"] = await _withhold(session, erasure, memories)
    sequence = written.result.sequence
    await session.rows("set_compaction_due", value=f"{iso(erasure.at)} {sequence}")
    [head] = await session.rows("heads", tenants=[scope.tenant], users=[scope.user])
    return Erased(
        ids=tuple(memory.id for memory in memories),
        counts=counts,
        places=tuple(memory.archive for memory in memories if memory.archive is not None),
        sequence=sequence,
        digest=head["digest"],
    )


async def _targets(session: Session, erasure: Erasure) -> list[Memory]:
    walls = _walls(erasure.scope)
    if erasure.ids is None:
        rows = await session.rows("everything_behind", **walls)
    else:
        rows = await session.rows("by_id", **walls, ids=sorted(erasure.ids))
    return sorted(
        (memory for memory in map(memory_of, rows) if not is_erased(memory)),
        key=lambda memory: memory.id,
    )


async def _counts(session: Session, scope: Scope, ids: list[str]) -> dict[str, int]:
    [row] = await session.rows("count_erased", **_walls(scope), ids=ids)
    return {"memories": len(ids), "vectors": row["vectors"], "journal entries": row["entries"]}


async def _withhold(session: Session, erasure: Erasure, memories: Sequence[Memory]) -> int:
    """Forget the requests that stored the memories, and leave traces of requests and words."""
    scope, key = erasure.scope, await withholding_key(session)
    erased = {memory.id for memory in memories}
    gone = [
        row
        for row in await session.rows("keys_behind", **_walls(scope))
        if erasure.ids is None or request_is_erased(json.loads(row["answer"]), erased)
    ]
    digests = [row["key_digest"] for row in gone]
    await session.rows("drop_keys", **_walls(scope), digests=digests)
    traces = {trace_of_words(key, scope.walls, item.content) for item in memories if item.content}
    traces |= {trace_of_request(key, scope.walls, row["key"]) for row in gone}
    await session.rows("withhold", **_walls(scope), traces=sorted(traces))
    return len(gone)


async def withholding_key(session: Session) -> bytes:
    """The key that traces are made with, made when first needed. Must be called in a transaction."""
    found = await session.value("withholding_key")
    if found is None:
        await session.rows("make_withholding_key", key=token_hex(KEY_BYTES))
        found = await session.value("withholding_key")
    return bytes.fromhex(found)


async def withheld(session: Session, scope: Scope, texts: Sequence[str]) -> frozenset[int]:
    """As the store port says."""
    secret = await session.value("withholding_key")
    if secret is None or not texts:
        return frozenset()
    key = bytes.fromhex(secret)
    rows = await session.rows(
        "withheld_among",
        tenants=[scope.tenant] * len(texts),
        users=[scope.user] * len(texts),
        traces=[trace_of_words(key, scope.walls, text) for text in texts],
    )
    return frozenset(row["place"] - 1 for row in rows)


async def is_due(transactions: Transactions) -> str | None:
    """What was erased since the tables were last compacted; None for nothing."""
    due: str | None = await transactions.read(lambda session: session.value("compaction_due"))
    return due


async def compact(transactions: Transactions, address: Address) -> bool:
    """As the store port says.

    `VACUUM` takes dead rows out of tables and indexes, but what they were made of stays in the free
    room of pages until something else is written there. Only `VACUUM FULL` writes the tables
    anew; large ones are left to whoever can choose the hour.
    """
    due = await is_due(transactions)
    if due is None:
        return True
    names = [f"{address.quoted_schema}.{table}" for table in TOUCHED]
    size = await transactions.read(lambda session: session.value("bytes_of_touched", names=names))
    rewrites = size <= REWRITTEN_BYTES
    for name in names:
        await transactions.bare(f"VACUUM {'(FULL, ANALYZE)' if rewrites else '(ANALYZE)'} {name}")
    if not rewrites:
        log.warning("store.compaction_by_hand", extra={"tables": names, "bytes": size})
        return False
    await transactions.write(lambda session: session.rows("clear_compaction_due", value=due))
    return True


def _walls(scope: Scope) -> dict[str, str]:
    return {"tenant": scope.tenant, "user_id": scope.user}
