"""Keeping the partitions that were searched last, within a budget of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import Lock

from perdure.stores._index.partition import Partition


class PartitionCache:
    """Partitions by number, the least recently used dropped first.

    The budget is for all together; a single partition may exceed it and then stays alone.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._held: OrderedDict[int, Partition] = OrderedDict()
        self._lock = Lock()

    def get(self, number: int) -> Partition | None:
        """The partition if it is held; it then counts as just used."""
        with self._lock:
            partition = self._held.get(number)
            if partition is not None:
                self._held.move_to_end(number)
            return partition

    def get_or_load(self, number: int, load: Callable[[], Partition]) -> Partition:
        """The partition, loaded if it is not held."""
        partition = self.get(number)
        if partition is None:
            partition = load()
            self.put(number, partition)
        return partition

    def put(self, number: int, partition: Partition) -> None:
        """Hold a partition, dropping others if need be."""
        with self._lock:
            self._held[number] = partition
            self._held.move_to_end(number)
        self.trim()

    def trim(self) -> None:
        """Drop what exceeds the budget."""
        with self._lock:
            total = sum(partition.nbytes for partition in self._held.values())
            while total > self._budget and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                total -= dropped.nbytes

    def drop(self, number: int) -> None:
        """Let go of one partition."""
        with self._lock:
            self._held.pop(number, None)

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._held.clear()

    def held(self) -> Iterator[tuple[int, Partition]]:
        """What is held now."""
        with self._lock:
            return iter(list(self._held.items()))
