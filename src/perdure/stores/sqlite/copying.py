"""A consistent copy of the file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from perdure.errors import InvalidInput, Misconfigured
from perdure.stores.sqlite.connections import connect


def copy_to(connection: sqlite3.Connection, target: Path) -> None:
    """Copy everything committed to a path where nothing is yet.

    It is written beside the target and gets its name when it is whole and on the disk.
    """
    if target.exists() or target.is_symlink():
        raise InvalidInput(f"{target} exists already; a backup never overwrites")
    if not target.parent.is_dir():
        raise InvalidInput(f"the folder {target.parent} does not exist; make it first")
    partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
    try:
        _copy(connection, partial)
        _flush(partial)
        _give_name(partial, target)
    except OSError as error:
        raise Misconfigured(f"{target} cannot be written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def _copy(connection: sqlite3.Connection, partial: Path) -> None:
    partial.unlink(missing_ok=True)
    copy = connect(partial)
    try:
        connection.backup(copy)
    finally:
        copy.close()


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _give_name(partial: Path, target: Path) -> None:
    try:
        # Unlike a rename, a link never replaces what somebody put there meanwhile.
        os.link(partial, target)
    except FileExistsError:
        raise InvalidInput(f"{target} exists already; a backup never overwrites") from None
    except (AttributeError, NotImplementedError, PermissionError):
        partial.rename(target)
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
