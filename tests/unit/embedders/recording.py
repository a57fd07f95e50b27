"""An embedder that says what it was asked, for tests of decorators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from perdure.embedders.hashing import HashingEmbedder
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose


class RecordingEmbedder:
    """The hashing embedder, with a record of every call and a hook before each.

    `before(texts, purpose)` may block or raise.
    """

    is_blocking = True

    def __init__(
        self,
        before: Callable[[list[str], Purpose], None] = lambda texts, purpose: None,
        *,
        is_symmetric: bool = True,
    ) -> None:
        self.calls: list[tuple[Purpose, list[str]]] = []
        self.is_symmetric = is_symmetric
        self.was_warmed = False
        self.was_closed = False
        self._before = before
        self._hashing = HashingEmbedder(32)

    @property
    def model(self) -> EmbeddingModel:
        return self._hashing.model

    @property
    def texts(self) -> list[str]:
        """Every text it was asked for, in order."""
        return [text for _, texts in self.calls for text in texts]

    def warm_up(self) -> None:
        self.was_warmed = True

    async def aclose(self) -> None:
        self.was_closed = True

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        self.calls.append((purpose, list(texts)))
        self._before(list(texts), purpose)
        rows = await self._hashing.embed(texts, purpose=purpose)
        # Where purposes differ, their vectors are opposite.
        return rows if self.is_symmetric or purpose == "document" else np.negative(rows)
