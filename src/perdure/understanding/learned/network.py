"""The networks: convolutions over the tokens of a text and of what was said before it, in numpy.

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
    """What each of the networks made of a text: a row for each token of the message, and the pooled
    earlier ones. Shapes (networks, tokens, width) and (networks, 2 × width)."""

    tokens: FloatArray
    earlier: FloatArray


def windows(rows: FloatArray, by: int) -> FloatArray:
    """Each token's row between those `by` tokens before and behind it; zeros beyond the ends."""
    networks, count, width = rows.shape
    out = np.zeros((networks, count, 3 * width), np.float32)
    out[:, by:, :width] = rows[:, :-by]
    out[:, :, width : 2 * width] = rows
    out[:, :-by, 2 * width :] = rows[:, by:]
    return out


def pooled(rows: FloatArray) -> FloatArray:
    """The highest and the mean of each column over the tokens; zeros for no tokens."""
    count = rows.shape[1]
    if not count:
        return np.zeros((rows.shape[0], 2 * rows.shape[2]), np.float32)
    mean = np.add.reduce(rows, axis=1) / count
    out: FloatArray = np.concatenate([np.maximum.reduce(rows, axis=1), mean], axis=1)
    return out


def softmax(logits: FloatArray) -> FloatArray:
    shares: FloatArray = logits - np.maximum.reduce(logits, axis=-1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= np.add.reduce(shares, axis=-1, keepdims=True)
    return shares


class Networks:
    """Trained networks of one shape that vote: every answer is the mean of theirs. All is pure."""

    def __init__(self, weights: Sequence[Mapping[str, NDArray[np.float32]]]) -> None:
        self._w = {name: np.stack([each[name] for each in weights]) for name in weights[0]}
        self._join("tags", TAGS)
        self._join("judgements", JUDGEMENTS)

    def _join(self, name: str, parts: Sequence[str]) -> None:
        """Layers that read the same rows become one."""
        w = self._w
        w[f"{name}.w"] = np.concatenate([w[f"{part}.w"] for part in parts], axis=2)
        w[f"{name}.b"] = np.concatenate([w[f"{part}.b"] for part in parts], axis=1)

    def encode(self, features: Features) -> Encoding:
        """The tokens in their context."""
        rows = self._input(features)
        is_message = features.sides == MESSAGE
        if is_message.all():
            for dilation in DILATIONS:
                rows += self._convolved(rows, dilation, f"conv{dilation}")
            return Encoding(tokens=rows, earlier=pooled(rows[:, :0]))
        places, size = _laid_out(features.sides)
        laid = np.zeros((rows.shape[0], size, rows.shape[2]), np.float32)
        laid[:, places] = rows
        mask = np.zeros((size, 1), np.float32)
        mask[places] = 1.0
        for dilation in DILATIONS:
            laid += mask * self._convolved(laid, dilation, f"conv{dilation}")
        rows = laid[:, places]
        return Encoding(tokens=rows[:, is_message], earlier=pooled(rows[:, ~is_message]))

    def _input(self, features: Features) -> FloatArray:
        w = self._w
        dense = np.broadcast_to(features.dense, (len(w["looks"]), *features.dense.shape))
        shown = np.concatenate(
            [
                w["words"][:, features.hashes[:, 0]],
                w["lefts"][:, features.hashes[:, 1]],
                w["rights"][:, features.hashes[:, 2]],
                w["looks"][:, features.looks],
                dense,
            ],
            axis=2,
        )
        return self._layer(shown, "in.")

    def _layer(self, rows: FloatArray, name: str) -> FloatArray:
        out: FloatArray = rows @ self._w[f"{name}w"]
        out += self._w[f"{name}b"][:, None]
        return np.maximum(out, 0.0, out=out)

    def _convolved(self, rows: FloatArray, dilation: int, name: str) -> FloatArray:
        return self._layer(windows(rows, dilation), f"{name}.")

    def summary(self, encoding: Encoding, start: int = 0, end: int | None = None) -> FloatArray:
        """The message, or its tokens from `start` up to `end`, beside what was said before."""
        return np.concatenate([pooled(encoding.tokens[:, start:end]), encoding.earlier], axis=1)

    def intents(
        self, summaries: Sequence[FloatArray], cues: FloatArray, *, follows: bool
    ) -> FloatArray:
        """Probabilities of the five intents, a row for each part of a message.

        `cues` are each part's and those of the last text before it, a row for each. Where the text
        follows something the user said, how it relates to that counts too.
        """
        shown = np.stack(summaries, axis=1)
        related = np.zeros(self._w["relation.b"].shape[1], np.float32)
        if follows:
            unknown = np.zeros(2, np.float32)
            related = RELATED * self._layered("relation", shown, unknown, cues)
        return self._voted(self._layered("intent", shown, cues, related))

    def relations(self, summary: FloatArray, cosine: float | None, cues: FloatArray) -> FloatArray:
        """Probabilities of the relations of a message to the one statement before it."""
        known = np.array([0.0, 0.0] if cosine is None else [1.0, cosine], np.float32)
        row: FloatArray = self._voted(self._layered("relation", summary[:, None], known, cues))[0]
        return row

    def tagged(self, encoding: Encoding) -> tuple[FloatArray, FloatArray]:
        """Rows for `judged`, and for each of `TAGS` and each token the probabilities of outside,
        begin and inner, as an array (tags, tokens, 3)."""
        w = self._w
        overall = self.summary(encoding)[:, None] @ w["mix.g"]
        rows = encoding.tokens @ w["mix.w"] + overall + w["mix.b"][:, None]
        rows = np.maximum(rows, 0.0, out=rows)
        rows += self._convolved(rows, 1, "tagconv")
        logits = rows @ w["tags.w"] + w["tags.b"][:, None]
        count = rows.shape[1]
        shares = self._voted(logits.reshape(len(rows), count, len(TAGS), 3))
        return rows, shares.swapaxes(0, 1)

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
        networks, count, width = rows.shape
        shown = np.zeros((networks, len(spans), 7 * width + cues.shape[1]), np.float32)
        for place, (start, end) in enumerate(spans):
            shown[:, place, :width] = np.add.reduce(rows[:, start:end], axis=1) / (end - start)
            if start:
                shown[:, place, width : 2 * width] = rows[:, start - 1]
            if end < count:
                shown[:, place, 2 * width : 3 * width] = rows[:, end]
        shown[:, :, 3 * width : 7 * width] = summary[:, None]
        shown[:, :, 7 * width :] = cues
        hidden = self._layer(shown, "span.")
        w = self._w
        logits = hidden @ w["judgements.w"] + w["judgements.b"][:, None]
        ends = np.cumsum([w[f"{name}.b"].shape[1] for name in JUDGEMENTS])[:-1]
        return [self._voted(part) for part in np.split(logits, ends, axis=2)]

    def _layered(self, name: str, summaries: FloatArray, *more: FloatArray) -> FloatArray:
        """Two layers over summaries (networks, parts, size) and what is shown beside each."""
        w = self._w
        networks, parts, _ = summaries.shape
        beside = [np.broadcast_to(each, (networks, parts, each.shape[-1])) for each in more]
        hidden = self._layer(np.concatenate([summaries, *beside], axis=2), f"{name}.h")
        out: FloatArray = hidden @ w[f"{name}.w"] + w[f"{name}.b"][:, None]
        return out

    def _voted(self, logits: FloatArray) -> FloatArray:
        shares: FloatArray = np.add.reduce(softmax(logits), axis=0) / np.float32(len(logits))
        return shares


def _laid_out(sides: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """Where each token's row goes when texts are kept apart, and how many rows that takes."""
    places = np.arange(len(sides), dtype=np.int64)
    if len(sides):
        places[1:] += GAP * np.cumsum(sides[1:] != sides[:-1])
    return places, int(places[-1]) + 1 if len(sides) else 0
