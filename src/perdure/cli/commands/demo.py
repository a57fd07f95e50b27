"""The command that shows what the others do."""

from __future__ import annotations

import click

from perdure.cli.command import Command
from perdure.cli.invocation import Invocation


@click.command("demo", cls=Command, short_help="See it at work on a shipped conversation.")
@click.option("--keep", metavar="PATH", help="Keep the store in this file, to look around in it.")
@click.pass_obj
def demo(invocation: Invocation, keep: str | None) -> None:
    """Store a conversation in English and Chinese, and ask it questions. Takes some seconds."""
    raise NotImplementedError
