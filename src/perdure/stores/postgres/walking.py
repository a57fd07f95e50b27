"""Walking along facts, step by step in one snapshot."""

from __future__ import annotations

from perdure.domain.records import Memory
from perdure.domain.walking import Walk, Walking
from perdure.stores.postgres.conditions import admitting
from perdure.stores.postgres.rows import memory_of
from perdure.stores.postgres.transactions import Session


async def walked(session: Session, walk: Walk) -> list[Memory]:
    """As the store port says of `neighbours`."""
    sql, values = admitting("touching", walk.condition)
    walking = Walking(name for name in walk.names if "\0" not in name)
    for _ in range(walk.hops):
        if not walking.edge:
            break
        rows = await session.composed_rows(sql, {**values, "names": walking.edge})
        walking.step([memory_of(row) for row in rows])
    return list(walking.found.values())
