"""Keeping the partitions that were searched last, within a budget of bytes."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from perdure.stores._index.partition import Partition


class PartitionCache:
    """Partitions by number, the least recently used dropped first.

    The budget is for all together; a single partition may exceed it and then stays alone.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._held: OrderedDict[int, Partition] = OrderedDict()
        self._sizes: dict[int, int] = {}
        self._total = 0
        self._lock = Lock()

    def get(self, number: int) -> Partition | None:
        """The partition if it is held; it then counts as just used."""
        with self._lock:
            partition = self._held.get(number)
            if partition is not None:
                self._held.move_to_end(number)
            return partition

    def peek(self, number: int) -> Partition | None:
        """The partition if it is held."""
        return self._held.get(number)

    def put(self, number: int, partition: Partition) -> None:
        """Hold a partition, dropping others if need be."""
        with self._lock:
            self._held[number] = partition
            self._held.move_to_end(number)
            self._measure(number, partition)
            self._trim()

    def resized(self, number: int, partition: Partition) -> None:
        """The partition has grown, or shrunk."""
        with self._lock:
            if number in self._held:
                self._measure(number, partition)
                self._trim()

    def drop(self, number: int) -> None:
        """Let go of one partition."""
        with self._lock:
            self._held.pop(number, None)
            self._total -= self._sizes.pop(number, 0)

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._held.clear()
            self._sizes.clear()
            self._total = 0

    def _measure(self, number: int, partition: Partition) -> None:
        size = partition.nbytes
        self._total += size - self._sizes.get(number, 0)
        self._sizes[number] = size

    def _trim(self) -> None:
        while self._total > self._budget and len(self._held) > 1:
            dropped, _ = self._held.popitem(last=False)
            self._total -= self._sizes.pop(dropped)
