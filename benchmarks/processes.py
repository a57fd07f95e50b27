"""The suite's end of the pipe to worker processes."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from benchmarks import registry
from benchmarks.harness import ONE_THREAD, QUIET, Block, say


class WorkerFailed(Exception):
    """The system raised, or its process died; the message is what the table's foot shows."""


class Worker:
    """A started worker with its system opened on `path`.

    `size` and `users` choose the data set, `queries` how many distinct questions it holds.
    `prefix` goes before the command (a tracer).
    """

    def __init__(
        self,
        system: str,
        path: Path,
        *,
        size: int,
        users: int = 100,
        queries: int = 2_000,
        prefix: Sequence[str] = (),
    ) -> None:
        self.system = system
        self._log = path.parent / f"{path.name}.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*prefix, str(registry.ENTRIES[system].python), "-m", "benchmarks.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                cwd=registry.HERE.parent,
                env=child_environment(path.parent),
            )
        try:
            self.call(
                "open", system=system, path=str(path), size=size, users=users, queries=queries
            )
        except WorkerFailed:
            self.kill()
            raise

    def call(self, name: str, **arguments: Any) -> Any:
        """Run one operation and wait for its answer; a timed one gives a `Block`."""
        self.send(name, **arguments)
        return self.receive()

    def send(self, name: str, **arguments: Any) -> None:
        """Ask without waiting, so that several workers run at once."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"call": name, **arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as exc:
            raise WorkerFailed(f"process ended with {self._process.wait()}") from exc

    def receive(self) -> Any:
        """The answer to the oldest unanswered `send`."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerFailed(f"process ended with {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise WorkerFailed(answer["error"])
        value = answer["ok"]
        return Block(**value["block"]) if isinstance(value, dict) and "block" in value else value

    def close(self) -> None:
        """Close the system and wait for the process."""
        try:
            self.call("close")
            self._process.wait(timeout=60)
        except (WorkerFailed, subprocess.TimeoutExpired) as exc:
            say(f"  {self.system}: closing failed: {exc}")
            self.kill()

    def kill(self) -> None:
        """End the process now."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.close()


def child_environment(home: Path) -> dict[str, str]:
    """The environment of every measured process: one BLAS thread, no telemetry, a home of its own.

    Byte code is written, as for an installed package, so import times are those of a second start.
    """
    inherited = {key: value for key, value in os.environ.items() if "API_KEY" not in key}
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    private = {"MEM0_DIR": str(home / "mem0-home"), "PYTHONPATH": _import_path()}
    return inherited | ONE_THREAD | QUIET | private


def _import_path() -> str:
    """The repository (for `benchmarks`) and its `src`, for an interpreter that has neither."""
    return os.pathsep.join([str(registry.HERE.parent), str(registry.HERE.parent / "src")])


class Stores:
    """Filled stores, made once per run and system and copied for each case that writes."""

    def __init__(self, root: Path, *, keep: bool) -> None:
        self.root = root
        self._keep = keep
        self._copies = 0

    def empty(self, system: str) -> Path:
        """A path for a new store."""
        self._copies += 1
        return self.root / f"copy-{self._copies}-{system}"

    def filled(self, system: str, size: int, users: int) -> Path:
        """The folder of a closed store of `size` memories; treat it as read-only.

        A peer's is kept for the next run; the baseline and the subject are filled anew each run,
        as their code may have changed.
        """
        path = self.root / f"filled-{system}-{size}-{users}"
        marker = path.parent / f"{path.name}.done"
        if not marker.exists():
            shutil.rmtree(path, ignore_errors=True)
            say(f"  filling {system} with {size:,} memories of {users} users")
            with Worker(system, path, size=size, users=users) as worker:
                block: Block = worker.call("fill", size=size)
            marker.write_text(json.dumps(block.wall_ms + block.cpu_ms))
        return path

    def fill_block(self, system: str, size: int, users: int) -> Block:
        """What filling that store took."""
        text = (self.root / f"filled-{system}-{size}-{users}.done").read_text()
        wall, cpu = json.loads(text)
        return Block(operations=size, wall_ms=[wall], cpu_ms=[cpu])

    def copy(self, system: str, size: int, users: int = 100) -> Path:
        """A private copy of a filled store."""
        source, target = self.filled(system, size, users), self.empty(system)
        shutil.copytree(source, target)
        return target

    def discard(self, path: Path) -> None:
        """Delete a copy."""
        shutil.rmtree(path, ignore_errors=True)

    def start(self, *, refill: bool = False) -> None:
        """Take the folder for this run; remove what an earlier one left, except what is kept."""
        self.root.mkdir(parents=True, exist_ok=True)
        self._lock = (self.root / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise SystemExit(f"another run is using {self.root.name}; wait for it to end") from exc
        for done in self.root.glob("filled-*.done"):
            system = done.name.split("-")[1]
            if refill or not self._keep or registry.ENTRIES[system].environment is None:
                done.unlink()
        self.finish()

    def finish(self) -> None:
        """Remove the copies; filled stores stay for the next run."""
        for left in self.root.glob("copy-*"):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink()
