"""Late interaction: every word of a question looks for its nearest word in a memory.

One vector for a whole sentence says what it is about; a vector for each word also says whether the
very thing asked for is in it. All vectors here have unit length, so a dot product is a cosine.

Source: Khattab and Zaharia, ColBERT, SIGIR 2020 (MaxSim). Weighing words by how rare they are in
the store is ours, and the figures behind the constants are in docs/decisions/0015-late-interaction.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from perdure.domain.lexical import Beside

FloatRows = NDArray[np.float32]
ByteRows = NDArray[np.int8]

_LEVELS = 127
COMMON = 2.0
"""Rarity of a word that the lexical arm leaves out (`analysis.query_lexemes`): "who", "when", "did".
They say what kind of answer is wanted."""
BACKGROUND = 0.3
"""Similarity that unrelated texts have: all words lie in one half of the space."""
LENT = (0.2, 0.08)
"""Share of what it has above the background that a turn lends to the next and the one after."""
WEIGHT = 5.0
"""What a similarity above the background counts for beside the lexical score. It is at most 0.7
where that reaches 1.5."""


TELLING = 0.2
"""From here on a memory's words are so much alike the question's that it is a hit without more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuestionTokens:
    """The vectors of a question's pieces of words, shape (pieces, dimension), and of each the code
    of the word it belongs to (`analysis.lexemes`; None for a mark)."""

    rows: FloatRows
    words: tuple[int | None, ...]


def packed(rows: FloatRows) -> ByteRows:
    """Unit rows in eight bits a value, of -127 to 127; a cosine is off by 0.01 at most."""
    levels: ByteRows = np.rint(rows * _LEVELS).clip(-_LEVELS, _LEVELS).astype(np.int8)
    return levels


def weights(words: Sequence[int | None], rarities: Mapping[int, float]) -> FloatRows:
    """What each piece counts for: its word's rarity in the store, `COMMON` for words that were not
    looked for, 0 for marks."""
    return np.array(
        [0.0 if word is None else rarities.get(word, COMMON) for word in words], dtype=np.float32
    )


def similarities(
    question: FloatRows, weight: FloatRows, memories: Sequence[ByteRows]
) -> list[float | None]:
    """Of each memory: the weighted mean over the question's pieces of the best cosine, -1 to 1.

    None for a memory without pieces, and for all when nothing in the question counts.
    """
    total = float(weight.sum())
    lengths = np.array([len(rows) for rows in memories], dtype=np.int64)
    full = np.flatnonzero(lengths)
    if total <= 0.0 or not len(full):
        return [None] * len(memories)
    everything = np.concatenate([memories[place] for place in full.tolist()])
    starts = np.cumsum(lengths[full]) - lengths[full]
    cosines = everything.astype(np.float32) @ (question.T / np.float32(_LEVELS))
    best = np.maximum.reduceat(cosines, starts, axis=0)
    means = best @ (weight / np.float32(total))
    found: list[float | None] = [None] * len(memories)
    for place, mean in zip(full.tolist(), means.tolist(), strict=True):
        found[place] = mean
    return found


def evidence(found: Mapping[str, float], beside: Iterable[Beside]) -> dict[str, float]:
    """What the similarities say beyond the background, with what neighbouring turns lend; 0 and up.

    `beside` may name others than those found; they neither lend nor borrow.
    """
    own = {memory_id: max(0.0, value - BACKGROUND) for memory_id, value in found.items()}
    raised = dict(own)
    for earlier, later, distance in sorted(beside):
        if earlier in own and later in own:
            raised[earlier] += LENT[distance - 1] * own[later]
            raised[later] += LENT[distance - 1] * own[earlier]
    return raised
