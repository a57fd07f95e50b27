"""Counting calls under way, so that closing waits for them and refuses new ones."""

from __future__ import annotations

import time
from threading import Condition

from perdure.errors import Closed, Unavailable


class Gate:
    """Open until closed. Thread-safe."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether new calls are refused."""
        return self._closed

    @property
    def is_idle(self) -> bool:
        """Whether no call is under way."""
        return self._inside == 0

    def enter(self) -> None:
        """Begin a call, or raise `Closed`."""
        with self._changed:
            if self._closed:
                raise Closed("this memory was closed; open it again to go on")
            self._inside += 1

    def leave(self) -> None:
        """End a call."""
        with self._changed:
            self._inside -= 1
            if self._closed and self._inside == 0:  # only `wait` listens, and only then
                self._changed.notify_all()

    def close(self) -> bool:
        """Refuse new calls from now on; False when it was closed before."""
        with self._changed:
            was_open, self._closed = not self._closed, True
            return was_open

    def wait(self, timeout_s: float) -> None:
        """Block until the last call has left; `Unavailable` after the timeout."""
        # A monotonic duration, not a moment: nothing stored or decided depends on it.
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while self._inside:
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    raise Unavailable(
                        f"{self._inside} calls were still under way after {timeout_s} s; "
                        "call close() again to go on waiting"
                    )
