"""Commands that ask and look."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from perdure.cli.asking import looking_back
from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.cli.plain import plain
from perdure.cli.tables import (
    console,
    detail_table,
    explanation_table,
    history_table,
    hit_table,
    memory_table,
    moment,
)
from perdure.cli.terminal import note, printable, text_of_stdin
from perdure.domain.changes import Operation
from perdure.domain.erasure import is_erased
from perdure.domain.query import Order
from perdure.domain.records import Memory, State
from perdure.domain.results import Hit, Page, PastChange, Recall
from perdure.errors import NotFound
from perdure.sync import MemoryManager

ORDERS = [f"{sign}{order.value}" for order in Order for sign in ("", "-")]
WALK = 500
"""Memories per page while walking all of them."""


def _question(query: str) -> str:
    return text_of_stdin() if query == "-" else query


@click.command(
    "recall",
    cls=Command,
    short_help="The memories that answer a question.",
    epilog='JSON: {"hits": [{"memory", "score", "status", "explanation"}], "abstained", '
    '"query_time", "query", "considered", "notes", "likelihood"}',
)
@click.argument("query")
@click.option("--limit", type=int, help="At most so many. Default 10.")
@click.option("--min-score", type=float, help="Leave out hits below this, 0 to 1.")
@click.option("--explain", is_flag=True, help="Show where each score comes from.")
@looking_back
@click.pass_obj
def recall(
    invocation: Invocation,
    query: str,
    limit: int | None,
    min_score: float | None,
    explain: bool,
    which: dict[str, Any],
) -> int:
    """The memories that answer QUERY, best first; "-" reads it from stdin.

    When nothing is relevant it says so, with exit status 1, rather than show something.
    """
    with invocation.opened(embeds=True) as memory:
        found = memory.recall(_question(query), limit=limit, min_score=min_score, **which)
    for remark in found.notes:
        note(f"Note: {remark}.")
    if invocation.json:
        invocation.show(found)
    elif found.abstained:
        note("Nothing relevant is remembered.")
    else:
        _print_hits(found, explain=explain)
    return Exit.NEGATIVE if found.abstained else Exit.DONE


def _print_hits(found: Recall, *, explain: bool) -> None:
    screen = console()
    if not explain:
        screen.print(hit_table(found))
        return
    for hit in found:
        screen.print(hit_table([hit]))
        screen.print(explanation_table(hit))
        screen.print(_origin(hit), style="dim")


def _origin(hit: Hit) -> str:
    arms = ", ".join(f"{name} {value:.3f}" for name, value in hit.explanation.arms.items())
    return f"similarity from: {arms or 'nothing'}; configuration {hit.explanation.config_hash}\n"


@click.command(
    "context",
    cls=Command,
    short_help="Memories as a block of text for a prompt.",
    epilog='JSON: {"text", "tokens", "citations": [{"label", "memory_id", "score"}]}',
)
@click.argument("query")
@click.option("--max-tokens", type=int, help="The block's length at most. Default 1000.")
@click.option("--limit", type=int, help="At most so many memories.")
@click.option("--min-score", type=float, help="Leave out hits below this, 0 to 1.")
@looking_back
@click.pass_obj
def context(
    invocation: Invocation,
    query: str,
    max_tokens: int | None,
    limit: int | None,
    min_score: float | None,
    which: dict[str, Any],
) -> int:
    """What is remembered about QUERY as text for a prompt, with citations.

    The block says that it is data and not to be obeyed. Nothing relevant: no text, exit status 1.
    """
    with invocation.opened(embeds=True) as memory:
        text = memory.recall_context(
            _question(query), max_tokens=max_tokens, limit=limit, min_score=min_score, **which
        )
    if invocation.json:
        invocation.show(text)
    elif text:
        print(printable(text) if sys.stdout.isatty() else text)
    return Exit.DONE if text else Exit.NEGATIVE


@click.command(
    "list",
    cls=Command,
    short_help="Memories in their order, page by page.",
    epilog='JSON: {"items": [memory], "next_cursor"}',
)
@click.option("--limit", type=int, default=20, show_default=True, help="Memories on this page.")
@click.option("--cursor", help="Go on where a page ended.")
@click.option("--all", "all_", is_flag=True, help="Every page, one after the other.")
@click.option("--order", type=click.Choice(ORDERS), default="-recorded_at", show_default=True)
@looking_back
@click.pass_obj
def list_(
    invocation: Invocation,
    limit: int,
    cursor: str | None,
    all_: bool,
    order: str,
    which: dict[str, Any],
) -> None:
    """Memories in their order, newest first."""
    with invocation.opened(embeds=False) as memory:
        if all_:
            _print_all(invocation, _walk(memory, order, cursor, which))
            return
        page = memory.list(limit=limit, cursor=cursor, order=order, **which)
    if invocation.json:
        invocation.show(page)
        return
    _print_page(page)


def _print_page(page: Page) -> None:
    if not page.items:
        note("Nothing is remembered there.")
        return
    console().print(memory_table(page))
    if page.next_cursor is not None:
        note(f"There is more: --cursor {page.next_cursor}, or --all.")


def _walk(
    memory: MemoryManager, order: str, cursor: str | None, which: dict[str, Any]
) -> Iterator[Page]:
    while True:
        page = memory.list(limit=WALK, cursor=cursor, order=order, **which)
        yield page
        cursor = page.next_cursor
        if cursor is None:
            return


def _print_all(invocation: Invocation, pages: Iterator[Page]) -> None:
    """One JSON document, a memory per line, written while the store is read."""
    if not invocation.json:
        screen = console()
        for page in pages:
            screen.print(memory_table(page))
        return
    separator = '{"items": ['
    for page in pages:
        for item in page:
            sys.stdout.write(separator + "\n" + json.dumps(plain(item), ensure_ascii=False))
            separator = ","
    opening = separator if separator.startswith("{") else ""
    sys.stdout.write(opening + '\n], "next_cursor": null}\n')


@click.command(
    "show",
    cls=Command,
    short_help="One memory with its history.",
    epilog='JSON: {"memory" (null when forgotten), "history": '
    '[{"at", "actor", "operation", "memory", "reason"}]}',
)
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def show(invocation: Invocation, memory_id: str) -> None:
    """One memory with its history, also of those it took the place of, and when forgotten."""
    with invocation.opened(embeds=False) as memory:
        history = memory.history(memory_id)
        try:
            found: Memory | None = memory.get(memory_id, include="expired")
        except NotFound:
            found = None
    if invocation.json:
        invocation.show({"memory": found, "history": history})
        return
    screen = console()
    if found is not None:
        screen.print(detail_table(found))
    else:
        _tell_why_gone(memory_id, [step for step in history if step.memory.id == memory_id])
    screen.print(history_table(history))


def _tell_why_gone(memory_id: str, own: Sequence[PastChange]) -> None:
    """Why a memory that has a history cannot be read."""
    last = own[-1] if own else None
    if last is None or last.operation is not Operation.ERASED:
        if last is not None and is_erased(last.memory):
            note("It came by an import as forgotten, without its words; nothing brings it back.")
        elif last is not None and last.memory.state is State.FORGOTTEN:
            note(f"It is forgotten. `perdure restore {memory_id}` brings it back.")
        return
    by = f" by {printable(last.actor)}" if last.actor else ""
    why = f" ({printable(last.reason)})" if last.reason else ""
    note(
        f"It was erased on {moment(last.at)} UTC{by}{why}; nothing brings it back. The "
        "certificate of that time names it, and `perdure verify --certificate PATH` checks it."
    )
