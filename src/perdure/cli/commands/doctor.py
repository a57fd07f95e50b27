"""The command that says what is wrong with an installation, and what to do."""

from __future__ import annotations

import click

from perdure.cli.command import Command
from perdure.cli.examination import FAILED, SYMBOLS, examine
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.cli.tables import console, table
from perdure.cli.terminal import printable


@click.command(
    "doctor",
    cls=Command,
    short_help="Check the installation and the store.",
    epilog='JSON: {"ok", "checks": [{"name", "status" (ok, warning, failed, skipped), "found", '
    '"remedy"}]}',
)
@click.pass_obj
def doctor(invocation: Invocation) -> int:
    """Check the interpreter, SQLite, the embedder and the store, and say what to do about it.

    It changes nothing and makes no file. The exit status is 1 when a check fails.
    """
    checks = examine(invocation.url, invocation.embedder, invocation.scope.tenant)
    ok = all(check.status != FAILED for check in checks)
    if invocation.json:
        invocation.show({"ok": ok, "checks": checks})
        return Exit.DONE if ok else Exit.NEGATIVE
    made = table("", "Check", "Found", flexible="Found")
    for check in checks:
        remedy = f"\n→ {check.remedy}" if check.remedy else ""
        made.add_row(SYMBOLS[check.status], check.name, printable(check.found + remedy))
    console().print(made)
    print("All is well." if ok else "Something needs attention; see the arrows.")
    return Exit.DONE if ok else Exit.NEGATIVE
