"""Commands that bring memories in and take them elsewhere."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.cli.progress import importing, working
from perdure.cli.tables import console, pair_table
from perdure.cli.terminal import note, people_answer
from perdure.domain.results import Imported
from perdure.errors import InvalidInput
from perdure.importers import FORMATS, LeftOut, TranscriptReport, format_of, import_transcript
from perdure.importers.formats import AUTO, OWN
from perdure.sync import MemoryManager

SHOWN_PROBLEMS = 20


@click.command(
    "import",
    cls=Command,
    short_help="Bring in an export or a chat transcript.",
    epilog='JSON: {"format", "added", "known", "withheld", "replaced", "passed_over", '
    '"without_vector", "conversations", "problems": [{"place", "problem"}]}',
)
@click.argument("path")
@click.option(
    "--format",
    "format_name",
    type=click.Choice([AUTO, *FORMATS]),
    default=AUTO,
    show_default=True,
    help="Normally told from the file.",
)
@click.option("--strict", is_flag=True, help="Import nothing when an entry is damaged.")
@click.option(
    "--on-conflict",
    type=click.Choice(["skip", "replace", "error"]),
    default="skip",
    show_default=True,
    help="Of an export: what to do with memories that are stored with other contents.",
)
@click.pass_obj
def import_(
    invocation: Invocation, path: str, format_name: str, strict: bool, on_conflict: str
) -> int:
    """Bring in PATH, a file, an archive or a folder; "-" reads stdin.

    \b
    perdure    what `perdure export` wrote; memories keep their ids, users, times and history
    chatgpt    the data export of ChatGPT: conversations.json, the archive, or its folder
    claude     the data export of Claude: likewise
    locomo     LoCoMo-style JSON, with numbered and dated sessions
    messages   {"role", "content", "time"?, "name"?, "id"?, "conversation"?}, one per line or
               in an array

    A transcript's messages become episodes of --user, each conversation a session unless --session
    names one. Doing it again changes nothing, and what was forgotten stays forgotten. Damaged
    entries are reported with their place, and the exit status is 1.
    """
    with _on_disk(path) as source:
        chosen = format_of(source) if format_name == AUTO else format_name
        with invocation.opened(embeds=True, makes=True) as memory:
            report = (
                _import_own(memory, source, on_conflict)
                if chosen == OWN
                else _import_transcript(memory, source, chosen, strict=strict)
            )
    if invocation.json:
        invocation.show(report)
    else:
        _print_report(report)
    return Exit.NEGATIVE if report["problems"] else Exit.DONE


@contextmanager
def _on_disk(path: str) -> Iterator[Path]:
    """The path, or stdin as a file, since formats are told by reading the beginning twice."""
    if path != "-":
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="perdure-") as folder:
        copy = Path(folder) / "stdin"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


def _import_own(memory: MemoryManager, source: Path, on_conflict: Any) -> dict[str, Any]:
    with working("Importing"):
        done: Imported = memory.import_(source, on_conflict, actor="cli")
    return {
        "format": OWN,
        "added": done.added,
        "known": done.skipped,
        "withheld": done.withheld,
        "replaced": done.replaced,
        "passed_over": 0,
        "without_vector": done.without_vector,
        "conversations": 0,
        "problems": [],
    }


def _import_transcript(
    memory: MemoryManager, source: Path, format_name: str, *, strict: bool
) -> dict[str, Any]:
    with importing() as watch:
        done: TranscriptReport = import_transcript(
            memory, source, format=format_name, strict=strict, watch=watch
        )
    return {
        "format": done.format,
        "added": done.stored,
        "known": done.known,
        "withheld": done.withheld,
        "replaced": 0,
        "passed_over": done.passed_over,
        "without_vector": done.without_vector,
        "conversations": done.conversations,
        "problems": done.problems,
    }


def _print_report(report: dict[str, Any]) -> None:
    problems: tuple[LeftOut, ...] = report["problems"]
    names = {
        "format": "format",
        "conversations": "conversations",
        "added": "new",
        "known": "known already",
        "withheld": "withheld: forgotten or erased here",
        "replaced": "replaced",
        "passed_over": "no part of the conversation",
        "without_vector": "waiting for the embedder",
    }
    rows = [(label, report[name]) for name, label in names.items() if report[name]]
    console().print(pair_table([*rows, ("left out", len(problems))]))
    for problem in problems[:SHOWN_PROBLEMS]:
        note(f"{problem.place}: {problem.problem}")
    if len(problems) > SHOWN_PROBLEMS:
        note(f"… and {len(problems) - SHOWN_PROBLEMS} more; --json lists them all.")


@click.command(
    "export",
    cls=Command,
    short_help="Write memories with their history as JSON Lines.",
    epilog='JSON: {"path", "memories", "tombstones"}',
)
@click.argument("path")
@click.option("--everything", is_flag=True, help="Of every user of the tenant.")
@click.option("--yes", is_flag=True, help="Do not ask before replacing a file.")
@click.pass_obj
def export(invocation: Invocation, path: str, everything: bool, yes: bool) -> int:
    """Write the memories of --user with their history to PATH; "-" is stdout.

    Forgotten ones are written without their words. A file is replaced only when the new one is
    complete; on a terminal it asks first.
    """
    to_stdout = path == "-"
    if to_stdout and invocation.json:
        raise InvalidInput('an export to "-" takes all of stdout; leave out --json')
    if not (to_stdout or yes or _may_replace(path)):
        note("Nothing was written.")
        return Exit.NEGATIVE
    with invocation.opened(embeds=False) as memory, working("Exporting"):
        if to_stdout:
            _export_to_stdout(memory, everything)
            return Exit.DONE
        done = memory.export(path, everything=everything)
    if invocation.json:
        invocation.show({"path": path, "memories": done.memories, "tombstones": done.tombstones})
    else:
        print(f"{path}: {done.memories} memories, {done.tombstones} tombstones of forgotten ones.")
    return Exit.DONE


def _may_replace(path: str) -> bool:
    if not (Path(path).exists() and people_answer()):
        return True
    return click.confirm(f"Replace {path}?", err=True)


def _export_to_stdout(memory: MemoryManager, everything: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="perdure-") as folder:
        complete = Path(folder) / "export.jsonl"
        memory.export(complete, everything=everything)
        with complete.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()


@click.command(
    "backup",
    cls=Command,
    short_help="Copy the whole store while it is in use.",
    epilog='JSON: {"path", "bytes"}',
)
@click.argument("path")
@click.pass_obj
def backup(invocation: Invocation, path: str) -> None:
    """Copy the whole store, all tenants and users, to PATH, where nothing stands yet.

    Others may read and write meanwhile. The copy is a store: open it with --store.
    """
    with invocation.opened(embeds=False) as memory, working("Copying"):
        made = memory.backup(path)
    size = made.stat().st_size
    if invocation.json:
        invocation.show({"path": made, "bytes": size})
    else:
        print(f"{made}: {size:,} bytes.")
