"""The vectors of common words, looked up by hash: a few megabytes, no list of words."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from perdure.understanding.learned.features import FloatArray

_KEPT = 1 << 15


class HashedVectors:
    """Vectors in rows ordered by the hash of their word."""

    def __init__(self, hashes: NDArray[np.uint32], table: FloatArray) -> None:
        self._hashes = hashes
        self._table = table
        self._rows: dict[str, int] = {}

    @property
    def table(self) -> FloatArray:
        return self._table

    def row(self, word: str) -> int:
        """The word's row in `table`, or -1 when it is not a common one."""
        found = self._rows.get(word)
        if found is None:
            found = self._find(word)
            if len(self._rows) < _KEPT:
                self._rows[word] = found
        return found

    def _find(self, word: str) -> int:
        code = crc32(word.encode("utf-8", "surrogatepass"))
        place = int(np.searchsorted(self._hashes, np.uint32(code)))
        if place < len(self._hashes) and self._hashes[place] == code:
            return place
        return -1
