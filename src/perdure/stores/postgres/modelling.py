"""Vectors, and the one model whose vectors the store uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from perdure.domain.changes import TokenVectors, Vectors
from perdure.domain.records import Memory
from perdure.domain.visibility import View
from perdure.stores.postgres.conditions import within
from perdure.stores.postgres.locking import lock_walls, model_lock, take_locks
from perdure.stores.postgres.rows import memory_of
from perdure.stores.postgres.transactions import Session

BATCH = 10_000

Place = tuple[str, str, str]
"""A memory's tenant, user and id."""


async def chosen_model(session: Session, offered: str) -> str:
    """The store's model; the offered one when there was none. The model lock must be held."""
    model = await session.value("embedding_model")
    if model is None:
        await session.rows("choose_model", model=offered)
        model = await session.value("embedding_model")
    return str(model)


async def put_vectors(session: Session, vectors: Mapping[Place, Vectors | None]) -> None:
    """Replace the vectors of these memories; None leaves them without."""
    await session.many(
        "drop_vectors",
        [
            {"tenant": tenant, "user_id": user, "memory_id": memory_id}
            for tenant, user, memory_id in vectors
        ],
    )
    await session.many(
        "put_vector",
        [
            {
                "tenant": tenant,
                "user_id": user,
                "memory_id": memory_id,
                "piece": piece,
                "model": item.model,
                "embedding": np.asarray(row, dtype=np.float32),
            }
            for (tenant, user, memory_id), item in vectors.items()
            if item is not None
            for piece, row in enumerate(item.rows)
        ],
    )

    await session.many(
        "put_tokens",
        [
            {
                "tenant": tenant,
                "user_id": user,
                "memory_id": memory_id,
                "model": item.tokens.model,
                "dimension": item.tokens.rows.shape[1],
                "data": item.tokens.rows.astype(np.int8).tobytes(),
            }
            for (tenant, user, memory_id), item in vectors.items()
            if item is not None and item.tokens is not None and len(item.rows)
        ],
    )


async def read_tokens(
    session: Session, view: View, ids: Sequence[str], model: str
) -> dict[str, TokenVectors]:
    """The token vectors by this model of memories behind the view's walls, by id."""
    rows = await session.composed_rows(*within("token_vectors", view, ids=list(ids), model=model))
    return {
        row["memory_id"]: TokenVectors(
            model=model,
            rows=np.frombuffer(row["data"], dtype=np.int8).reshape(-1, row["dimension"]),
        )
        for row in rows
    }


async def set_vectors(
    session: Session, schema: str, vectors: Mapping[str, tuple[int, Vectors]]
) -> int:
    """Set vectors by id, each only while its version is the given one; how many were set."""
    ids = list(vectors)
    owned = await session.rows("owned_versions", ids=ids)
    await lock_walls(session, schema, {(row["tenant"], row["user_id"]) for row in owned})
    places: dict[Place, Vectors | None] = {}
    for row in await session.rows("owned_versions", ids=ids):
        version, offered = vectors[row["id"]]
        if row["version"] == version and await chosen_model(session, offered.model) == (
            offered.model
        ):
            places[row["tenant"], row["user_id"], row["id"]] = offered
    await put_vectors(session, places)
    return len(places)


async def adopt(session: Session, schema: str, model: str, replacing: str | None) -> bool:
    """Make `model` the store's, if the present one is `replacing`.

    Vectors of the other stay until `drop_foreign` has removed them, and are used for nothing.
    """
    await take_locks(session, exclusive=[model_lock(schema)])
    present = await session.value("embedding_model")
    if present == model:
        return True
    if present != replacing:
        return False
    await session.rows("set_model", model=model)
    return True


async def drop_foreign(session: Session) -> bool:
    """Remove a batch of the vectors that other models made; whether there were any."""
    return bool(await session.value("drop_foreign_vectors", limit=BATCH))


async def lacking(session: Session, model: str, tokens: str | None, limit: int) -> list[Memory]:
    """Memories of any scope, not forgotten, without vectors by this model, or without token
    vectors by the other; by id."""
    rows = await session.rows("lacking_vectors", model=model, tokens=tokens, limit=limit)
    return [memory_of(row) for row in rows]
