"""A small BERT encoder in NumPy: vectors of tokens from weights of a few bits.

Source: Wang et al., MiniLM, 2020; the weights are those of `sentence-transformers/
all-MiniLM-L6-v2` (Apache-2.0), made smaller by `training/encoder/build.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from perdure.ports.embedder import FloatArray

_EPSILON = np.float32(1e-12)
_GELU_SCALE, _GELU_CUBE = np.float32(0.7978845608), np.float32(0.044715)


class Layer(NamedTuple):
    """One layer's weights, as they are multiplied: rows come in, columns go out."""

    attention: FloatArray
    attention_bias: FloatArray
    attention_out: FloatArray
    attention_out_bias: FloatArray
    attention_norm: FloatArray
    inner: FloatArray
    inner_bias: FloatArray
    outer: FloatArray
    outer_bias: FloatArray
    outer_norm: FloatArray


class Network(NamedTuple):
    """The whole encoder. `projection` takes centred unit vectors to the stored dimension.

    `embeddings` are whole numbers times `scales`, one for each group of `group` values.
    """

    vocabulary: tuple[str, ...]
    embeddings: NDArray[np.int8]
    scales: NDArray[np.float16]
    positions: FloatArray
    embedding_norm: FloatArray
    layers: tuple[Layer, ...]
    heads: int
    mean: FloatArray
    projection: FloatArray


def token_vectors(network: Network, texts: Sequence[Sequence[int]]) -> list[FloatArray]:
    """For each text, given by the numbers of its pieces, a unit row for every piece.

    The first and last piece of each text (BERT's marks) get none. All texts go through the
    layers together, one after the other in one array, so that no padding is computed.
    """
    sizes = [len(text) for text in texts]
    ends = np.cumsum(sizes)
    spans = [slice(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)]
    rows = _embedded(network, texts, sizes)
    for layer in network.layers:
        rows = _through(layer, rows, spans, network.heads)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32)
    rows = np.asarray((rows - network.mean) @ network.projection, dtype=np.float32)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _EPSILON)
    return [rows[span.start + 1 : span.stop - 1] for span in spans]


def _embedded(network: Network, texts: Sequence[Sequence[int]], sizes: list[int]) -> FloatArray:
    numbers = np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])
    places = np.concatenate([np.arange(size) for size in sizes])
    scales = network.scales[numbers].astype(np.float32)
    levels = network.embeddings[numbers].astype(np.float32)
    grouped = levels.reshape(len(numbers), scales.shape[1], -1) * scales[:, :, None]
    rows = grouped.reshape(len(numbers), -1) + network.positions[places]
    return _normalised(rows, network.embedding_norm)


def _through(layer: Layer, rows: FloatArray, spans: list[slice], heads: int) -> FloatArray:
    attended = _attended(rows @ layer.attention + layer.attention_bias, spans, heads)
    attended = attended @ layer.attention_out + layer.attention_out_bias
    rows = _normalised(rows + attended, layer.attention_norm)
    inner = _gelu(rows @ layer.inner + layer.inner_bias)
    return _normalised(rows + (inner @ layer.outer + layer.outer_bias), layer.outer_norm)


def _attended(projected: FloatArray, spans: list[slice], heads: int) -> FloatArray:
    """Every row as the mix of its text's rows that each head attends to."""
    width = projected.shape[1] // 3
    head = width // heads
    mixed = np.empty((len(projected), width), dtype=np.float32)
    for span in spans:
        own = projected[span].reshape(-1, 3, heads, head).transpose(1, 2, 0, 3)
        weights = own[0] @ own[1].transpose(0, 2, 1)
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=2, keepdims=True)
        mixed[span] = (weights @ own[2]).transpose(1, 0, 2).reshape(-1, width)
    return mixed


def _normalised(rows: FloatArray, norm: FloatArray) -> FloatArray:
    """Rows with mean 0 and variance 1, scaled and shifted by the two rows of `norm`."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows)[:, None] / np.float32(rows.shape[1])
    rows *= norm[0] / np.sqrt(variance + _EPSILON)
    rows += norm[1]
    return rows


def _gelu(values: FloatArray) -> FloatArray:
    """x times the normal distribution's share below x, by its tanh approximation (within 1e-3)."""
    inner = values * values
    inner *= _GELU_CUBE
    inner += np.float32(1.0)
    inner *= values
    inner *= _GELU_SCALE
    np.tanh(inner, out=inner)
    inner += np.float32(1.0)
    inner *= values
    inner *= np.float32(0.5)
    return inner


def network_of(arrays: Mapping[str, NDArray[np.generic]]) -> Network:
    """The network of a file's arrays, ready to be multiplied.

    Matrices are kept as int8 with a scale for each column, and held as float32 from here on.
    """
    count = int(arrays["layers"].item())

    def matrix(name: str) -> FloatArray:
        levels = arrays[name].astype(np.float32)
        return levels * arrays[f"{name}.scales"].astype(np.float32)

    def plain(name: str) -> FloatArray:
        return arrays[name].astype(np.float32)

    return Network(
        vocabulary=tuple(arrays["vocabulary"].tobytes().decode("utf-8").split("\n")),
        embeddings=_unpacked(arrays["embeddings"]),
        scales=arrays["embeddings.scales"].astype(np.float16),
        positions=plain("positions"),
        embedding_norm=plain("embedding_norm"),
        layers=tuple(
            Layer(
                *(
                    matrix(f"{number}.{name}") if name in _MATRICES else plain(f"{number}.{name}")
                    for name in Layer._fields
                )
            )
            for number in range(count)
        ),
        heads=int(arrays["heads"].item()),
        mean=plain("mean"),
        projection=plain("projection"),
    )


_MATRICES = frozenset({"attention", "attention_out", "inner", "outer"})


def _unpacked(packed: NDArray[np.generic]) -> NDArray[np.int8]:
    """Two values of four bits from each byte, -8 to 7; the lower half first."""
    both = packed.astype(np.uint8)
    values = np.empty((both.shape[0], both.shape[1] * 2), dtype=np.int8)
    values[:, 0::2] = (both & 15).astype(np.int8) - 8
    values[:, 1::2] = (both >> 4).astype(np.int8) - 8
    return values
