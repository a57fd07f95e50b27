"""Embedding a text only once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from perdure.embedders._lifecycle import close, is_symmetric, warm_up
from perdure.errors import InvalidInput, Misconfigured
from perdure.ports.blocking import is_blocking
from perdure.ports.embedder import (
    Embedder,
    EmbeddingModel,
    FloatArray,
    Purpose,
    TokenRows,
    tokens_of,
)

_ENTRY_OVERHEAD_BYTES = 300
"""What Python and NumPy spend on one entry beside its numbers; measured."""

_KEPT_QUERIES = 256
"""About 3 kB each, of a question of ten words."""

Key = tuple[bytes, Purpose | None]


class CachingEmbedder:
    """Another embedder's vectors, remembered: the least recently used are dropped.

    At most `capacity` vectors and about `capacity_bytes` bytes are kept (a vector of 512
    dimensions takes 2.3 kB). A text that occurs twice in one call is embedded once. A failed call
    leaves nothing behind. Where the inner embedder tells queries from documents (its
    `is_symmetric` is not true), the same text is kept once for each.

    Only a digest of each text is kept, yet its vector speaks of it too: `clear` when contents
    must be gone. The arrays returned are the caller's own. Threads and event loops may share one;
    two callers that miss the same text at the same time both compute it.
    """

    def __init__(
        self, inner: Embedder, capacity: int = 8192, *, capacity_bytes: int = 32 * 2**20
    ) -> None:
        if capacity < 1 or capacity_bytes < 1:
            raise InvalidInput(
                "a cache needs room for at least one vector: "
                f"capacity={capacity}, capacity_bytes={capacity_bytes}"
            )
        self._inner = inner
        entry_bytes = inner.model.dimension * 4 + _ENTRY_OVERHEAD_BYTES
        self._most = max(1, min(capacity, capacity_bytes // entry_bytes))
        self._vectors: OrderedDict[Key, FloatArray] = OrderedDict()
        self._tokens: OrderedDict[Key, TokenRows] = OrderedDict()
        self._lock = threading.Lock()
        self._generation = 0

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    @property
    def is_blocking(self) -> bool:
        return is_blocking(self._inner)

    @property
    def is_symmetric(self) -> bool:
        return is_symmetric(self._inner)

    @property
    def kept(self) -> int:
        """How many vectors are kept now. Not `__len__`: an empty cache is no absent embedder."""
        return len(self._vectors)

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """As the inner embedder's, without asking it for what is known."""
        rows = np.empty((len(texts), self.model.dimension), dtype=np.float32)
        missing = self._fill(rows, texts, purpose)
        if missing:
            with self._lock:
                generation = self._generation
            wanted = [texts[positions[0]] for positions in missing.values()]
            found = await self._embedded(wanted, purpose)
            if len(missing) == len(texts):  # nothing known, nothing twice: in order as it came
                self._keep(list(missing), found, generation)
                return found.copy()
            for row, positions in zip(found, missing.values(), strict=True):
                rows[positions] = row
            self._keep(list(missing), found, generation)
        return rows

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """As the inner embedder's. Of queries the last few are kept; documents seldom come twice."""
        if purpose != "query":
            return await tokens_of(self._inner, texts, purpose=purpose)
        keys = [self._key(text, purpose) for text in texts]
        with self._lock:
            generation = self._generation
            known = {key: self._tokens[key] for key in keys if key in self._tokens}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = await tokens_of(self._inner, list(missing.values()), purpose=purpose)
            found = dict(zip(missing, made, strict=True))
            known |= found
            with self._lock:
                if generation == self._generation:
                    self._tokens.update(found)
                    while len(self._tokens) > _KEPT_QUERIES:
                        self._tokens.popitem(last=False)
        return [known[key] for key in keys]

    async def _embedded(self, texts: Sequence[str], purpose: Purpose) -> FloatArray:
        """The inner embedder's rows; `Misconfigured` when there are not as many as promised."""
        model = self.model
        given = await self._inner.embed(texts, purpose=purpose)
        try:
            rows = np.asarray(given, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise Misconfigured(f"embedder {model.identity} returned no rows of numbers") from error
        if rows.shape != (len(texts), model.dimension):
            raise Misconfigured(
                f"embedder {model.identity} returned shape {rows.shape} for {len(texts)} texts; "
                f"it promised ({len(texts)}, {model.dimension})"
            )
        return rows

    def clear(self) -> None:
        """Forget every vector, including those being computed right now."""
        with self._lock:
            self._vectors.clear()
            self._tokens.clear()
            self._generation += 1

    def warm_up(self) -> None:
        """Prepare the inner embedder, if it has anything to prepare."""
        warm_up(self._inner)

    async def aclose(self) -> None:
        """Forget every vector and close the inner embedder."""
        self.clear()
        await close(self._inner)

    def _key(self, text: str, purpose: Purpose) -> Key:
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return digest, None if self.is_symmetric else purpose

    def _fill(
        self, rows: FloatArray, texts: Sequence[str], purpose: Purpose
    ) -> dict[Key, list[int]]:
        """Write the known rows; the positions of the others, by key."""
        keys = [self._key(text, purpose) for text in texts]
        missing: dict[Key, list[int]] = {}
        with self._lock:
            for position, key in enumerate(keys):
                known = self._vectors.get(key)
                if known is None:
                    missing.setdefault(key, []).append(position)
                else:
                    self._vectors.move_to_end(key)
                    rows[position] = known
        return missing

    def _keep(self, keys: list[Key], found: FloatArray, generation: int) -> None:
        # Copies: a row is a view, and would keep the whole batch in memory.
        vectors = [row.copy() for row in found]
        with self._lock:
            if generation != self._generation:
                return
            for key, vector in zip(keys, vectors, strict=True):
                vector.setflags(write=False)
                self._vectors[key] = vector
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
