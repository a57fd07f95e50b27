"""Installable peers behind the `System` protocol, each set up as it documents for one machine.

All take the same precomputed vectors; telemetry is off. Each class imports its library when it is
set up, since every peer lives in an environment of its own. README.md says what is comparable.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.data import CHANNELS, DIMENSION, Item, Query, VectorTable
from benchmarks.system import Traits, Where


def _fields(item: Item) -> dict[str, Any]:
    """The columns every peer stores beside text and vector."""
    return {
        "user": item.user,
        "kind": item.kind,
        "importance": item.importance,
        "occurred_at": item.occurred_at.timestamp(),
        **item.metadata,
    }


class LangGraph:
    """LangGraph's `SqliteStore` with its sqlite-vec index; one namespace per user.

    Needs an interpreter whose `sqlite3` may load extensions. Where it may not, the store runs
    without vectors: recall then lists the user's memories unranked, and the traits say so.
    """

    name = "langgraph"

    def __init__(self) -> None:
        import sqlite3

        self._has_vectors = hasattr(sqlite3.Connection, "enable_load_extension")
        self.traits = Traits(
            search="exact vectors (sqlite-vec)" if self._has_vectors else "none: lists unranked",
            durable="after commit (rollback journal, FULL)",
            note="" if self._has_vectors else "this interpreter's sqlite3 loads no extensions",
        )

    def setup(self, path: Path, vectors: VectorTable) -> None:
        from langchain_core.embeddings import Embeddings
        from langgraph.store.base import PutOp
        from langgraph.store.sqlite import SqliteStore

        class Lookup(Embeddings):  # type: ignore[misc,unused-ignore]
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [vectors.of(text).tolist() for text in texts]

            def embed_query(self, text: str) -> list[float]:
                return list(vectors.of(text).tolist())

        path.mkdir(parents=True, exist_ok=True)
        index = {
            "dims": DIMENSION,
            "embed": Lookup(),
            "fields": ["text"],  # the documented name
            "text_fields": ["text"],  # the name this store reads
        }
        self._put = PutOp
        self._vectors = vectors
        self._manager = SqliteStore.from_conn_string(
            str(path / "store.db"), index=index if self._has_vectors else None
        )
        self._store = self._manager.__enter__()
        self._store.setup()

    def versions(self) -> dict[str, str]:
        names = ("langgraph-checkpoint-sqlite", "sqlite-vec")
        return {name: version(name) for name in names}

    def add(self, item: Item) -> str:
        key = uuid.uuid4().hex
        self._store.put((item.user,), key, {"text": item.text, **_fields(item)})
        return key

    def add_many(self, items: Sequence[Item]) -> list[str]:
        keys = [uuid.uuid4().hex for _ in items]
        self._store.batch(
            [
                self._put((item.user,), key, {"text": item.text, **_fields(item)})
                for key, item in zip(keys, items, strict=True)
            ]
        )
        return keys

    def count(self) -> int:
        return int(self._store.conn.execute("SELECT count(*) FROM store").fetchone()[0])

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        found = self._store.search(
            (query.user,), query=query.text, limit=k, filter=_langgraph_filter(where)
        )
        return [hit.value["text"] for hit in found]

    def get(self, memory_id: str, user: str) -> str:
        return str(self._store.get((user,), memory_id).value["text"])

    def newest(self, user: str, limit: int) -> list[str]:
        return [hit.value["text"] for hit in self._store.search((user,), limit=limit)]

    def update(self, memory_id: str, user: str, item: Item) -> None:
        self._store.put((user,), memory_id, {"text": item.text, **_fields(item), "user": user})

    def delete(self, memory_id: str, user: str) -> None:
        self._store.delete((user,), memory_id)

    def close(self) -> None:
        self._manager.__exit__(None, None, None)


def _langgraph_filter(where: Where | None) -> dict[str, Any] | None:
    if where is None:
        return None
    wanted: dict[str, Any] = {}
    if where.kind:
        wanted["kind"] = where.kind
    if where.channel:
        wanted["channel"] = where.channel
    if where.since and where.until:
        wanted["occurred_at"] = {"$gte": where.since.timestamp(), "$lt": where.until.timestamp()}
    return wanted


class Chroma:
    """A persistent Chroma collection with cosine HNSW and a metadata filter on the user."""

    name = "chroma"
    traits = Traits(
        search="approximate vectors (HNSW)",
        durable="after commit to its SQLite log",
        processes=False,
        note="its documentation allows one process per path",
    )

    def setup(self, path: Path, vectors: VectorTable) -> None:
        import chromadb
        from chromadb.config import Settings

        path.mkdir(parents=True, exist_ok=True)
        self._client = chromadb.PersistentClient(
            str(path), settings=Settings(anonymized_telemetry=False)
        )
        self._collection = self._client.get_or_create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._vectors = vectors

    def versions(self) -> dict[str, str]:
        return {"chromadb": version("chromadb")}

    def add(self, item: Item) -> str:
        return self.add_many([item])[0]

    def add_many(self, items: Sequence[Item]) -> list[str]:
        keys = [uuid.uuid4().hex for _ in items]
        self._collection.add(
            ids=keys,
            embeddings=self._vectors.rows([item.text for item in items]),
            documents=[item.text for item in items],
            metadatas=[_fields(item) for item in items],
        )
        return keys

    def count(self) -> int:
        return int(self._collection.count())

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        found = self._collection.query(
            query_embeddings=[self._vectors.of(query.text)],
            n_results=k,
            where=_chroma_filter(query.user, where),
            include=["documents", "distances"],
        )
        return list(found["documents"][0])

    def get(self, memory_id: str, user: str) -> str:
        return str(self._collection.get(ids=[memory_id])["documents"][0])

    def newest(self, user: str, limit: int) -> list[str]:
        return list(self._collection.get(where={"user": user}, limit=limit)["documents"])

    def update(self, memory_id: str, user: str, item: Item) -> None:
        self._collection.update(
            ids=[memory_id],
            embeddings=[self._vectors.of(item.text)],
            documents=[item.text],
            metadatas=[{**_fields(item), "user": user}],
        )

    def delete(self, memory_id: str, user: str) -> None:
        self._collection.delete(ids=[memory_id])

    def close(self) -> None:
        close = getattr(self._client, "close", None)
        if close is not None:
            close()


def _chroma_filter(user: str, where: Where | None) -> dict[str, Any]:
    clauses: list[dict[str, Any]] = [{"user": user}]
    if where and where.kind:
        clauses.append({"kind": where.kind})
    if where and where.channel:
        clauses.append({"channel": where.channel})
    if where and where.since and where.until:
        clauses.append({"occurred_at": {"$gte": where.since.timestamp()}})
        clauses.append({"occurred_at": {"$lt": where.until.timestamp()}})
    return clauses[0] if len(clauses) == 1 else {"$and": clauses}


class LanceDb:
    """A LanceDB table, exact vector search behind a prefilter on an indexed user column.

    Large fills are compacted and indexed once, as its documentation advises.
    """

    name = "lancedb"
    traits = Traits(search="exact vectors, user index", durable="files written, no fsync")
    _OPTIMIZE_FROM = 1_000

    def setup(self, path: Path, vectors: VectorTable) -> None:
        import lancedb
        import pyarrow as pa

        path.mkdir(parents=True, exist_ok=True)
        schema = pa.schema(
            [
                ("id", pa.string()),
                ("text", pa.string()),
                ("user", pa.string()),
                ("kind", pa.string()),
                ("importance", pa.float64()),
                ("occurred_at", pa.float64()),
                ("topic", pa.int64()),
                ("channel", pa.string()),
                ("turn", pa.int64()),
                ("vector", pa.list_(pa.float32(), DIMENSION)),
            ]
        )
        self._database = lancedb.connect(str(path))
        self._table = self._database.create_table("memories", schema=schema, exist_ok=True)
        self._vectors = vectors
        self._is_indexed = bool(self._table.list_indices())

    def versions(self) -> dict[str, str]:
        return {"lancedb": version("lancedb")}

    def add(self, item: Item) -> str:
        return self.add_many([item])[0]

    def add_many(self, items: Sequence[Item]) -> list[str]:
        keys = [uuid.uuid4().hex for _ in items]
        self._table.add(
            [
                {"id": key, **_fields(item), **self._content(item)}
                for key, item in zip(keys, items, strict=True)
            ]
        )
        self._dirty = len(items) >= self._OPTIMIZE_FROM
        return keys

    def count(self) -> int:
        return int(self._table.count_rows())

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        found = (
            self._table.search(self._vectors.of(query.text))
            .distance_type("cosine")
            .where(_lance_filter(query.user, where), prefilter=True)
            .select(["text"])
            .limit(k)
            .to_arrow()
        )
        return list(found["text"].to_pylist())

    def get(self, memory_id: str, user: str) -> str:
        rows = self._table.search().where(f"id = '{memory_id}'").select(["text"]).limit(1)
        return str(rows.to_arrow()["text"][0].as_py())

    def newest(self, user: str, limit: int) -> list[str]:
        rows = self._table.search().where(f"user = '{user}'").select(["text"]).limit(limit)
        return list(rows.to_arrow()["text"].to_pylist())

    def update(self, memory_id: str, user: str, item: Item) -> None:
        values = {**_fields(item), **self._content(item), "user": user}
        self._table.update(where=f"id = '{memory_id}'", values=values)

    def delete(self, memory_id: str, user: str) -> None:
        self._table.delete(f"id = '{memory_id}'")

    def close(self) -> None:
        if getattr(self, "_dirty", False):
            if not self._is_indexed:
                self._table.create_scalar_index("user", index_type="BITMAP")
            self._table.optimize()

    def _content(self, item: Item) -> dict[str, Any]:
        return {"text": item.text, "vector": self._vectors.of(item.text).tolist()}


def _lance_filter(user: str, where: Where | None) -> str:
    clauses = [f"user = '{user}'"]
    if where and where.kind:
        clauses.append(f"kind = '{where.kind}'")
    if where and where.channel:
        assert where.channel in CHANNELS
        clauses.append(f"channel = '{where.channel}'")
    if where and where.since and where.until:
        clauses.append(f"occurred_at >= {where.since.timestamp()}")
        clauses.append(f"occurred_at < {where.until.timestamp()}")
    return " AND ".join(clauses)


class Mem0:
    """mem0 with `infer=False` (no language model call), its local Qdrant store and its history.

    The embedding model is replaced by the look-up after construction, as no provider for own
    vectors comes without further packages. A batch is one `add` with several messages, which it
    stores one by one.
    """

    name = "mem0"
    traits = Traits(
        search="exact vectors (local Qdrant)",
        durable="after commits to Qdrant's and the history's SQLite files",
        processes=False,
        note="local Qdrant lets one process open a path",
    )

    def setup(self, path: Path, vectors: VectorTable) -> None:
        path.mkdir(parents=True, exist_ok=True)
        os.environ["MEM0_DIR"] = str(path / "home")
        os.environ["MEM0_TELEMETRY"] = "False"
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase

        class Lookup(EmbeddingBase):  # type: ignore[misc,unused-ignore]
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return list(vectors.of(text).tolist())

        unused = {"api_key": "unused"}
        self._memory = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(path / "qdrant"),
                        "on_disk": True,
                        "embedding_model_dims": DIMENSION,
                    },
                },
                "llm": {"provider": "openai", "config": unused},
                "embedder": {
                    "provider": "openai",
                    "config": {**unused, "embedding_dims": DIMENSION},
                },
                "history_db_path": str(path / "history.db"),
            }
        )
        self._memory.embedding_model = Lookup()

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("mem0ai", "qdrant-client")}

    def add(self, item: Item) -> str:
        return self._add([item], item)[0]

    def add_many(self, items: Sequence[Item]) -> list[str]:
        return [self._add([item], item)[0] for item in items]

    def count(self) -> int:
        client = self._memory.vector_store.client
        return int(client.count(self._memory.collection_name, exact=True).count)

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        filters: dict[str, Any] = {"user_id": query.user}
        if where and where.kind:
            filters["kind"] = where.kind
        if where and where.channel:
            filters["channel"] = where.channel
        if where and where.since and where.until:
            filters["occurred_at"] = {
                "gte": where.since.timestamp(),
                "lt": where.until.timestamp(),
            }
        found = self._memory.search(query.text, top_k=k, filters=filters, threshold=0.0)
        return [hit["memory"] for hit in found["results"]]

    def get(self, memory_id: str, user: str) -> str:
        return str(self._memory.get(memory_id)["memory"])

    def newest(self, user: str, limit: int) -> list[str]:
        found = self._memory.get_all(filters={"user_id": user}, top_k=limit)
        return [row["memory"] for row in found["results"]]

    def update(self, memory_id: str, user: str, item: Item) -> None:
        self._memory.update(memory_id, text=item.text, metadata=item.metadata)

    def delete(self, memory_id: str, user: str) -> None:
        self._memory.delete(memory_id)

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()

    def _add(self, items: Sequence[Item], first: Item) -> list[str]:
        messages = [{"role": "user", "content": item.text} for item in items]
        fields = _fields(first)
        del fields["user"]
        added = self._memory.add(messages, user_id=first.user, metadata=fields, infer=False)
        return [result["id"] for result in added["results"]]
