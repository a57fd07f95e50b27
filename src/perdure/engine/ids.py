"""Ids in the order they were made."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from perdure.domain.identity import ENTROPY_BYTES, uuid7
from perdure.domain.times import to_micros
from perdure.ports.clock import Entropy

_STEP_BYTES = 4
_RANDOM_BITS = 74


class IdFactory:
    """UUIDs version 7 that rise within a millisecond too, so equal times keep their order.

    The first id of a millisecond takes fresh entropy; each further one adds a random step, so
    the next id cannot be guessed. Thread-safe.

    Source: RFC 9562, section 6.2, method 2.
    """

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._lock = Lock()
        self._millis = -1
        self._value = 0

    def new(self, now: datetime) -> str:
        """A fresh id for this moment."""
        millis = to_micros(now) // 1000
        with self._lock:
            if millis != self._millis:
                self._millis = millis
                # The top bit stays free, so that steps within the millisecond do not wrap round.
                fresh = int.from_bytes(self._entropy(ENTROPY_BYTES), "big")
                self._value = fresh % (1 << (_RANDOM_BITS - 1))
            else:
                self._value += 1 + int.from_bytes(self._entropy(_STEP_BYTES), "big")
            value = self._value % (1 << _RANDOM_BITS)
        return uuid7(now, value.to_bytes(ENTROPY_BYTES, "big"))
