"""The bundled default: a small multilingual sentence encoder, without key, server or download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from perdure.blas import one_blas_thread
from perdure.domain.calibration import Calibration
from perdure.domain.text import sanitise, truncate
from perdure.embedders import _minilm_file, _usem3
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose, TokenModel, TokenRows

CALIBRATION = Calibration(
    noise=0.28,
    noise_across=0.22,
    noise_among_few=0.21,
    anchors=(
        (0.10, 0.0),
        (0.20, 0.15),
        (0.30, 0.30),
        (0.40, 0.58),
        (0.50, 0.75),
        (0.60, 0.92),
        (0.75, 0.99),
        (1.00, 1.0),
    ),
    beside_words=((0.0, 0.0), (0.30, 0.15), (0.50, 0.45), (0.65, 0.80), (0.80, 0.95), (1.0, 1.0)),
)
"""Relevance is about the probability that a text answers or restates the other. Up to `noise` lie
99.6 % of unrelated pairs and 12 % of the questions with their answers; across languages, up to
`noise_across`, 98.8 % and 8 %. Among ten memories, `noise_among_few` lets a stray one in for some
questions that nothing answers, and finds what a question names only by kind.

Beside words in common it counts for less: read as a probability there, it took the first places of
long conversations away from the memories that say the words.

Source: benchmarks/calibration; the figures are in docs/decisions/0002-embedders.md.
"""

MODEL = EmbeddingModel(
    name="usem3", version="3", dimension=512, calibration=CALIBRATION, max_tokens=64
)
TOKENS = TokenModel(name="minilm", version="1", dimension=64)

MODEL_WITH_TOKENS = replace(MODEL, tokens=TOKENS)

_MOST_CHARS = 4096
"""Of a longer text only the beginning is read. The encoder's memory grows with the length of one
text (about 20 kB a token) and its vector says little about a text of this size anyway."""

_MOST_PIECES: dict[Purpose, int] = {"document": 126, "query": 62}
"""The vectors of a document take 64 bytes a piece, and a later sentence is seldom what is asked for."""


class LocalEmbedder:
    """Universal Sentence Encoder multilingual v3 in NumPy: 512 dimensions, 16 languages. Beside it
    a MiniLM encoder for the vectors of words, in English.

    Making one is free; the first `embed`, or `warm_up` from a background thread, loads the models
    (about 1.5 s and 180 MB, shared by all instances in the process). Threads may call it at once
    and run in parallel, each on one core.

    `embed` raises `Misconfigured` when the package is missing or its files were changed.
    """

    is_blocking = True
    is_symmetric = True
    is_best_batched = True
    """Several texts at once cost much less than one by one: writers should share batches."""

    @property
    def model(self) -> EmbeddingModel:
        return MODEL_WITH_TOKENS if _minilm_file.is_there() else MODEL

    @property
    def is_loaded(self) -> bool:
        """Whether `embed` would answer at once."""
        return _usem3.is_loaded() and (_minilm_file.is_loaded() or not _minilm_file.is_there())

    def warm_up(self) -> None:
        """Load and check the model now. Blocks; any thread may call it, more than once."""
        _usem3.encoder()
        if _minilm_file.is_there():
            _minilm_file.encoder()

    def clear(self) -> None:
        """Forget the words that were cut into pieces."""
        _minilm_file.forget_words()

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One unit row per text; `purpose` makes no difference.

        A text longer than 4,096 characters is embedded by its first 4,096: embed pieces of it.
        """
        if not texts:
            return np.empty((0, MODEL.dimension), dtype=np.float32)
        readable = [truncate(sanitise(text), _MOST_CHARS) for text in texts]
        encoder = _usem3.encoder()
        with one_blas_thread:
            return np.asarray(encoder.encode(readable), dtype=np.float32)

    async def embed_tokens(self, texts: Sequence[str], *, purpose: Purpose) -> list[TokenRows]:
        """The vectors of the texts' words: the first 126 pieces of a document, 62 of a query.

        None of a text that is mostly in another script than the Latin one. `embed_tokens` raises
        `Misconfigured` when the weights were changed.
        """
        if not texts:
            return []
        encoder = _minilm_file.encoder()
        most = _MOST_PIECES[purpose]
        with one_blas_thread:
            return encoder.encode([truncate(sanitise(text), _MOST_CHARS) for text in texts], most)
