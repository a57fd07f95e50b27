"""Reading and writing whole text files, completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from perdure.errors import InvalidInput, Unavailable


def _path(path: object) -> Path:
    if not isinstance(path, str | Path) or not str(path):
        raise InvalidInput(f"a file path is needed, not {path!r}")
    return Path(path)


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
    target = _path(path)
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
