"""The command that removes memories for good."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from perdure.cli.command import Command
from perdure.cli.commands.writing import ACTOR, KEPT_OUT_OF_SIGHT, readable, whose
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.cli.tables import console, memory_table
from perdure.cli.terminal import note, people_answer, printable
from perdure.domain.certificates import Certificate
from perdure.domain.erasure import EVERYTHING
from perdure.errors import InvalidInput
from perdure.sync import MemoryManager


@click.command(
    "erase",
    cls=Command,
    short_help="Remove memories for good, with a certificate.",
    epilog='JSON: the certificate, as --certificate writes it: {"perdure", "format", "id", "at", '
    '"actor", "reason", "scope", "ids", "counts", "sequence", "digest", "remaining", "proof"}',
)
@click.argument("ids", nargs=-1)
@click.option("--all", "all_", is_flag=True, help="Everything of the user, agent or session.")
@click.option("--reason", metavar="TEXT", help="Why, for the certificate and the history.")
@click.option(
    "--certificate",
    "path",
    metavar="PATH",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the certificate to this new file.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def erase(
    invocation: Invocation,
    ids: tuple[str, ...],
    all_: bool,
    reason: str | None,
    path: Path | None,
    yes: bool,
) -> int:
    """Remove the memories with these IDS, and what was drawn from them alone, for good.

    With --all instead of IDS, everything in the scope of --user, --agent and --session. Words,
    vectors, histories and archived copies go, and no import brings them back; `perdure forget`
    is the way that can be undone. `perdure verify --certificate PATH` checks a certificate.

    On a terminal it asks first. Elsewhere it needs --yes. The exit status is 1 when something
    could not be freed yet, which `perdure verify` makes up for.
    """
    if bool(ids) == all_:
        raise click.UsageError("name the IDS to erase, or pass --all")
    if path is not None and path.exists():
        raise InvalidInput(f"{path} exists; name a new file for the certificate")
    with invocation.opened(embeds=False) as memory:
        if not yes and not _may_erase(memory, ids):
            note("Nothing was erased.")
            return Exit.NEGATIVE
        certificate = memory.erase(ids or EVERYTHING, reason=reason, actor=ACTOR)
    if path is not None:
        path.write_text(certificate.to_json() + "\n", encoding="utf-8")
    if invocation.json:
        sys.stdout.write(certificate.to_json() + "\n")
    else:
        _print_certificate(certificate)
    return Exit.DONE if certificate.complete else Exit.NEGATIVE


def _may_erase(memory: MemoryManager, ids: tuple[str, ...]) -> bool:
    if not people_answer():
        raise InvalidInput("nobody can be asked here; erasing needs --yes")
    if ids:
        console(sys.stderr).print(memory_table(readable(memory, ids)))
        return click.confirm("Erase this for good?", err=True)
    count = memory.count(include=KEPT_OUT_OF_SIGHT)
    asked = (
        f"Erase {count} memories of {printable(whose(memory))}, and what was forgotten, for good?"
    )
    return click.confirm(asked, err=True)


def _print_certificate(certificate: Certificate) -> None:
    what = ", ".join(f"{count:,} {place}" for place, count in certificate.counts.items())
    print(f"Erased: {what or 'nothing'}.")
    print(f"Certificate {certificate.id}, journal entry {certificate.sequence}.")
    if certificate.remaining:
        print(f"Not free of it yet: {', '.join(certificate.remaining)}. Run perdure verify.")
