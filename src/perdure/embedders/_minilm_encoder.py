"""From texts to the vectors of their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perdure.embedders._minilm import Network, token_vectors
from perdure.embedders._wordpiece import Pieces, WordPieces
from perdure.ports.embedder import TokenRows


class TokenEncoder:
    """From texts to the vectors of their words. Threads may use it at once."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._pieces = WordPieces(network.vocabulary)
        self._first = self._pieces.number("[CLS]")
        self._last = self._pieces.number("[SEP]")

    def encode(self, texts: Sequence[str], most: int) -> list[TokenRows]:
        """The first `most` pieces of each text; none of what is mostly in another script."""
        cut = [self._pieces.of(text, most=most) for text in texts]
        readable = [place for place, pieces in enumerate(cut) if _is_readable(pieces)]
        made = [self._nothing] * len(texts)
        if readable:
            numbers = [(self._first, *cut[place].numbers, self._last) for place in readable]
            for place, rows in zip(readable, token_vectors(self._network, numbers), strict=True):
                made[place] = TokenRows(words=cut[place].words, rows=rows)
        return made

    def clear(self) -> None:
        """Forget the words that were read."""
        self._pieces.clear()

    @property
    def _nothing(self) -> TokenRows:
        width = self._network.projection.shape[1]
        return TokenRows(words=(), rows=np.empty((0, width), dtype=np.float32))


def _is_readable(pieces: Pieces) -> bool:
    """Whether there are words, and most of their characters are Latin."""
    chars = "".join(word for word in pieces.words if word.isalnum())
    return bool(chars) and 2 * sum(map(str.isascii, chars)) >= len(chars)
