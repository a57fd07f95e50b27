"""Which model's vectors are used, and setting vectors after the fact."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

from perdure.domain.changes import Vectors
from perdure.stores.sqlite.partitions import Partitions
from perdure.stores.sqlite.rows import Row
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.tokens import PackedTokens, pack_tokens, put_tokens
from perdure.stores.sqlite.transaction import Transaction
from perdure.stores.sqlite.vectors import Packed, pack, table_rows

_DROPPED_AT_ONCE = 1000


class Offer(NamedTuple):
    """Vectors for one memory, packed before the write lock is taken."""

    id: str
    version: int
    model: str
    dimension: int
    vectors: tuple[Packed, ...]
    tokens: PackedTokens | None


def offers(vectors: Mapping[str, tuple[int, Vectors]], *, encoding: int) -> list[Offer]:
    """The vectors ready to be written."""
    return [
        Offer(
            memory_id,
            version,
            item.model,
            item.rows.shape[1],
            pack(item.rows, encoding),
            pack_tokens(item),
        )
        for memory_id, (version, item) in vectors.items()
    ]


def put(tx: Transaction, offered: list[Offer]) -> int:
    """Set each memory's vectors if its version is the given one; how many were."""
    done = 0
    for offer in offered:
        row = tx.execute(tx.sql["stored_version"], (offer.id,)).fetchone()
        if row is None or row[3] != offer.version or not offer.vectors:
            continue
        number = tx.model_number(offer.model, offer.dimension)
        if number is None:
            continue
        tx.execute(tx.sql["drop_vectors"], (row[1],))
        tx.executemany(tx.sql["insert_vectors"], table_rows(row[1], number, offer.vectors))
        put_tokens(tx, row[1], offer.tokens)
        tx.execute(tx.sql["stop_awaiting"], (offer.id,))
        tx.vectors_changed(row[1])
        tx.pages += 2
        done += 1
    return done


def adopt(tx: Transaction, model: str, *, replacing: str | None) -> bool:
    """Make `model` the one whose vectors are used, if the present one is `replacing`."""
    if tx.model == model:
        return True
    if tx.model != replacing:
        return False
    tx.use_model(model)
    tx.execute(tx.sql["await_all"])
    tx.vectors_changed(0)
    return True


def drop_foreign(tx: Transaction) -> int:
    """Remove some vectors of other models; how many were. Repeat until 0.

    A few at a time, so that others can write between.
    """
    if tx.model is None:
        return 0
    number = tx.register_model(tx.model, None)
    asked = (number, _DROPPED_AT_ONCE)
    dropped = tx.execute(tx.sql["drop_foreign_vectors"], asked).rowcount
    tx.pages += dropped
    return dropped


def present_model(connection: sqlite3.Connection) -> str | None:
    """Identity of the model whose vectors are used."""
    row = connection.execute(statements()["embedding_model"]).fetchone()
    return None if row is None else str(row[0])


def lacking(
    connection: sqlite3.Connection,
    partitions: Partitions,
    model: str,
    tokens: str | None,
    limit: int,
) -> tuple[list[Row], Mapping[int, tuple[str, str]]]:
    """Rows of memories without vectors by this model, or token vectors by the other, by id, and
    their walls."""
    if present_model(connection) != model:
        rows = connection.execute(statements()["lacking_everything"], (limit,)).fetchall()
    elif tokens is None:
        rows = connection.execute(statements()["lacking_vectors"], (limit,)).fetchall()
    else:
        rows = connection.execute(statements()["lacking_tokens"], (tokens, limit)).fetchall()
    walls = {row[1]: partitions.walls(connection, row[1]) for row in rows}
    return rows, walls
