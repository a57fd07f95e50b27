"""A real, durable S3 server: SeaweedFS, from its wheel.

It takes some four seconds to be ready and twenty to stop on request, so it is killed: its data
are of no use to anybody afterwards. It also listens on its ports + 10000.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError

from tests.services.buckets import Buckets

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 2.0
GRPC_OFFSET = 10_000
HIGHEST_PORT = 65_535
ROLES = ("master", "volume", "filer", "s3")


class SeaweedFailed(Exception):
    """The server did not start; the message holds the end of its log."""


def executable() -> Path:
    """The `weed` program beside this Python."""
    return Path(sysconfig.get_path("scripts")) / "weed"


def is_installed() -> bool:
    """Whether the program is there."""
    return executable().is_file()


@contextmanager
def running_seaweedfs(folder: Path) -> Iterator[Buckets]:
    """A server for the length of a `with` block, with its data in `folder`."""
    ports = dict(zip(ROLES, _free_ports(len(ROLES)), strict=True))
    buckets = Buckets(endpoint=f"http://127.0.0.1:{ports['s3']}")
    log = folder / "weed.log"
    command = [str(executable()), "-logtostderr", "server", f"-dir={folder}", "-ip=127.0.0.1",
               "-ip.bind=127.0.0.1", "-s3", "-filer", "-volume.max=20",
               "-master.volumeSizeLimitMB=64", "-master.telemetry=false", "-s3.port.iceberg=0",
               f"-s3.config={_accounts(folder, buckets)}"]  # fmt: skip
    command += [f"-{role}.port={port}" for role, port in ports.items()]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
        try:
            _wait_until_ready(process, buckets, log)
            yield buckets
        finally:
            _stop(process)


def _accounts(folder: Path, buckets: Buckets) -> Path:
    """A file that gives everybody who may make buckets, and the tester everything."""
    path = folder / "accounts.json"
    credentials = [{"accessKey": buckets.access_key, "secretKey": buckets.secret_key}]
    everything = ["Admin", "Read", "Write", "List", "Tagging"]
    path.write_text(json.dumps({"identities": [
        {"name": "tester", "credentials": credentials, "actions": everything},
        {"name": "anonymous", "actions": ["Admin"]},
    ]}))  # fmt: skip
    return path


def _free_ports(count: int) -> list[int]:
    """Ports that are free now, as are those 10000 above them."""
    found: list[int] = []
    while len(found) < count:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        if port > HIGHEST_PORT - GRPC_OFFSET:
            port -= GRPC_OFFSET
        if port not in found and _is_free(port) and _is_free(port + GRPC_OFFSET):
            found.append(port)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _wait_until_ready(process: subprocess.Popen[bytes], buckets: Buckets, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if _answers(buckets):
            return
        time.sleep(0.1)
    raise SeaweedFailed(log.read_text(errors="replace")[-3000:])


def _answers(buckets: Buckets) -> bool:
    """Whether a bucket can be made: the server listens before it can do anything."""
    try:
        buckets.make()
    except HTTPError as error:
        return error.code == 409
    except (URLError, OSError):
        return False
    return True


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_TIMEOUT_S)
