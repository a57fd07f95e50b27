"""The program: its commands, and how errors end it."""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import NoReturn

import click

import perdure
from perdure.cli.command import Program
from perdure.cli.commands.consolidating import consolidate
from perdure.cli.commands.conversing import observe
from perdure.cli.commands.demo import demo
from perdure.cli.commands.doctor import doctor
from perdure.cli.commands.erasing import erase
from perdure.cli.commands.measuring import evaluation
from perdure.cli.commands.moving import backup, export, import_
from perdure.cli.commands.reading import context, list_, recall, show
from perdure.cli.commands.upkeep import hold, maintain, reembed, stats, verify
from perdure.cli.commands.writing import correct, forget, remember, restore
from perdure.cli.exits import MEANING, Exit, exit_of
from perdure.cli.invocation import Invocation
from perdure.cli.log import keep_quiet
from perdure.cli.terminal import note, speak_utf8
from perdure.cli.wording import in_shell_words
from perdure.errors import EmbedderMismatch, PerdureError


@click.group(
    cls=Program,
    endings=[(str(status.value), meaning) for status, meaning in MEANING.items()],
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
@click.version_option(perdure.__version__, message="perdure %(version)s")
def program() -> None:
    """Long-term memory for AI agents that stays true over time.

    Memories live in one file, or in PostgreSQL. Without --user they belong to no particular user.
    Times are ISO 8601, such as 2031-07-25 or 2031-07-25T02:00:00+08:00; without a zone they are
    UTC. Results go to stdout, everything else to stderr; --json prints the results with the names
    they have in Python, and an error as {"error", "message"} on stderr.
    """


program.gather("Remember and ask", remember, observe, recall, context)
program.gather("Look", list_, show, stats)
program.gather("Change", correct, forget, restore, erase, hold)
program.gather("Move", import_, export, backup)
program.gather("Look after", maintain, consolidate, verify, reembed, doctor)
program.gather("Measure", evaluation)
program.gather("Try", demo)


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its status."""
    speak_utf8()
    warnings.showwarning = _warn
    keep_quiet()
    status = status_of(sys.argv[1:] if arguments is None else list(arguments))
    try:
        sys.stdout.flush()
    except OSError:
        status = _pipe_closed()
    sys.exit(int(status))


def status_of(arguments: list[str]) -> int:
    """Run the command line; the exit status."""
    invocation = Invocation()
    try:
        with program.make_context("perdure", arguments, obj=invocation) as context:
            return int(program.invoke(context) or Exit.DONE)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        if "--json" in arguments:
            _print_error("InvalidInput", error.format_message())
        else:
            error.show()
        return Exit.INVALID
    except (KeyboardInterrupt, click.Abort):
        note("Interrupted. What was acknowledged is stored.")
        return Exit.INTERRUPTED
    except PerdureError as error:
        _report(error, invocation)
        return exit_of(error)
    except BrokenPipeError:
        return _pipe_closed()
    except Exception:
        traceback.print_exc()
        return Exit.DEFECT


def _report(error: PerdureError, invocation: Invocation) -> None:
    message = in_shell_words(str(error), invocation.flags)
    if invocation.json:
        _print_error(type(error).__name__, message)
        return
    note(f"Error: {message}")
    if isinstance(error, EmbedderMismatch):
        note("Here: --embedder names the model; `perdure reembed` moves the store to another one.")


def _print_error(name: str, message: str) -> None:
    note(json.dumps({"error": name, "message": message}, ensure_ascii=False))


def _pipe_closed() -> int:
    # What is still buffered would fail again when the interpreter flushes it at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.PIPE_CLOSED


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    note(f"Warning: {message}")
