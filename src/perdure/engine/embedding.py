"""From texts to vectors: pieces, checks, and what happens when the embedder is out of reach."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from perdure.domain.analysis import lexemes
from perdure.domain.budget import pieces_of
from perdure.domain.calibration import UNCALIBRATED, Calibration
from perdure.domain.changes import TokenVectors, Vectors
from perdure.domain.late_interaction import QuestionTokens, packed
from perdure.errors import EmbedderMismatch, Misconfigured, Unavailable
from perdure.ports.embedder import Embedder, FloatArray, Purpose, TokenRows, forget_texts, tokens_of
from perdure.ports.store import Store

log = logging.getLogger(__name__)

DEFAULT_WHOLE_TOKENS = 256
PIECE_TOKENS = 48
"""About two sentences. Shorter pieces would find a fact among others more surely, and would store
two or three vectors for every ordinary memory of 130 characters."""
BATCH_TEXTS = 64
UNDERSTOOD = "usem3"
"""The encoder whose cosines the understanding was trained with. Those of another lie elsewhere, and
read as its they would make everything look like a change of everything."""
UNIT_TOLERANCE = 1e-3
"""How far the square of a vector's length may be from 1 before it is scaled."""


class Embedding:
    """The embedder in use, or none. `reembed` may exchange it while reads go on.

    `backlog` is true when something was stored without its vector because the embedder was out of
    reach, and should be made up for.
    """

    def __init__(self, embedder: Embedder | None, store: Store) -> None:
        self._store = store
        self.embedder = embedder
        self.backlog = False
        self._adopted: str | None = None

    @property
    def identity(self) -> str | None:
        """Identity of the model whose vectors are made and searched; None without embedder."""
        return None if self.embedder is None else self.embedder.model.identity

    @property
    def calibration(self) -> Calibration:
        """How the model's cosines read."""
        return UNCALIBRATED if self.embedder is None else self.embedder.model.calibration

    def understood(self, cosine: float | None) -> float | None:
        """The cosine where the understanding can read it, None where it comes of another encoder."""
        is_known = self.embedder is not None and self.embedder.model.name == UNDERSTOOD
        return cosine if is_known else None

    @property
    def token_model(self) -> str | None:
        """Identity of the model whose vectors of words are made and compared; None for none."""
        tokens = None if self.embedder is None else self.embedder.model.tokens
        return None if tokens is None else tokens.identity

    async def query_tokens(self, text: str) -> QuestionTokens | None:
        """The vectors of a question's words; None where the embedder makes none of it."""
        embedder = self.embedder
        if embedder is None or embedder.model.tokens is None:
            return None
        [made] = await checked_tokens(embedder, [text], "query")
        if not len(made.rows):
            return None
        return QuestionTokens(rows=made.rows, words=tuple(map(_code_of, made.words)))

    async def query(self, text: str) -> FloatArray | None:
        """The vector of a query, shape (dimension,), or None without an embedder."""
        if self.embedder is None:
            return None
        row: FloatArray = (await self._embed(self.embedder, [text], "query"))[0]
        return row

    async def for_search(self, text: str) -> Vectors | None:
        """The vectors of a text that memories are compared with, but for those of its words."""
        [made] = await self._made([text], None)
        return made

    async def vectors(
        self, texts: Sequence[str], *, speakers: Sequence[str | None] = ()
    ) -> list[Vectors | None]:
        """The vectors of each text: itself whole, or its pieces, or both, and those of its words.

        `speakers` are those who said the texts, none or one for each: their names are words too.
        None for all when there is no embedder, or it is out of reach (then `backlog` is set).
        """
        return await self._made(texts, _said(texts, speakers))

    async def tokens(
        self, texts: Sequence[str], *, speakers: Sequence[str | None] = ()
    ) -> list[TokenVectors | None]:
        """Only the vectors of each text's words; None for all when the embedder makes none, or is
        out of reach (then `reembed` makes them)."""
        embedder = self.embedder
        if embedder is None or not texts:
            return [None] * len(texts)
        try:
            return await self._tokens(embedder, _said(texts, speakers), len(texts))
        except Unavailable as failure:
            log.warning("embedding.no_tokens", extra={"texts": len(texts), "cause": str(failure)})
            return [None] * len(texts)

    async def _made(self, texts: Sequence[str], said: Sequence[str] | None) -> list[Vectors | None]:
        embedder = self.embedder
        if embedder is None or not texts:
            return [None] * len(texts)
        try:
            made: list[Vectors | None] = list(await self._vectors(embedder, texts, said))
        except Unavailable as failure:
            self.backlog = True
            log.warning("embedding.deferred", extra={"texts": len(texts), "cause": str(failure)})
            return [None] * len(texts)
        await self._adopt(embedder)
        return made

    async def vectors_or_fail(
        self, texts: Sequence[str], *, speakers: Sequence[str | None] = ()
    ) -> list[Vectors]:
        """As `vectors`, but an embedder out of reach raises; there must be an embedder."""
        if self.embedder is None:
            raise Misconfigured("there is no embedder; open the store with one")
        return await self._vectors(self.embedder, texts, _said(texts, speakers))

    async def _vectors(
        self, embedder: Embedder, texts: Sequence[str], said: Sequence[str] | None
    ) -> list[Vectors]:
        """`said` are the texts for the vectors of words; None: make none of those."""
        whole = embedder.model.max_tokens or DEFAULT_WHOLE_TOKENS
        piece = min(PIECE_TOKENS, whole)
        cut = [pieces_of(text, whole_tokens=whole, piece_tokens=piece) for text in texts]
        flat = [item for pieces in cut for item in pieces]
        rows = [
            await self._embed(embedder, flat[start : start + BATCH_TEXTS], "document")
            for start in range(0, len(flat), BATCH_TEXTS)
        ]
        table = rows[0] if len(rows) == 1 else np.concatenate(rows)
        identity = embedder.model.identity
        tokens = await self._tokens(embedder, said, len(texts))
        made, start = [], 0
        for pieces, own in zip(cut, tokens, strict=True):
            part = table[start : start + len(pieces)]
            made.append(Vectors(model=identity, rows=part, tokens=own))
            start += len(pieces)
        return made

    async def _tokens(
        self, embedder: Embedder, said: Sequence[str] | None, count: int
    ) -> list[TokenVectors | None]:
        model = embedder.model.tokens
        if model is None or said is None:
            return [None] * count
        made = [
            row
            for start in range(0, count, BATCH_TEXTS)
            for row in await checked_tokens(embedder, said[start : start + BATCH_TEXTS], "document")
        ]
        return [TokenVectors(model=model.identity, rows=packed(item.rows)) for item in made]

    async def _embed(
        self, embedder: Embedder, texts: Sequence[str], purpose: Purpose
    ) -> FloatArray:
        raw = await embedder.embed(texts, purpose=purpose)
        return checked_rows(raw, embedder, len(texts))

    async def _adopt(self, embedder: Embedder) -> None:
        """Claim an empty store for this model before its first vector is written."""
        identity = embedder.model.identity
        if self._adopted == identity:
            return
        stored = await self._store.embedding_model()
        if stored is None and not await self._store.adopt_model(identity, replacing=None):
            stored = await self._store.embedding_model()
        require_same_model(stored, embedder)
        self._adopted = identity
        # An earlier process may have stored words while its embedder was out of reach.
        self.backlog = self.backlog or bool(await self._store.lacking_vectors(identity, limit=1))

    def forget_texts(self) -> None:
        """Let go of vectors that the embedder remembers of texts it saw."""
        if self.embedder is not None:
            forget_texts(self.embedder)

    def exchange(self, embedder: Embedder) -> None:
        """Use another embedder from now on; the store must have adopted its model."""
        self.embedder = embedder
        self._adopted = embedder.model.identity


def _said(texts: Sequence[str], speakers: Sequence[str | None]) -> list[str]:
    """The texts as a script of a play has them, so that a name meets the name in a question."""
    if not speakers:
        return list(texts)
    return [
        f"{speaker}: {text}" if speaker else text
        for text, speaker in zip(texts, speakers, strict=True)
    ]


def _code_of(word: str) -> int | None:
    return next(iter(lexemes(word)), None)


async def checked_tokens(
    embedder: Embedder, texts: Sequence[str], purpose: Purpose
) -> list[TokenRows]:
    """The vectors of the texts' words, or `Misconfigured` when they are not what was promised."""
    model = embedder.model.tokens
    assert model is not None
    made = await tokens_of(embedder, texts, purpose=purpose)
    if len(made) != len(texts) or any(
        item.rows.shape != (len(item.words), model.dimension) or not np.isfinite(item.rows).all()
        for item in made
    ):
        raise Misconfigured(
            f"{model.identity} returned {len(made)} arrays for {len(texts)} texts, or arrays that "
            f"are not (words, {model.dimension}) finite numbers"
        )
    return made


def require_same_model(stored: str | None, embedder: Embedder) -> None:
    """Raise `EmbedderMismatch` unless the store's vectors are this embedder's."""
    identity = embedder.model.identity
    if stored is not None and stored != identity:
        raise EmbedderMismatch(
            f"the store's vectors were made by {stored} and cannot be compared with those of "
            f"{identity}. Open it with the embedder it was made with, or open it with "
            f"embedder='off' and call reembed(embedder=…) to move it to the new one"
        )


def checked_rows(raw: FloatArray, embedder: Embedder, count: int) -> FloatArray:
    """The rows as contiguous float32 of unit length, or `Misconfigured` when they are unusable."""
    model = embedder.model
    rows: FloatArray = np.array(raw, dtype=np.float32, order="C")
    if rows.shape != (count, model.dimension):
        raise Misconfigured(
            f"embedder {model.identity} returned shape {rows.shape} for {count} texts; "
            f"it promised ({count}, {model.dimension})"
        )
    if count == 1 and abs(rows[0].dot(rows[0]) - 1.0) <= UNIT_TOLERANCE:
        return rows  # an ordinary call, at the least it can cost
    squares = np.einsum("ij,ij->i", rows, rows)
    if np.all(np.abs(squares - 1.0) <= UNIT_TOLERANCE):
        return rows
    if not np.isfinite(squares).all():
        raise Misconfigured(f"embedder {model.identity} returned NaN or infinite values")
    norms = np.sqrt(squares, dtype=np.float32)
    norms[norms == 0.0] = 1.0
    rows /= norms[:, None]
    return rows
