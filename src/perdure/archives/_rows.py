"""Memories as rows of a Parquet file that other tools can read, and back without loss.

Single columns are for people with DuckDB or Spark; what is read back is `document` (the record as
`domain.codec` writes it), `journal` (its entries) and the vectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from perdure.domain.batches import Whole
from perdure.domain.changes import JournalEntry, Operation, Vectors
from perdure.domain.codec import decode, encode
from perdure.domain.journal import canonical
from perdure.domain.records import Memory
from perdure.domain.scope import Scope
from perdure.domain.times import from_micros, to_micros

_TIME = pa.timestamp("us", tz="UTC")
_COLUMNS: tuple[tuple[str, pa.DataType, Callable[[Memory], Any]], ...] = (
    ("id", pa.string(), lambda m: m.id),
    ("tenant", pa.string(), lambda m: m.scope.tenant),
    ("user", pa.string(), lambda m: m.scope.user),
    ("agent", pa.string(), lambda m: m.scope.agent),
    ("session", pa.string(), lambda m: m.scope.session),
    ("kind", pa.string(), lambda m: m.kind.value),
    ("state", pa.string(), lambda m: m.state.value),
    ("version", pa.int64(), lambda m: m.version),
    ("content", pa.string(), lambda m: m.content),
    ("importance", pa.float64(), lambda m: float(m.importance)),
    ("confidence", pa.float64(), lambda m: float(m.confidence)),
    ("occurred_at", _TIME, lambda m: to_micros(m.occurred_at)),
    ("recorded_at", _TIME, lambda m: to_micros(m.recorded_at)),
    ("valid_from", _TIME, lambda m: to_micros(m.valid_from)),
    ("valid_to", _TIME, lambda m: _micros(m.valid_to)),
    ("superseded_by", pa.string(), lambda m: m.superseded_by),
    ("role", pa.string(), lambda m: m.source.role),
    ("speaker", pa.string(), lambda m: m.source.speaker),
    ("subject", pa.string(), lambda m: m.subject),
    ("predicate", pa.string(), lambda m: m.predicate),
    ("object", pa.string(), lambda m: m.object),
)
_READ_BACK = ("row", "document", "journal", "vector_model", "vector_pieces", "vectors")
_UNCOMPRESSED = "vectors"
_LEVEL = 3


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def written(rows: Mapping[int, Whole]) -> bytes:
    """The rows as a Parquet file, zstd but for the vectors, which do not get smaller."""
    wholes = list(rows.values())
    memories = [whole.memory for whole in wholes]
    columns = {"row": pa.array(list(rows), pa.int32())}
    for name, kind, value_of in _COLUMNS:
        values = list(map(value_of, memories))
        columns[name] = pa.array(values, pa.int64()).cast(kind) if kind == _TIME else pa.array(
            values, kind
        )  # fmt: skip
    columns["metadata"] = pa.array([canonical(dict(item.metadata)) for item in memories])
    columns["document"] = pa.array([canonical(encode(item)) for item in memories])
    columns["journal"] = pa.array([_journal(whole) for whole in wholes])
    vectors = [whole.vectors for whole in wholes]
    columns["vector_model"] = pa.array(
        [None if item is None else item.model for item in vectors], pa.string()
    )
    columns["vector_pieces"] = pa.array(
        [None if item is None else len(item.rows) for item in vectors], pa.int32()
    )
    columns["vectors"] = pa.array(
        [None if item is None else _bytes(item) for item in vectors], pa.binary()
    )
    return _file(pa.table(columns))


def _file(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    compression = {name: "none" if name == _UNCOMPRESSED else "zstd" for name in table.column_names}
    pq.write_table(
        table,
        sink,
        compression=compression,
        compression_level={name: _LEVEL for name, kind in compression.items() if kind == "zstd"},
        use_dictionary=["tenant", "user", "agent", "session", "kind", "state", "vector_model"],
        write_statistics=["row", "id", "tenant", "user", "occurred_at", "recorded_at"],
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _bytes(vectors: Vectors) -> bytes:
    return np.ascontiguousarray(vectors.rows, dtype="<f4").tobytes()


def read(data: bytes, rows: Collection[int] | None) -> dict[int, Whole]:
    """The rows with these numbers, all of them for None.

    Raises ValueError, KeyError or TypeError (pyarrow's own errors are among them) for bytes that
    are no such file.
    """
    table = pq.read_table(pa.BufferReader(data), columns=list(_READ_BACK))
    if rows is not None:
        wanted = pa.array(sorted(rows), pa.int32())
        table = table.filter(pc.is_in(table["row"], value_set=wanted))
    values = [table[name].to_pylist() for name in _READ_BACK]
    return {row: _whole(*rest) for row, *rest in zip(*values, strict=True)}


def without(data: bytes, rows: Collection[int]) -> bytes:
    """The same file without these rows; nothing else of it is changed."""
    table = pq.read_table(pa.BufferReader(data))
    dropped = pa.array(sorted(rows), pa.int32())
    return _file(table.filter(pc.invert(pc.is_in(table["row"], value_set=dropped))))


def _whole(
    document: str, journal: str, model: str | None, pieces: int | None, vectors: bytes | None
) -> Whole:
    memory = decode(json.loads(document))
    entries = tuple(_entry(raw, memory.id, memory.scope) for raw in json.loads(journal))
    if model is None or pieces is None or vectors is None:
        return Whole(memory=memory, entries=entries)
    rows = np.frombuffer(vectors, dtype="<f4").reshape(pieces, -1)
    return Whole(memory=memory, entries=entries, vectors=Vectors(model=model, rows=rows))


_ENTRY = ("sequence", "version", "actor", "request_id", "config_hash", "reason", "change",
          "previous", "digest", "salt", "seal")  # fmt: skip


def _journal(whole: Whole) -> str:
    return canonical([
        {
            "sequence": entry.sequence,
            "at_us": to_micros(entry.at),
            "operation": entry.operation.value,
            "version": entry.version,
            "actor": entry.actor,
            "request_id": entry.request_id,
            "config_hash": entry.config_hash,
            "reason": entry.reason,
            "change": entry.change,
            "previous": entry.previous,
            "digest": entry.digest,
            "salt": entry.salt,
            "seal": entry.seal,
        }
        for entry in whole.entries
    ])  # fmt: skip


def _entry(raw: Mapping[str, Any], memory_id: str, scope: Scope) -> JournalEntry:
    return JournalEntry(
        at=from_micros(raw["at_us"]),
        operation=Operation(raw["operation"]),
        memory_id=memory_id,
        scope=scope,
        **{name: raw[name] for name in _ENTRY},
    )
