"""Finding, checking and loading the weights of the token encoder, once per process."""

from __future__ import annotations

import logging
import threading
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from perdure.errors import Misconfigured

if TYPE_CHECKING:
    from perdure.embedders._minilm_encoder import TokenEncoder  # loaded with the weights

log = logging.getLogger(__name__)

PATH = Path(__file__).parent / "weights" / "minilm-tokens.npz"
SHA256 = "dd28d2508100d46723d2807c3a4404d5cc1577fb3a44c4fc4a9616e6c453cf2e"
"""Of the file that `training/encoder/build.py` makes. The model's identity stands for these bytes."""


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
            from perdure.embedders._minilm import network_of
            from perdure.embedders._minilm_encoder import TokenEncoder

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
