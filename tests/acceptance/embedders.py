"""Embedders that count, fail or refuse, around one whose vectors depend on the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perdure import EmbedderRejected, EmbedderUnavailable
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose
from perdure.testing import HashingEmbedder


class CountingEmbedder:
    """Notes every text it is asked for."""

    def __init__(self, dimension: int = 128) -> None:
        self._inner = HashingEmbedder(dimension)
        self.texts: list[str] = []
        self.calls = 0

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        self.calls += 1
        self.texts.extend(texts)
        return await self._inner.embed(texts, purpose=purpose)


class FlakyEmbedder(CountingEmbedder):
    """Out of reach while `is_down`."""

    is_blocking = True

    def __init__(self, dimension: int = 128) -> None:
        super().__init__(dimension)
        self.is_down = False

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        if self.is_down:
            raise EmbedderUnavailable("the embedding service does not answer")
        return await super().embed(texts, purpose=purpose)


class StrictEmbedder(CountingEmbedder):
    """Refuses a text above its limit, as services do; the limit is in characters here."""

    is_blocking = True

    def __init__(self, limit_tokens: int = 512) -> None:
        super().__init__()
        self._limit_chars = 4 * limit_tokens
        self._model = replace(self._inner.model, name="strict", max_tokens=limit_tokens)

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        longest = max(map(len, texts), default=0)
        if longest > self._limit_chars:
            raise EmbedderRejected(f"a text of {longest} characters is too long")
        return await super().embed(texts, purpose=purpose)
