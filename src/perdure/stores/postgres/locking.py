"""Advisory locks, held until the transaction ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from perdure.stores._sql.chain import Walls
from perdure.stores.postgres.transactions import Session


def lock_key(schema: str, *name: str) -> int:
    """The number of a lock. Two names that share one merely wait for each other."""
    text = "\x1f".join((schema, *name))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def model_lock(schema: str) -> int:
    """Shared by all who write; exclusively for whoever changes the model."""
    return lock_key(schema, "model")


def tenant_lock(schema: str, tenant: str) -> int:
    """Shared by all who write to a tenant's journals; exclusively for who reads them all."""
    return lock_key(schema, "tenant", tenant)


async def take_locks(
    session: Session, *, shared: Sequence[int] = (), exclusive: Sequence[int] = ()
) -> None:
    """Wait for these locks, in this order."""
    await session.rows(
        "take_locks",
        keys=[str(key) for key in (*shared, *exclusive)],
        exclusive=["false"] * len(shared) + ["true"] * len(exclusive),
    )


async def lock_walls(session: Session, schema: str, walls: Iterable[Walls]) -> None:
    """Hold what writing to these (tenant, user)s needs.

    Shared: the model whose vectors are used, and each tenant's journal, which a reader of the
    whole tenant waits for. Exclusive: each (tenant, user), so that preconditions stay true and
    its journal grows in the order of commits. Everybody locks in the same order.
    """
    walls = sorted(walls)
    tenants = sorted({tenant for tenant, _ in walls})
    await take_locks(
        session,
        shared=[model_lock(schema), *(tenant_lock(schema, tenant) for tenant in tenants)],
        exclusive=[lock_key(schema, "walls", *pair) for pair in walls],
    )


async def lock_marks(session: Session, schema: str, names: Iterable[str]) -> None:
    """Hold these marks, after the walls, so that their preconditions stay true."""
    keys = [lock_key(schema, "mark", name) for name in sorted(names)]
    await take_locks(session, exclusive=keys)
