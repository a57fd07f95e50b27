"""Running adapters that never suspend.

A blocking adapter has ordinary `async def` methods that happen to finish without ever waiting for
an event loop. `run_now` runs one to its end in the calling thread.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def is_blocking(adapter: object) -> bool:
    """Whether the adapter declares that it computes in the calling thread."""
    return bool(getattr(adapter, "is_blocking", False))


def run_now(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never suspends.

    Raises `RuntimeError` if it does suspend: its adapter wrongly says `is_blocking`.
    """
    try:
        coroutine.send(None)
    except StopIteration as finished:
        result: Result = finished.value
        return result
    coroutine.close()
    raise RuntimeError("a blocking adapter waited for an event loop; it must not say is_blocking")
