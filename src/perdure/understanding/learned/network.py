"""The network: convolutions over the tokens of a text and of what was said before it, in numpy.

Trained by `training/understanding/train.py`, which mirrors these steps with gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perdure.understanding.learned.features import MESSAGE, Features, FloatArray

TAGS = ("object", "mention", "target")
JUDGEMENTS = ("predicate", "subject", "polarity", "modality")
RELATED = 0.3
"""How much of the relation's logits the intent is shown."""

DILATIONS = (1, 2, 4)
GAP = max(DILATIONS)
"""Empty rows between two texts, so that neither sees into the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """What the network made of the tokens: a row each for the message's, and the pooled earlier ones."""

    tokens: FloatArray
    earlier: FloatArray


def shifted(rows: FloatArray, by: int) -> FloatArray:
    """Each row from `by` rows before it; zeros beyond the ends."""
    out = np.zeros_like(rows)
    if by > 0:
        out[by:] = rows[:-by]
    else:
        out[:by] = rows[-by:]
    return out


def pooled(rows: FloatArray) -> FloatArray:
    """The highest and the mean of each column; zeros for no rows."""
    if not len(rows):
        return np.zeros(2 * rows.shape[1], np.float32)
    mean = np.add.reduce(rows) / len(rows)
    out: FloatArray = np.concatenate([np.maximum.reduce(rows), mean])
    return out


def softmax(logits: FloatArray) -> FloatArray:
    exp: FloatArray = np.exp(logits - logits.max(-1, keepdims=True))
    shares: FloatArray = exp / exp.sum(-1, keepdims=True)
    return shares


class Network:
    """One trained network; all methods are pure."""

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        self._w = weights
        self._tag_weights = np.concatenate([weights[f"{name}.w"] for name in TAGS], axis=1)
        self._tag_bias = np.concatenate([weights[f"{name}.b"] for name in TAGS])

    def encode(self, features: Features) -> Encoding:
        """The tokens in their context."""
        places, size = _laid_out(features.sides)
        rows = self._input(features)
        laid = np.zeros((size, rows.shape[1]), np.float32)
        laid[places] = rows
        mask = np.zeros((size, 1), np.float32)
        mask[places] = 1.0
        for dilation in DILATIONS:
            laid = laid + mask * self._convolved(laid, dilation, f"conv{dilation}")
        rows = laid[places]
        is_message = features.sides == MESSAGE
        return Encoding(tokens=rows[is_message], earlier=pooled(rows[~is_message]))

    def _input(self, features: Features) -> FloatArray:
        w = self._w
        shown = np.concatenate(
            [
                w["words"][features.hashes[:, 0]],
                w["lefts"][features.hashes[:, 1]],
                w["rights"][features.hashes[:, 2]],
                w["looks"][features.looks],
                features.dense,
            ],
            axis=1,
        )
        rows: FloatArray = np.maximum(shown @ w["in.w"] + w["in.b"], 0.0)
        return rows

    def _convolved(self, rows: FloatArray, dilation: int, name: str) -> FloatArray:
        window = np.concatenate([shifted(rows, dilation), rows, shifted(rows, -dilation)], axis=1)
        out: FloatArray = np.maximum(window @ self._w[f"{name}.w"] + self._w[f"{name}.b"], 0.0)
        return out

    def summary(self, encoding: Encoding, start: int = 0, end: int | None = None) -> FloatArray:
        """The message, or its tokens from `start` up to `end`, beside what was said before."""
        return np.concatenate([pooled(encoding.tokens[start:end]), encoding.earlier])

    def intents(self, summary: FloatArray, cues: FloatArray, *, follows: bool) -> FloatArray:
        """Probabilities of the five intents; `cues` are the text's and the last earlier one's.

        Where the text follows something the user said, how it relates to that counts too.
        """
        unknown = np.zeros(2, np.float32)
        related = self._layered(np.concatenate([summary, unknown, cues]), "relation")
        related = related * (RELATED if follows else 0.0)
        return softmax(self._layered(np.concatenate([summary, cues, related]), "intent"))

    def relations(self, summary: FloatArray, cosine: float | None, cues: FloatArray) -> FloatArray:
        """Probabilities of the relations of a message to the one statement before it."""
        known = np.array([0.0, 0.0] if cosine is None else [1.0, cosine], np.float32)
        return softmax(self._layered(np.concatenate([summary, known, cues]), "relation"))

    def tagged(self, encoding: Encoding) -> tuple[FloatArray, FloatArray]:
        """Rows for `judged`, and for each of `TAGS` and each token the probabilities of outside,
        begin and inner, as an array (tags, tokens, 3)."""
        w = self._w
        rows = np.maximum(
            encoding.tokens @ w["mix.w"] + self.summary(encoding) @ w["mix.g"] + w["mix.b"], 0.0
        )
        rows = rows + self._convolved(rows, 1, "tagconv")
        logits = rows @ self._tag_weights + self._tag_bias
        return rows, softmax(logits.reshape(len(rows), len(TAGS), 3)).swapaxes(0, 1)

    def judged(
        self,
        rows: FloatArray,
        summary: FloatArray,
        spans: Sequence[tuple[int, int]],
        cues: FloatArray,
    ) -> list[FloatArray]:
        """For each of `JUDGEMENTS` the probabilities of its classes, a row for each span.

        `cues` are those of each span's sentence, a row each.
        """
        w = self._w
        width = rows.shape[1]
        shown = np.zeros((len(spans), 7 * width + cues.shape[1]), np.float32)
        for place, (start, end) in enumerate(spans):
            shown[place, :width] = np.add.reduce(rows[start:end]) / (end - start)
            if start:
                shown[place, width : 2 * width] = rows[start - 1]
            if end < len(rows):
                shown[place, 2 * width : 3 * width] = rows[end]
        shown[:, 3 * width : 7 * width] = summary
        shown[:, 7 * width :] = cues
        hidden = np.maximum(shown @ w["span.w"] + w["span.b"], 0.0)
        return [softmax(hidden @ w[f"{name}.w"] + w[f"{name}.b"]) for name in JUDGEMENTS]

    def _layered(self, row: FloatArray, name: str) -> FloatArray:
        w = self._w
        hidden = np.maximum(row @ w[f"{name}.hw"] + w[f"{name}.hb"], 0.0)
        out: FloatArray = hidden @ w[f"{name}.w"] + w[f"{name}.b"]
        return out


def _laid_out(sides: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """Where each token's row goes when texts are kept apart, and how many rows that takes."""
    places = np.arange(len(sides), dtype=np.int64)
    if len(sides):
        places[1:] += GAP * np.cumsum(sides[1:] != sides[:-1])
    return places, int(places[-1]) + 1 if len(sides) else 0
