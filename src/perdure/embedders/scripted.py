"""Vectors dictated by a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import shake_256

import numpy as np
from numpy.typing import ArrayLike, NDArray

from perdure.domain.calibration import UNCALIBRATED
from perdure.errors import InvalidInput
from perdure.ports.embedder import EmbeddingModel, FloatArray, Purpose

_TRIES = 32


class ScriptedEmbedder:
    """Gives each text of a table its dictated vector, scaled to unit length.

    The dimension is that of the first vector; another length, a zero vector or one that is not
    finite raises `InvalidInput`, for it has no direction.

    A text outside the table gets `default`, when given. Otherwise it gets a direction of its own,
    derived from the text: equal texts share it, and it lies as far from all dictated vectors as a
    few tries find, so that a derived text (a sentence of a longer memory) does not turn up where
    only the table should speak. In two or three dimensions there is little room for that: such
    texts may be near one another.

    Not calibrated: the cosine is the relevance.
    """

    is_blocking = True
    is_symmetric = True

    def __init__(
        self,
        vectors: Mapping[str, ArrayLike],
        *,
        default: ArrayLike | None = None,
        name: str = "scripted",
    ) -> None:
        given = list(vectors.values())
        if default is not None:
            given.append(default)
        if not given:
            raise InvalidInput("ScriptedEmbedder needs at least one vector to know its dimension")
        dimension = int(np.size(given[0]))
        self._table = {text: _unit(each, dimension, text) for text, each in vectors.items()}
        self._default = None if default is None else _unit(default, dimension, "default")
        self._dictated = np.array(list(self._table.values())).reshape(-1, dimension)
        self._model = EmbeddingModel(name=name, dimension=dimension, calibration=UNCALIBRATED)

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], *, purpose: Purpose) -> FloatArray:
        """One unit row per text; `purpose` makes no difference."""
        rows = np.empty((len(texts), self._model.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            known = self._table.get(text, self._default)
            rows[index] = self._unscripted(text) if known is None else known
        return rows

    def _unscripted(self, text: str) -> NDArray[np.float64]:
        """Of several directions derived from the text, the one farthest from every dictated one."""
        tries = np.array(list(_directions(text, self._model.dimension)))
        nearest = (tries @ self._dictated.T).max(axis=1)
        farthest: NDArray[np.float64] = tries[int(nearest.argmin())]
        return farthest


def _unit(vector: ArrayLike, dimension: int, text: str) -> NDArray[np.float64]:
    row = np.asarray(vector, dtype=np.float64)
    if row.shape != (dimension,) or dimension == 0:
        raise InvalidInput(
            f"the vector scripted for {text[:40]!r} has shape {row.shape}, not ({dimension},)"
        )
    length = float(np.linalg.norm(row))
    if not np.isfinite(length) or length == 0.0:
        raise InvalidInput(f"the vector scripted for {text[:40]!r} has no direction")
    return row / length


def _directions(text: str, dimension: int) -> Iterator[NDArray[np.float64]]:
    """Unit vectors that look random and depend on nothing but the text."""
    source = shake_256(text.encode("utf-8", "surrogatepass"))
    words = np.frombuffer(source.digest(4 * dimension * _TRIES), dtype="<u4")
    # Halves and odd: no component is zero, so none of the rows is.
    for row in (words.astype(np.float64) + 0.5 - 2.0**31).reshape(_TRIES, dimension):
        yield row / np.linalg.norm(row)
