"""Token vectors as rows of their table."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from perdure.domain.changes import TokenVectors, Vectors
from perdure.stores.sqlite.statements import statements
from perdure.stores.sqlite.transaction import Transaction


class PackedTokens(NamedTuple):
    """Token vectors ready to be written."""

    model: str
    dimension: int
    data: bytes


def pack_tokens(vectors: Vectors | None) -> PackedTokens | None:
    """What `token_vectors` holds of these; None for none."""
    if vectors is None or vectors.tokens is None:
        return None
    rows = vectors.tokens.rows
    return PackedTokens(vectors.tokens.model, rows.shape[1], rows.astype(np.int8).tobytes())


def put_tokens(tx: Transaction, memory: int, tokens: PackedTokens | None) -> None:
    """Write a memory's token vectors, beside its vectors; None writes nothing."""
    if tokens is None:
        return
    tx.execute(tx.sql["know_token_model"], (tokens.model, tokens.dimension))
    tx.execute(tx.sql["insert_tokens"], (memory, tokens.model, tokens.data))


def read_tokens(
    connection: sqlite3.Connection, partitions: Sequence[int], ids: Sequence[str], model: str
) -> dict[str, TokenVectors]:
    """Those of these memories by the model; damaged rows, which `check` reports, are left out."""
    known = connection.execute(statements()["model_number"], (model,)).fetchone()
    if known is None or not known[1]:
        return {}
    number, dimension = known
    wanted = json.dumps(list(ids))
    found: dict[str, TokenVectors] = {}
    for partition in partitions:
        asked = (wanted, partition, number)
        for memory_id, data in connection.execute(statements()["token_vectors"], asked):
            if type(data) is bytes and len(data) % dimension == 0:
                rows = np.frombuffer(data, dtype=np.int8).reshape(-1, dimension)
                found[memory_id] = TokenVectors(model=model, rows=rows)
    return found
