"""Reading and writing whole text files, completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from perdure.domain.text import shown
from perdure.errors import InvalidInput, Unavailable

_DATABASE = b"SQLite format 3\0"


def usable_path(text: str) -> Path:
    """The path a text names, or `InvalidInput` when the system takes no such name."""
    try:
        if b"\0" in os.fsencode(text):
            raise InvalidInput(f"{shown(text)} holds a NUL, which no file name can have")
        Path(text).is_dir()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{shown(text)} holds a character no file name can have") from error
    except OSError as error:
        raise InvalidInput(f"{shown(text)} cannot be a file: {error.strerror}") from error
    return Path(text)


def _path(path: object) -> Path:
    if not isinstance(path, str | Path) or not str(path):
        raise InvalidInput(f"a file path is needed, not {shown(path)}")
    return usable_path(str(path))


def new_path(path: str | Path) -> Path:
    """A path where nothing stands yet, in a folder that exists."""
    target = _path(path)
    if target.exists():
        raise InvalidInput(f"{target} exists already; it is not overwritten")
    if not target.parent.is_dir():
        raise InvalidInput(f"the folder {target.parent} does not exist; make it first")
    return target


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8; an existing file is replaced only when all of them are on the disk."""
    target = _replaceable(_path(path))
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(line)
                file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise Unavailable(f"{target} cannot be written: {error.strerror}") from error


def _replaceable(target: Path) -> Path:
    """The file that a path leads to, where a text may stand: never a device, nor a database."""
    try:
        if not target.exists():
            return target
        real = target.resolve()
        if real.is_dir():
            raise InvalidInput(f"{target} is a folder; name a file in it")
        if not real.is_file() or _is_open_stream(target):
            raise InvalidInput(f"{target} is no ordinary file, so it is not replaced")
        if _is_database(real):
            raise InvalidInput(
                f"{target} is a database, perhaps a memory; it is not written over. "
                "Choose another path"
            )
    except OSError as error:
        raise Unavailable(f"{target} cannot be written: {error.strerror}") from error
    return real


def _is_database(file: Path) -> bool:
    """Whether SQLite keeps its data there.

    One that is in use has a log beside it and is not opened: closing it would drop the locks that
    this process holds on it.
    """
    if any(Path(f"{file}{ending}").exists() for ending in ("-wal", "-shm", "-journal")):
        return True
    with file.open("rb") as content:
        return content.read(len(_DATABASE)) == _DATABASE


def _is_open_stream(target: Path) -> bool:
    """Whether a path stands for an open file of a process, as /dev/stdout does."""
    leads_to = os.readlink(target) if target.is_symlink() else ""
    return leads_to.startswith("/proc/") or str(target.parent.resolve()).startswith("/proc/")


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file, without their ends."""
    source = _path(path)
    try:
        return source.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError as error:
        raise InvalidInput(f"{source} does not exist") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise Unavailable(f"{source} cannot be read: {error.strerror}") from error
