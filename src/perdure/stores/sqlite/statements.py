"""SQL from the `.sql` files beside this module.

A file holds named statements: a line `-- name: NAME`, comments that explain it, then the SQL.
`{{other}}` stands for the statement named `other` of any file (shared column lists and rules), and
`{word}` for what Python composes; all values are bound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_INCLUDE = re.compile(r"\{\{(\w+)\}\}")
_SPACES = re.compile(r"\s+")


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


def expand(statements: Mapping[str, str]) -> dict[str, str]:
    """The statements with every `{{name}}` replaced."""

    def whole(sql: str) -> str:
        while _INCLUDE.search(sql):
            sql = _INCLUDE.sub(lambda match: statements[match.group(1)], sql)
        return sql

    return {name: whole(sql) for name, sql in statements.items()}


@cache
def statements() -> Mapping[str, str]:
    """Every statement of `queries/*.sql`."""
    found: dict[str, str] = {}
    for file in sorted(files(__package__).joinpath("queries").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".sql"):
            more = parse(file.read_text(encoding="utf-8"))
            if shared := found.keys() & more.keys():
                raise ValueError(f"{file.name} repeats the names {sorted(shared)}")
            found.update(more)
    return expand(found)
