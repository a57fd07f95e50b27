"""What tests of Perdure, and of back-ends for it, are built from.

`perdure.testing.contracts` holds the suites that every implementation of a port must pass; they
need pytest, and the generated ones hypothesis, so they are imported from there.
"""

from perdure.embedders.hashing import HashingEmbedder
from perdure.embedders.scripted import ScriptedEmbedder
from perdure.testing.builders import (
    ILKA,
    MODEL,
    NOON,
    a_change,
    a_change_set,
    a_memory,
    an_id,
    forgotten,
    successor,
    unit,
    vectors_of,
)
from perdure.testing.clock import FakeClock
from perdure.testing.scripted_model import ScriptedLanguageModel, answer

__all__ = [
    "ILKA",
    "MODEL",
    "NOON",
    "FakeClock",
    "HashingEmbedder",
    "ScriptedEmbedder",
    "ScriptedLanguageModel",
    "a_change",
    "a_change_set",
    "a_memory",
    "an_id",
    "answer",
    "forgotten",
    "successor",
    "unit",
    "vectors_of",
]
