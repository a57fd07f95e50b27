"""Perdure behind the `System` protocol, through its public calls only."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import perdure
from benchmarks.data import DIMENSION, EPOCH, Item, LookupEmbedder, Query, VectorTable
from benchmarks.system import Traits, Where
from perdure.ports.embedder import EmbeddingModel

MODEL = EmbeddingModel(name="benchmark", dimension=DIMENSION)


class Perdure:
    """One SQLite file, one bound view per user, `understand=False` so that rules cost nothing."""

    name = "perdure"
    traits = Traits(
        search="BM25 + exact vectors, calibrated fusion, ranking, near-duplicates, visibility",
        durable="after one shared fsync (FULL)",
    )

    def setup(self, path: Path, vectors: VectorTable) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._memory = perdure.open(
            str(path / "memory.db"),
            embedder=LookupEmbedder(vectors, MODEL),
            settings=self._settings(),
        )
        self._views: dict[str, Any] = {}

    def _settings(self) -> Any:
        """None for the defaults."""
        return None

    def versions(self) -> dict[str, str]:
        return {
            "perdure": getattr(perdure, "__version__", "unreleased"),
            "numpy": np.__version__,
            "python": sys.version.split()[0],
        }

    def add(self, item: Item) -> str:
        return str(self._view(item.user).remember(**_arguments(item)).memory.id)

    def add_many(self, items: Sequence[Item]) -> list[str]:
        done = self._memory.remember_many(
            [{**_arguments(item), "scope": self._scope(item.user)} for item in items]
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
        maker._memory.export(str(path))
        maker.close()

    def import_file(self, path: Path) -> int:
        self._memory.import_(str(path))
        return self.count()

    def nearest(self, query: Query, k: int) -> list[str]:
        hits = self._view(query.user).recall(query.vector, limit=k)
        return [hit.memory.content for hit in hits]

    def close(self) -> None:
        self._memory.close()

    def _scope(self, user: str) -> Any:
        return perdure.Scope(user=user)

    def _view(self, user: str) -> Any:
        view = self._views.get(user)
        if view is None:
            view = self._views[user] = self._memory.scoped(user=user)
        return view


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
