"""One BLAS thread while we compute.

NumPy's matrix products start as many threads as there are cores. For matrices as small as a
sentence that costs more than it gains, and on a busy machine many times more (measured: 9.8 ms
against 2.7 ms a text with four callers on two cores).
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

log = logging.getLogger(__name__)


class OneBlasThread:
    """A context in which BLAS uses one thread; the old number returns when the last caller leaves.

    The number belongs to the whole process. Callers that each saved and restored it could leave it
    at one for ever when they overlap, so only the first to enter saves it and only the last to
    leave restores it. `find_controller` is called once, when first entered: a
    `threadpoolctl.ThreadpoolController`, or None where there is none; then nothing happens.
    """

    def __init__(self, find_controller: Callable[[], Any]) -> None:
        self._find_controller = find_controller
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._limit: Any = None
        self._is_prepared = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._is_prepared:
                self._controller = self._find_controller()
                self._is_prepared = True
            if self._inside == 0 and self._controller is not None:
                self._limit = self._controller.limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


def _blas_controller() -> Any:
    # Looked up once: the search for loaded libraries takes milliseconds. NumPy is loaded by now.
    threadpoolctl: ModuleType
    try:
        threadpoolctl = importlib.import_module("threadpoolctl")
    except ImportError:
        log.info("blas.threads_unlimited", extra={"missing": "threadpoolctl"})
        return None
    return threadpoolctl.ThreadpoolController()


one_blas_thread = OneBlasThread(_blas_controller)
"""Shared by the process, as the number of threads is."""
