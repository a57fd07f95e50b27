"""What an embedder may have besides the port, and what its absence means.

Attributes and methods:

    is_blocking     true: `embed` computes in the calling thread (`ports.embedder`)
    is_symmetric    true: a text's vector is the same as a query and as a document
    warm_up()       blocking: load now what the first `embed` would load
    clear()         blocking: forget every text and vector that is remembered
    aclose()        async: give back connections and memory; `embed` is not called afterwards

Decorators hand all of them on.
"""

from __future__ import annotations

from perdure.ports.embedder import Embedder


def is_symmetric(embedder: Embedder) -> bool:
    """Whether `purpose` never changes the vector. False unless the embedder says so."""
    return bool(getattr(embedder, "is_symmetric", False))


def warm_up(embedder: Embedder) -> None:
    """Call the embedder's `warm_up`, if it has one."""
    prepare = getattr(embedder, "warm_up", None)
    if prepare is not None:
        prepare()


async def close(embedder: Embedder) -> None:
    """Call the embedder's `aclose`, if it has one."""
    aclose = getattr(embedder, "aclose", None)
    if aclose is not None:
        await aclose()
