"""asyncpg, which is installed only where PostgreSQL is used, and what each connection is taught."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perdure.domain.times import from_micros, to_micros
from perdure.errors import Misconfigured

Connection = Any
"""An asyncpg connection; the driver ships no types for its records and pools."""

_EPOCH_US = to_micros(datetime(2000, 1, 1, tzinfo=UTC))
"""PostgreSQL counts its microseconds from here."""


def asyncpg() -> ModuleType:
    """The driver. Raises `Misconfigured` when it is not installed."""
    try:
        import asyncpg as driver
    except ImportError as missing:
        raise Misconfigured(
            "a postgresql:// store needs the asyncpg driver; "
            'install it with: pip install "perdure[postgres]"'
        ) from missing
    return driver  # type: ignore[no-any-return]


async def teach(connection: Connection, vector_schema: str) -> None:
    """Let the connection speak of times and vectors exactly.

    Times are crossed as microseconds: the driver's own form would turn the last moment of the
    year 9999 into infinity. Vectors are crossed as bytes.
    """
    await connection.set_type_codec(
        "timestamptz",
        schema="pg_catalog",
        encoder=lambda moment: (to_micros(moment) - _EPOCH_US,),
        decoder=lambda crossed: from_micros(crossed[0] + _EPOCH_US),
        format="tuple",
    )
    await connection.set_type_codec(
        "vector", schema=vector_schema, encoder=_vector_bytes, decoder=_vector_row, format="binary"
    )


def _vector_bytes(row: NDArray[np.float32]) -> bytes:
    return struct.pack("!HH", len(row), 0) + row.astype(">f4").tobytes()


def _vector_row(data: bytes) -> NDArray[np.float32]:
    return np.frombuffer(data, dtype=">f4", offset=4).astype(np.float32)
