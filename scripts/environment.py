"""Prepare the virtual environments of this repository, with the standard library alone.

    python3 scripts/environment.py dev        .venv       what ./test uses
    python3 scripts/environment.py runtime    .venv-demo  what ./demo uses: the core, no extras
    python3 scripts/environment.py uv         .venv-uv    the installer of the other two

pip installs one thing, uv, into its own environment; uv then makes the other environments exactly
what their requirement file says, every file checked against its hash, and adds this package as an
editable install. A stamp inside the environment remembers what it was made from, so a second run
finds nothing to do.

Several runs may share an environment. Whoever uses it holds a shared lock, whoever changes it an
exclusive one: pass `--lock-fd N`, a descriptor opened by the calling shell, and the shared lock
stays with that shell when this script ends.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"

Argument = str | Path


@dataclass(frozen=True)
class Environment:
    """A folder with a Python in it, and the requirement file that says what else is in it."""

    folder: Path
    requirements: Path
    has_package: bool

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.folder / "made-from"

    @property
    def lock(self) -> Path:
        return self.folder.with_name(self.folder.name + ".lock")


UV = Environment(ROOT / ".venv-uv", REQUIREMENTS / "bootstrap.txt", has_package=False)
ENVIRONMENTS = {
    "dev": Environment(ROOT / ".venv", REQUIREMENTS / "dev.txt", has_package=True),
    "runtime": Environment(ROOT / ".venv-demo", REQUIREMENTS / "runtime.txt", has_package=True),
    "uv": UV,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("environment", choices=ENVIRONMENTS)
    parser.add_argument("--lock-fd", type=int, help="descriptor that keeps the shared lock")
    arguments = parser.parse_args()
    environment = ENVIRONMENTS[arguments.environment]
    try:
        prepare(environment, lock_fd=arguments.lock_fd)
    except subprocess.CalledProcessError as error:
        command = " ".join(str(part) for part in error.cmd)
        sys.exit(f"{environment.folder.name} could not be prepared; this failed: {command}")


def prepare(environment: Environment, *, lock_fd: int | None = None) -> None:
    """Bring the environment up to date, and leave `lock_fd` (if given) with a shared lock on it."""
    own_fd = os.open(environment.lock, os.O_RDWR | os.O_CREAT, 0o666) if lock_fd is None else None
    fd = own_fd if own_fd is not None else lock_fd
    assert fd is not None
    try:
        wait_for_lock(fd, fcntl.LOCK_SH, environment)
        if is_current(environment):
            return
        wait_for_lock(fd, fcntl.LOCK_EX, environment)
        # Changing the kind of a lock lets go of it for a moment: somebody else may have been here.
        if not is_current(environment):
            make(environment)
        wait_for_lock(fd, fcntl.LOCK_SH, environment)
    finally:
        if own_fd is not None:
            os.close(own_fd)


def wait_for_lock(fd: int, kind: int, environment: Environment) -> None:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        say(f"Waiting for another run that uses {environment.folder.name} to end.")
        fcntl.flock(fd, kind)


def is_current(environment: Environment) -> bool:
    try:
        return environment.stamp.read_text() == fingerprint(environment)
    except FileNotFoundError:
        return False


def make(environment: Environment) -> None:
    source = environment.requirements.relative_to(ROOT)
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"Preparing {environment.folder.name} with Python {version} from {source}.")
    environment.stamp.unlink(missing_ok=True)
    if environment is UV:
        install_with_pip(environment)
    else:
        prepare(UV)
        install_with_uv(environment)
    environment.stamp.write_text(fingerprint(environment))


def fingerprint(environment: Environment) -> str:
    """Return what the environment is made from, as text that changes when any of it does."""
    made_from = {
        "python": [sys.version, sys.base_prefix],
        "folder": str(environment.folder),
        "requirements": digest(environment.requirements),
    }
    if environment.has_package:
        pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        made_from["package"] = [
            pyproject["project"],
            pyproject["build-system"],
            pyproject["tool"]["hatch"],
            digest(REQUIREMENTS / "build.txt"),
        ]
    return json.dumps(made_from, indent=2, sort_keys=True)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def install_with_pip(environment: Environment) -> None:
    """Make the environment with pip, also where Debian keeps `ensurepip` in a package of its own."""
    arguments = ["install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    arguments += ["--require-hashes", "--requirement", str(environment.requirements)]
    if importlib.util.find_spec("ensurepip"):
        run(sys.executable, "-m", "venv", "--clear", environment.folder)
        run(environment.python, "-m", "pip", *arguments)
    elif importlib.util.find_spec("pip"):
        run(sys.executable, "-m", "venv", "--clear", "--without-pip", environment.folder)
        run(sys.executable, "-m", "pip", "--python", environment.python, *arguments)
    else:
        sys.exit(
            f"{sys.executable} has neither ensurepip nor pip, so nothing can be installed.\n"
            "On Debian and Ubuntu: apt-get install python3-venv"
        )


def install_with_uv(environment: Environment) -> None:
    if not is_usable(environment):
        shutil.rmtree(environment.folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", "--without-pip", environment.folder)
    uv: tuple[Argument, ...] = (UV.folder / "bin" / "uv", "pip")
    options: tuple[Argument, ...] = ("--quiet", "--no-python-downloads")
    options += ("--python", environment.python)
    variables = uv_variables()
    run(*uv, "sync", *options, "--require-hashes", environment.requirements, **variables)
    if environment.has_package:
        options += ("--build-constraints", REQUIREMENTS / "build.txt", "--require-build-hashes")
        run(*uv, "install", *options, "--no-deps", "--editable", ROOT, **variables)


def is_usable(environment: Environment) -> bool:
    """Whether the environment runs the very Python that runs this script."""
    if not environment.python.exists():
        return False
    program = "import sys; print([sys.version, sys.base_prefix])"
    answer = subprocess.run([environment.python, "-c", program], capture_output=True, text=True)
    return answer.stdout.strip() == str([sys.version, sys.base_prefix])


def uv_variables() -> dict[str, str]:
    """Pass on what pip was told about a mirror and its certificate: uv does not read pip's files."""
    settings = pip_settings()
    wanted = {"UV_DEFAULT_INDEX": "index-url", "SSL_CERT_FILE": "cert"}
    return {
        variable: settings[name]
        for variable, name in wanted.items()
        if name in settings and variable not in os.environ
    }


def pip_settings() -> dict[str, str]:
    """Return pip's settings from its files and from the environment, as pip itself reads them."""
    has_pip = (UV.folder / "bin" / "pip").exists()
    command = [str(UV.python) if has_pip else sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    settings = {}
    for section in ("global", "install", ":env:"):  # the later one wins
        for line in lines:
            name, _, value = line.partition("=")
            if name.startswith(f"{section}."):
                settings[name.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    return settings


def run(*command: Argument, **variables: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **variables})


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
