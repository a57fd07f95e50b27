"""The command that measures how well memories are understood and kept true."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

import perdure
from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.figures import failure_table, figure_tables
from perdure.cli.invocation import Invocation, without_password
from perdure.cli.plain import plain
from perdure.cli.progress import bar
from perdure.cli.tables import console
from perdure.cli.terminal import note, people_watch, printable
from perdure.errors import InvalidInput
from perdure.evaluation.comparing import COMPARISON, compare
from perdure.evaluation.kinds import EVALUATIONS, evaluate, own_suite
from perdure.evaluation.picture import picture
from perdure.evaluation.report import Report
from perdure.evaluation.running import Setting, Watch, unwatched

STDOUT = "-"


@click.command(
    "eval",
    cls=Command,
    short_help="Measure understanding and consistency on a labelled file.",
    epilog='JSON: {"path", "version", "store", "embedder", "language_model", "run", "seconds", '
    '"report": {"evaluation", "headline", "by_group", "entries": [{"measure", "language", "group", '
    '"figure": {"value", "cases", "hits", "low", "high"}}], "failures": [{"id", "language", '
    '"group", "said", "expected", "came"}], "notes", "items": [{"id", "unit", "language", "group", '
    '"values"}]}}; with --compare {"compared", "version", "report"}.',
)
@click.argument("evaluation", type=click.Choice(list(EVALUATIONS)))
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--failures", is_flag=True, help="List what went wrong: wanted, and what came.")
@click.option(
    "--picture",
    "drawing",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw the figures into this SVG file.",
)
@click.option(
    "--json",
    "json_file",
    is_flag=False,
    flag_value=STDOUT,
    metavar="[FILE]",
    help="Write everything as JSON into FILE, or to stdout instead of tables.",
)
@click.option(
    "--language-model",
    metavar="NAME",
    default="off",
    show_default=True,
    help="Let a language model read the messages: openai:MODEL, anthropic:MODEL, or a plug-in's. "
    "The environment is not asked, so that figures without a model are without one.",
)
@click.option(
    "--observe",
    "observes",
    is_flag=True,
    help="Of consolidation: statements come as messages, not as what is remembered on purpose.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Of consistency: a scenario passes when it passes every time.",
)
@click.option(
    "--compare",
    "compared",
    type=click.Path(path_type=Path, dir_okay=False),
    nargs=2,
    metavar="BEFORE AFTER",
    help="Run nothing: the differences between two runs of the same questions, which --json wrote, "
    "with a paired test.",
)
@click.pass_obj
def evaluation(
    invocation: Invocation,
    evaluation: str,
    path: Path | None,
    failures: bool,
    drawing: Path | None,
    json_file: str | None,
    language_model: str,
    observes: bool,
    rounds: int,
    compared: tuple[Path, Path] | None,
) -> int:
    """Run EVALUATION on the labelled items in PATH, through the same calls as any program.

    \b
    consistency    conversations, and what must hold after them
    intents        what a message asks of the memory
    dates          which times a text names
    extraction     which facts a message states
    consolidation  whether the newest of conflicting facts comes first
    retrieval      whether the memories come that answer, beside four simpler ways to search

    Without PATH it is the package's own suite. Every item has a user of its own. It runs in
    memory, and touches your memories only if --store names them. The intervals hold the true
    value 95 times in 100.
    """
    if invocation.json and json_file is None:
        json_file = STDOUT
    invocation.json = json_file == STDOUT
    if compared is not None:
        if path is not None or drawing is not None:
            raise InvalidInput("--compare reads two runs; leave out PATH and --picture")
        report = compare(*compared)
        found = {"compared": list(compared), "version": perdure.__version__, "report": report}
        _give(invocation, found, report, json_file=json_file, failures=False)
        return Exit.DONE
    if invocation.user or invocation.agent or invocation.session:
        raise InvalidInput("every item has a user of its own; leave out --user, --agent, --session")
    source = own_suite(evaluation) if path is None else path
    setting = Setting(
        store=invocation.store if invocation.store is not None else "memory://",
        embedder=invocation.embedder,
        language_model=language_model,
        observes=observes,
        tenant=invocation.tenant,
        run=f"evaluation-{secrets.token_hex(4)}",
    )
    start = perf_counter()
    with _watching(evaluation) as watch:
        report = evaluate(evaluation, source, setting, watch=watch, rounds=rounds)
    found = {
        "path": source,
        "version": perdure.__version__,
        "store": without_password(str(setting.store)),
        "embedder": setting.embedder,
        "language_model": language_model,
        "run": setting.run,
        "seconds": round(perf_counter() - start, 2),
        "report": report,
    }
    _give(invocation, found, report, json_file=json_file, failures=failures)
    if drawing is not None:
        _write(drawing, picture(report))
    return Exit.DONE


def _give(
    invocation: Invocation,
    found: dict[str, Any],
    report: Report,
    *,
    json_file: str | None,
    failures: bool,
) -> None:
    if json_file == STDOUT:
        invocation.show(found)
    else:
        _print(report, failures=failures)
    if json_file not in (None, STDOUT):
        _write(Path(str(json_file)), json.dumps(plain(found), ensure_ascii=False, indent=2) + "\n")


@contextmanager
def _watching(what: str) -> Iterator[Watch]:
    if not people_watch():
        yield unwatched
        return
    with bar(f"Evaluating {what}") as advance:
        yield lambda done, total, remark: advance(done, total, printable(remark))


def _print(report: Report, *, failures: bool) -> None:
    screen: Any = console()
    for made in figure_tables(report):
        screen.print(made)
    for remark in report.notes:
        print(printable(remark))
    if report.evaluation == COMPARISON:
        return
    if not report.failures:
        print("Nothing went wrong.")
    elif failures:
        screen.print(failure_table(report.failures))
    else:
        note(f"{len(report.failures)} went wrong; --failures lists them.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from error
