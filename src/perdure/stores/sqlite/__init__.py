"""Memories in one SQLite file: the embedded default. See docs/decisions/0003-sqlite.md."""

from perdure.stores.sqlite.options import SqliteOptions
from perdure.stores.sqlite.store import SqliteStore

__all__ = ["SqliteOptions", "SqliteStore"]
