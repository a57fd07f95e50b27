"""Finding, checking and loading the weights of the token encoder, once per process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perdure.embedders._minilm import Network, network_of, token_vectors
from perdure.embedders._wordpiece import Pieces, WordPieces
from perdure.errors import Misconfigured
from perdure.ports.embedder import TokenRows

log = logging.getLogger(__name__)

PATH = Path(__file__).parent / "weights" / "minilm-tokens.npz"
SHA256 = "dd28d2508100d46723d2807c3a4404d5cc1577fb3a44c4fc4a9616e6c453cf2e"
"""Of the file that `training/encoder/build.py` makes. The model's identity stands for these bytes."""


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


_lock = threading.Lock()
_loaded: TokenEncoder | None = None


@cache
def is_there() -> bool:
    """Whether the file came with the package; some who repack it may have left it out."""
    return PATH.is_file()


def is_loaded() -> bool:
    """Whether `encoder()` would answer at once."""
    return _loaded is not None


def forget_words() -> None:
    """Forget the words that were read, if any were."""
    if _loaded is not None:
        _loaded.clear()


def encoder() -> TokenEncoder:
    """The checked encoder, loaded on the first call: about 0.1 s and 60 MB, once per process.

    Callers that come while it loads wait for it. Raises `Misconfigured` when the file is missing or
    not the expected one; a later call tries again.
    """
    global _loaded
    if _loaded is not None:
        return _loaded
    with _lock:
        if _loaded is None:
            _loaded = TokenEncoder(network_of(read_arrays(PATH)))
            log.info("embedder.loaded", extra={"file": PATH.name})
        return _loaded


def read_arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Misconfigured(f"cannot read {path}; {_REMEDY}") from error
    digest = sha256(data).hexdigest()
    if digest != SHA256:
        raise Misconfigured(
            f"{path} is not the file that Perdure ships (SHA-256 {digest[:12]}…, expected "
            f"{SHA256[:12]}…), so its vectors cannot be trusted; {_REMEDY}"
        )
    with np.load(BytesIO(data)) as arrays:
        return {name: arrays[name] for name in arrays.files}


_REMEDY = "reinstall it: pip install --force-reinstall perdure"
