"""Signs of life during long work: on stderr, and only where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from perdure.cli.tables import console
from perdure.cli.terminal import people_watch
from perdure.importers import Progress


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner beside what is being done."""
    if not people_watch():
        yield
        return
    with console(sys.stderr).status(f"{what} …"):
        yield


@contextmanager
def importing() -> Iterator[Callable[[Progress], None] | None]:
    """A bar that follows the bytes read; what it yields takes each step."""
    if not people_watch():
        yield None
        return
    with bar("Importing") as advance:
        yield lambda step: advance(step.read_bytes, step.total_bytes, f"{step.turns:,} messages")


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar; what it yields takes how much is done, of how much, and a remark."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    with Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[remark]}"),
        TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
    ) as bars:
        task = bars.add_task(what, total=None, remark="")
        yield lambda done, total, remark: bars.update(
            task, completed=done, total=total, remark=remark
        )
