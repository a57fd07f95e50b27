"""Reading a page of documentation, and running what it says.

Fenced blocks of `python` and `sh` are run in the order of the page, in an empty folder; the Python
blocks of a page share their names. A `text` block right after one is what it must have printed,
with … for anything within a line. A Python block whose fence says `file=NAME` is written to that
file instead of being run. What a page needs stands in a comment at its top:

    <!-- test: embedder=local postgres openai valkey -->
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```(\S*)[ \t]*(.*)$")
NEEDS = re.compile(r"^<!-- test: (.*) -->$", re.MULTILINE)
RUN = frozenset(("python", "sh"))
SHOWN = frozenset(("", "text", "json", "toml", "sql"))
TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, what else the fence says, its first line and its text."""

    language: str
    remark: str
    line: int
    text: str
    follows_at_once: bool
    """Whether nothing but empty lines stands between it and the block before it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page and what is needed to run it."""

    path: Path
    blocks: tuple[Block, ...]
    needs: frozenset[str]

    @property
    def is_run(self) -> bool:
        """Whether anything on it can be run."""
        return any(block.language in RUN for block in self.blocks)


def read_page(path: Path) -> Page:
    """The page in a file."""
    text = path.read_text(encoding="utf-8")
    found = NEEDS.search(text)
    needs = frozenset(found.group(1).split()) if found else frozenset()
    return Page(path, tuple(_blocks(text)), needs)


def _blocks(text: str) -> list[Block]:
    blocks: list[Block] = []
    opened: tuple[str, str, int, bool] | None = None
    lines: list[str] = []
    at_once = False
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if fence is None:
            if opened is not None:
                lines.append(line)
            elif line.strip():
                at_once = False
        elif opened is None:
            opened, lines = (fence.group(1), fence.group(2), number + 1, at_once), []
        else:
            language, remark, start, follows = opened
            blocks.append(Block(language, remark, start, "\n".join(lines) + "\n", follows))
            opened, at_once = None, True
    assert opened is None, f"a block opened before line {number} is never closed"
    return blocks


def run_page(page: Page, folder: Path, environment: dict[str, str]) -> None:
    """Run every block; `AssertionError` when one prints something else than the page shows."""
    names: dict[str, Any] = {"__name__": "__page__"}
    printed: str | None = None
    for block in page.blocks:
        place = f"{page.path.name}:{block.line}"
        if block.language == "text" and block.follows_at_once and printed is not None:
            _require_output(place, expected=block.text, printed=printed)
            printed = None
        elif block.language == "python" and block.remark.startswith("file="):
            (folder / block.remark.removeprefix("file=")).write_text(block.text, encoding="utf-8")
            printed = None
        elif block.language == "python":
            printed = _run_python(page, block, names)
        elif block.language == "sh":
            printed = _run_shell(place, block, folder, environment)
        else:
            printed = None


def _run_python(page: Page, block: Block, names: dict[str, Any]) -> str:
    # Empty lines in front make a traceback show the line of the page.
    source = "\n" * (block.line - 1) + block.text
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, str(page.path), "exec"), names)
    return output.getvalue()


def _run_shell(place: str, block: Block, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{place} ends with {done.returncode}:\n{done.stderr}"
    return done.stdout


def _require_output(place: str, *, expected: str, printed: str) -> None:
    shown, came = expected.rstrip().splitlines(), printed.rstrip().splitlines()
    matches = len(shown) == len(came) and all(
        _pattern(line).fullmatch(other.rstrip()) for line, other in zip(shown, came, strict=True)
    )
    assert matches, f"{place} shows\n{expected}\nbut this was printed:\n{printed}"


def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.rstrip().split("…"))))
