"""Other processes that use the same store, as programs of their own."""

from __future__ import annotations

import subprocess
import sys
from typing import IO

ROOT_MODULE = "tests.acceptance.worker"


class Worker:
    """A process that runs one of the jobs in `worker.py` once it is told to go."""

    def __init__(self, job: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", ROOT_MODULE, job, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.output.readline() == "ready\n", self._failure()

    @property
    def output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def go(self) -> None:
        """Let it begin."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def kill(self) -> list[str]:
        """End it as hard as the system can; the whole lines it had printed and not been read."""
        self._process.kill()
        left = self._rest()
        if not left.endswith("\n"):
            left = left[: left.rfind("\n") + 1]
        return left.splitlines()

    def finish(self) -> list[str]:
        """Wait until it ends by itself; what it printed."""
        left = self._rest()
        assert self._process.returncode == 0, self._failed
        return left.splitlines()

    def _rest(self) -> str:
        left, self._failed = self._process.communicate(timeout=120)
        return left

    def _failure(self) -> str:
        self._process.kill()
        return self._process.communicate()[1]


def run_together(job: str, *arguments: str, processes: int) -> list[list[str]]:
    """Run one job in several processes that begin at the same moment; the lines of each."""
    workers = [Worker(job, *arguments, str(number)) for number in range(processes)]
    for worker in workers:
        worker.go()
    return [worker.finish() for worker in workers]
