"""What a measured process has of the benchmarks, so little that its memory is nearly a user's."""

from __future__ import annotations

import re
import resource
import socket
from pathlib import Path
from typing import Any


def peak_rss_mb() -> float:
    """The most memory this process has held, in MB (10^6 bytes).

    From /proc, because on Linux `getrusage` also counts what the parent held when it forked.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1]) * 1024 / 1e6  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def refuse_network() -> None:
    """Make any connection over IP fail at once; a system that needs one is not embedded."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            raise ConnectionRefusedError("no network in benchmarks")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign,assignment]
