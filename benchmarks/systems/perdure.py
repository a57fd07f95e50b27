"""Perdure behind the `System` protocol, through its public calls only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

import perdure
from benchmarks.data import DIMENSION, EPOCH, Item, LookupEmbedder, Query, VectorTable
from benchmarks.system import Traits, Where
from perdure.ports.embedder import EmbeddingModel

MODEL = EmbeddingModel(name="benchmark", dimension=DIMENSION)
SIMILARITY_ALONE = perdure.Preset(
    name="similarity_alone", similarity=1.0, importance=0.0, recency=0.0, frequency=0.0
)


class Perdure:
    """One SQLite file, one bound view per user, `understand=False` so that rules cost nothing."""

    name = "perdure"
    vector_format: Literal["float32", "int8"] = "float32"
    traits = Traits(
        search="BM25 + exact vectors, calibrated fusion, ranking, near-duplicates, visibility",
        durable="after one shared fsync (FULL)",
    )

    def setup(self, path: Path, vectors: VectorTable) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._file = path / "memory.db"
        self._embedder = LookupEmbedder(vectors, MODEL)
        self._memory = self._open(perdure.Settings(vector_format=self.vector_format))
        self._views: dict[str, perdure.MemoryManager] = {}
        self._by_similarity: perdure.MemoryManager | None = None

    def versions(self) -> dict[str, str]:
        return {"perdure": perdure.__version__, "numpy": np.__version__}

    def add(self, item: Item) -> str:
        return str(self._view(item.user).remember(**_arguments(item)).memory.id)

    def add_many(self, items: Sequence[Item]) -> list[str]:
        done = self._memory.remember_many(
            [{**_arguments(item), "scope": perdure.Scope(user=item.user)} for item in items]
        )
        return [str(remembered.memory.id) for remembered in done]

    def count(self) -> int:
        return int(self._memory.count(everything=True))

    def recall(self, query: Query, k: int, where: Where | None = None) -> list[str]:
        hits = self._view(query.user).recall(query.text, limit=k, **_narrowing(where))
        return [hit.memory.content for hit in hits]

    def get(self, memory_id: str, user: str) -> str:
        return str(self._view(user).get(memory_id).content)

    def newest(self, user: str, limit: int) -> list[str]:
        page = self._view(user).list(limit=limit, order="-occurred_at")
        return [memory.content for memory in page.items]

    def update(self, memory_id: str, user: str, item: Item) -> None:
        self._view(user).update(memory_id, content=item.text, metadata=item.metadata)

    def delete(self, memory_id: str, user: str) -> None:
        self._view(user).forget(memory_id)

    def write_import_file(self, items: Sequence[Item], path: Path) -> None:
        """Export a store made for this purpose beside the file."""
        maker = type(self)()
        vectors = VectorTable()
        for item in items:
            vectors.put(item.text, item.vector)
        maker.setup(path.with_suffix(".maker"), vectors)
        for first in range(0, len(items), 1_000):
            maker.add_many(items[first : first + 1_000])
        maker._memory.export(path, everything=True)
        maker.close()

    def import_file(self, path: Path) -> int:
        self._memory.import_(path)
        return self.count()

    def nearest(self, query: Query, k: int) -> list[str]:
        """The vector arm alone: a vector has no words, and similarity decides the order."""
        if self._by_similarity is None:
            self._by_similarity = self._open(
                perdure.Settings(vector_format=self.vector_format, ranking=SIMILARITY_ALONE)
            )
        hits = self._by_similarity.scoped(user=query.user).recall(query.vector, limit=k)
        return [hit.memory.content for hit in hits]

    def close(self) -> None:
        if self._by_similarity is not None:
            self._by_similarity.close()
        self._memory.close()

    def _open(self, settings: perdure.Settings) -> perdure.MemoryManager:
        return perdure.open(self._file, embedder=self._embedder, settings=settings)

    def _view(self, user: str) -> perdure.MemoryManager:
        view = self._views.get(user)
        if view is None:
            view = self._views[user] = self._memory.scoped(user=user)
        return view


class PerdureInt8(Perdure):
    """The same with vectors as one byte a dimension, rescored."""

    name = "perdure_int8"
    vector_format = "int8"


def _arguments(item: Item) -> dict[str, Any]:
    return {
        "content": item.text,
        "kind": item.kind,
        "importance": item.importance,
        "occurred_at": item.occurred_at,
        "metadata": item.metadata,
        "understand": False,
    }


def _narrowing(where: Where | None) -> dict[str, Any]:
    if where is None:
        return {}
    narrowing: dict[str, Any] = {}
    if where.kind:
        narrowing["kinds"] = [where.kind]
    if where.since or where.until:
        narrowing["between"] = (where.since or EPOCH, where.until)
    if where.channel:
        narrowing["filters"] = {"channel": where.channel}
    return narrowing
