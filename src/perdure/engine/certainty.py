"""Which certainty reads the hits of a question: that of what spoke for them.

The coefficients stand in `certainties.json`, for every embedder that comes with the package by its
identity, with that of its vectors of words where a question has some, and `words` for questions that
are compared by their words alone. Of another embedder its own calibration may bring some
(`Calibration.certainty`); without, strengths are the scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from perdure.domain.certainty import Certainty, certainty_from
from perdure.engine.embedding import Embedding

WORDS = "words"
_FILE = "certainties.json"


def certainty_for(embedding: Embedding, *, has_vector: bool, has_tokens: bool) -> Certainty | None:
    """How strengths read for a question with words, and with such vectors."""
    if not has_vector or embedding.embedder is None:
        return shipped().get(WORDS)
    model = embedding.embedder.model
    if model.calibration.certainty is not None:
        return model.calibration.certainty
    tokens = f" + {embedding.token_model}" if has_tokens else ""
    return shipped().get(model.identity + tokens)


@cache
def shipped() -> Mapping[str, Certainty]:
    """The certainties of the package, by name."""
    text = (files("perdure.engine") / _FILE).read_text(encoding="utf-8")
    return {name: certainty_from(name, document) for name, document in json.loads(text).items()}
