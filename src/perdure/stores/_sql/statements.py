"""SQL from `.sql` files beside an adapter.

A file holds named statements: a line `-- name: NAME`, comments that explain it, then the SQL.
`{{other}}` stands for the statement of that name in any file of the folder (shared column lists
and rules), and `{word}` for what Python composes. All values are bound, to `:name` placeholders.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"--.*$", re.MULTILINE)
_INCLUDE = re.compile(r"\{\{(\w+)\}\}")
_SPACES = re.compile(r"\s+")
_PLACEHOLDER = re.compile(r"(?<![:\w]):([a-z]\w*)")


def load(package: str, folder: str = "queries") -> dict[str, str]:
    """Every statement of the folder's `.sql` files by name, with includes replaced."""
    found: dict[str, str] = {}
    for file in sql_files(package, folder):
        more = parse(file.read_text(encoding="utf-8"))
        if shared := found.keys() & more.keys():
            raise ValueError(f"{file.name} repeats the names {sorted(shared)}")
        found.update(more)
    return _expanded(found)


def sql_files(package: str, folder: str) -> list[Path]:
    """The `.sql` files in a folder of an imported package, by name.

    Read as plain files: `importlib.resources` takes longer to import than a store to open.
    """
    return sorted(Path(sys.modules[package].__path__[0], folder).glob("*.sql"))


def parse(text: str) -> dict[str, str]:
    """The statements of one file by name, without comments and line breaks."""
    parts = _NAME.split(text)
    names, bodies = parts[1::2], parts[2::2]
    if len(set(names)) != len(names):
        raise ValueError("two statements of one file share a name")
    return {
        name: _SPACES.sub(" ", _COMMENT.sub("", body)).strip().removesuffix(";")
        for name, body in zip(names, bodies, strict=True)
    }


def _expanded(statements: Mapping[str, str]) -> dict[str, str]:
    def whole(sql: str) -> str:
        while _INCLUDE.search(sql):
            sql = _INCLUDE.sub(lambda match: statements[match.group(1)], sql)
        return sql

    return {name: whole(sql) for name, sql in statements.items()}


@lru_cache(maxsize=1024)
def numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with `$1`, `$2`, … for its named placeholders, and the names in that order."""
    names: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"${names.setdefault(match.group(1), len(names) + 1)}"

    return _PLACEHOLDER.sub(number, sql), tuple(names)
