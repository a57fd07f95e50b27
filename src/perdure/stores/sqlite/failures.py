"""Driver errors as this package's errors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from perdure.errors import CorruptStore, Misconfigured, PerdureError, Unavailable

_DAMAGED = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB))
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
_READ_ONLY = frozenset((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH))


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 when the error has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection was in the way, so that the same call may work later."""
    return primary_code(error) in _BUSY


def damaged(path: Path, what: str) -> CorruptStore:
    """What a caller is told about a file that SQLite cannot read."""
    return CorruptStore(
        f"{path} is damaged or is no SQLite file ({what}); restore a backup, or copy what is "
        "readable with the sqlite3 program's .recover. The file was left as it is"
    )


def translated(error: sqlite3.Error, path: Path) -> PerdureError:
    """What a caller is told. Nothing was changed by the call that met the error."""
    code = primary_code(error)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    if code in _DAMAGED:
        return damaged(path, name)
    if code in _BUSY:
        return Unavailable(
            f"{path} is locked by another program ({name}); retry, or raise busy_timeout_s"
        )
    if code == sqlite3.SQLITE_FULL:
        return Unavailable(
            f"no room left to write {path} ({name}); free some and retry. "
            "Nothing of this call was stored, and what was stored before is intact"
        )
    if code in _READ_ONLY:
        return Misconfigured(
            f"{path} or its folder may not be written ({name}); "
            "give this account write permission to both"
        )
    if code == sqlite3.SQLITE_CANTOPEN:
        return Misconfigured(f"{path} cannot be opened ({name}); check the folder and permissions")
    return Unavailable(f"{path}: {name}: {error}")
