"""The weights that ship with the package: loaded when first needed, checked against their hashes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from perdure.errors import Misconfigured
from perdure.understanding.learned.features import FloatArray
from perdure.understanding.learned.network import Networks
from perdure.understanding.learned.vectors import HashedVectors

Weights = Mapping[str, FloatArray]

_FOLDER = "perdure.understanding"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The networks, what their outputs stand for, and the vectors they are shown.

    `readers` vote on messages, by the language that most of a message is in; `relaters` on pairs of
    statements. A network may be several of these. `version` is the beginning of the hash of all weights.
    """

    readers: Mapping[str, Networks]
    relaters: Networks
    words: HashedVectors
    predicates: tuple[str, ...]
    subjects: tuple[str, ...]
    modalities: tuple[str, ...]
    intents: tuple[str, ...]
    relations: tuple[str, ...]
    version: str


def _folder() -> Traversable:
    return files(_FOLDER).joinpath("weights")


def load_words(folder: Traversable | None = None) -> HashedVectors:
    """The word vectors alone."""
    return _words((folder or _folder()).joinpath("words.npz").read_bytes())


def _words(data: bytes) -> HashedVectors:
    with np.load(io.BytesIO(data)) as arrays:
        table = arrays["vectors"].astype(np.float32) * arrays["step"]
        return HashedVectors(arrays["hashes"], table)


def _network(data: bytes) -> Weights:
    with np.load(io.BytesIO(data)) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}


def load(folder: Traversable) -> Learned:
    """Everything in the folder. Raises `Misconfigured` when a file is not the one that was made."""
    manifest = json.loads(folder.joinpath("manifest.json").read_text(encoding="utf-8"))
    entries = sorted(manifest["networks"].items())
    networks = {name: _network(_checked(folder, name, entry["sha256"])) for name, entry in entries}
    languages = sorted({language for _, entry in entries for language in entry["reads"]})
    digests = "".join([manifest["words"], *(entry["sha256"] for _, entry in entries)])
    return Learned(
        readers={
            language: Networks(
                [networks[name] for name, entry in entries if language in entry["reads"]]
            )
            for language in languages
        },
        relaters=Networks([networks[name] for name, entry in entries if entry["relates"]]),
        words=_words(_checked(folder, "words.npz", manifest["words"])),
        predicates=tuple(manifest["predicates"]),
        subjects=tuple(manifest["subjects"]),
        modalities=tuple(manifest["modalities"]),
        intents=tuple(manifest["intents"]),
        relations=tuple(manifest["relations"]),
        version=sha256(digests.encode()).hexdigest()[:12],
    )


def _checked(folder: Traversable, name: str, digest: str) -> bytes:
    data = folder.joinpath(name).read_bytes()
    if sha256(data).hexdigest() != digest:
        raise Misconfigured(
            f"{name} of perdure.understanding is damaged: reinstall the package perdure"
        )
    return data


@lru_cache(maxsize=1)
def learned() -> Learned:
    """The weights that ship, read once per process."""
    return load(_folder())
