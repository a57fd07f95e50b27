"""The command that puts in order what was stored."""

from __future__ import annotations

import click

from perdure.cli.command import Command
from perdure.cli.invocation import Invocation
from perdure.cli.plans import show_plan
from perdure.cli.progress import working

ACTOR = "cli"


@click.command(
    "consolidate",
    cls=Command,
    short_help="Draw facts, summaries and causes from what is new.",
    epilog='JSON: {"actions": [{"memory_id", "action", "reason", "bytes_saved", "scope": {…}}], '
    '"applied", "notes": [text]}',
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done, and why.")
@click.option("--everything", is_flag=True, help="For every user of the tenant.")
@click.option("--limit", type=int, help="Look at so many memories at most.  [default: 10000]")
@click.pass_obj
def consolidate(invocation: Invocation, dry_run: bool, everything: bool, limit: int | None) -> None:
    """Put in order what was stored since the last time.

    Facts are drawn from words that nobody has read yet, related memories are told in one summary
    with its sources, what recurs is strengthened, and causes are linked. Nothing is taken out of
    sight. It can be interrupted and run again, also by several at once.
    """
    with invocation.opened(embeds=True) as memory, working("Consolidating"):
        plan = memory.consolidate(dry_run=dry_run, everything=everything, limit=limit, actor=ACTOR)
    show_plan(invocation, plan)
