"""What calls cost, in time by the clock and in time of the processor."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter, process_time


@dataclass(slots=True)
class Stopwatch:
    """Adds up what is done inside it, each time apart. A context manager.

    CPU seconds are those of the whole process, so threads that help are counted.
    """

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    _begun: tuple[float, float] = (0.0, 0.0)

    def __enter__(self) -> None:
        self._begun = perf_counter(), process_time()

    def __exit__(self, *_: object) -> None:
        wall, cpu = self._begun
        self.wall_s.append(perf_counter() - wall)
        self.cpu_s.append(process_time() - cpu)

    @property
    def calls(self) -> int:
        """How many times."""
        return len(self.wall_s)

    @property
    def mean_cpu_ms(self) -> float:
        """Milliseconds of the processor that a call takes on average; 0 without a call."""
        return 1e3 * sum(self.cpu_s) / max(self.calls, 1)

    def wall_ms(self, share: float) -> float:
        """Milliseconds by the clock that this share of the calls stays within; 0 without a call."""
        if not self.wall_s:
            return 0.0
        ordered = sorted(self.wall_s)
        return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
