"""The command that shows what the others do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import click

from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.errors import InvalidInput


@click.command("demo", cls=Command, short_help="See it at work on a shipped conversation.")
@click.option("--keep", metavar="PATH", help="Keep the store in this file, to look around in it.")
@click.pass_obj
def demo(invocation: Invocation, keep: str | None) -> int:
    """Store a conversation in English and Chinese, and ask it questions. Takes some seconds.

    It uses a file of its own, which is removed in the end. Every claim it makes is checked
    against what came back; the exit status is 1 when one did not come true.
    """
    if invocation.json:
        raise InvalidInput("the demonstration is for people; leave out --json")
    from perdure.cli.demonstration.play import play

    start = perf_counter()
    with _place(keep) as path:
        failed = play(path, invocation.embedder)
        print(f"\nDone in {perf_counter() - start:.1f} s.")
        if keep is not None:
            print(f"The store is {path}. Look around in it:")
            print(f'  perdure --store {path} --user mei recall "the cello"')
    for claim in failed:
        print(f"This did not come true: {claim}.")
    return Exit.NEGATIVE if failed else Exit.DONE


@contextmanager
def _place(keep: str | None) -> Iterator[Path]:
    """Where the store lies: a place that is removed afterwards, or where it is to be kept."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="perdure-demo-") as folder:
            yield Path(folder) / "memory.db"
        return
    path = Path(keep)
    if path.exists():
        raise InvalidInput(f"{path} exists already; the demonstration wants a new file")
    yield path
