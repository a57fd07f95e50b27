"""Vectors by feature hashing: no model, no download, and yet really a function of the text.

Made for tests and as the last resort when the bundled model is missing. Texts that share words
or spelling are near, others are close to 0; it knows no synonyms and no translations.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from perdure.domain.calibration import Calibration
from perdure.embedders._text_features import features_of
from perdure.errors import InvalidInput
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose

VERSION = "1"
"""Raised whenever the same text would give another vector."""

_ANCHORS = (
    (0.0, 0.0),
    (0.1, 0.2),
    (0.2, 0.45),
    (0.3, 0.7),
    (0.4, 0.85),
    (0.6, 0.97),
    (1.0, 1.0),
)


def calibration_for(dimension: int) -> Calibration:
    """How cosines read at this dimension: the fewer the buckets, the more meet by chance.

    Less than 1 % of unrelated pairs lie above `noise` at 64 to 1,024 dimensions. Source:
    benchmarks/calibration; the figures are in docs/decisions/0002-embedders.md.
    """
    return Calibration(noise=min(0.12 + 1.6 / sqrt(dimension), 0.95), anchors=_ANCHORS)


class HashingEmbedder:
    """Signed feature hashing of words, word pairs, letter trigrams and, in scripts without
    spaces, characters and their pairs.

    Texts that differ only in case, punctuation, width or accents share a vector. A text without
    a letter, digit or symbol, the empty one included, gets a unit vector chosen by its own
    characters, so that every row has length one.

    The same on every machine and in every process. Stateless: threads may share one.

    Source of the signs: Weinberger et al., Feature Hashing for Large Scale Multitask Learning,
    ICML 2009.
    """

    is_blocking = True
    is_symmetric = True

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise InvalidInput(f"HashingEmbedder needs a dimension of at least 1, not {dimension}")
        self._model = EmbeddingModel(
            name="hashing",
            version=VERSION,
            dimension=dimension,
            calibration=calibration_for(dimension),
            max_tokens=256,
        )

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One unit row per text; `purpose` makes no difference."""
        dimension = self._model.dimension
        rows = np.empty((len(texts), dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = _unit_row(text, dimension)
        return rows


def _unit_row(text: str, dimension: int) -> NDArray[np.float64]:
    hashes, weights = features_of(text)
    buckets = hashes % np.uint32(dimension)
    # The sign comes from the top bit, which says little about the bucket.
    signed = np.where(hashes >> np.uint32(31), weights, -weights)
    row = np.bincount(buckets, weights=signed, minlength=dimension)
    length = float(np.sqrt(row @ row))
    if length < 1e-9:
        row[_own_bucket(text, dimension)] = length = 1.0
    return row / length


def _own_bucket(text: str, dimension: int) -> int:
    """The one bucket of a text whose features are none, or cancel out."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % dimension
