"""Commands that change what is remembered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click

from perdure.cli.asking import narrowing
from perdure.cli.command import Command
from perdure.cli.exits import Exit
from perdure.cli.invocation import Invocation
from perdure.cli.tables import console, memory_table
from perdure.cli.terminal import note, people_answer, printable, text_of_stdin
from perdure.cli.values import json_object, life
from perdure.domain.records import Kind, Memory
from perdure.domain.results import Outcome, Remembered
from perdure.errors import InvalidInput, NotFound
from perdure.sync import MemoryManager

ACTOR = "cli"
KEPT_OUT_OF_SIGHT = ("superseded", "former", "archived", "expired")


def _words(text: str) -> str:
    return text_of_stdin() if text == "-" else text


def _tell(invocation: Invocation, result: Remembered) -> None:
    if invocation.json:
        invocation.show(result)
        return
    memory = result.memory
    match result.outcome:
        case Outcome.STORED:
            print(f"Stored as {memory.id}.")
        case Outcome.DEFERRED:
            print(f"Stored as {memory.id}. The embedder is out of reach; its words find it.")
        case Outcome.ALREADY_KNOWN:
            print(f"Known already, as {memory.id}. Nothing was stored.")
        case Outcome.SUPERSEDED:
            print(f"Stored as {memory.id}. It takes the place of:")
            for old in result.superseded:
                print(f"  {old}")


@click.command(
    "remember",
    cls=Command,
    short_help="Store one memory.",
    epilog='JSON: {"outcome", "memory", "superseded", "repeated"}',
)
@click.argument("text")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="Default long_term.")
@click.option("--importance", type=float, default=0.5, show_default=True, help="0 to 1.")
@click.option("--at", "occurred_at", metavar="TIME", help="When it happened. Default: now.")
@click.option("--key", metavar="SLOT", help="A slot: one value at a time; a newer one succeeds.")
@click.option("--valid-from", metavar="TIME", help="Since when it is true.")
@click.option("--valid-to", metavar="TIME", help="Until when it is true.")
@click.option(
    "--expires", "expires_at", type=life, metavar="WHEN", help="A time, or in 30m, 12h, 30d, 8w."
)
@click.option(
    "--metadata", type=json_object, metavar="JSON", help="A JSON object to filter by later."
)
@click.option("--pin", "pinned", is_flag=True, help="Never let it fade.")
@click.option("--hold", "held", is_flag=True, help="A legal hold: nothing may take it away.")
@click.option("--role", help="Who said it: user, assistant, …")
@click.option("--speaker", metavar="NAME", help="The name of who said it.")
@click.option(
    "--once", "idempotency_key", metavar="KEY", help="The same request twice stores once."
)
@click.pass_obj
def remember(
    invocation: Invocation, /, text: str, role: str | None, speaker: str | None, **what: Any
) -> None:
    """Store one memory, word for word; TEXT "-" reads it from stdin.

    \b
        perdure remember --user ilka "My favourite opening is the Caro-Kann."
        date | perdure remember --expires 1d -
    """
    source = {"role": role, "speaker": speaker} if role or speaker else None
    words = _words(text)
    with invocation.opened(embeds=True, makes=True) as memory:
        _tell(invocation, memory.remember(words, source=source, actor=ACTOR, **what))


@click.command(
    "correct",
    cls=Command,
    short_help="Let new words take the place of a memory.",
    epilog='JSON: {"outcome", "memory", "superseded", "repeated"}',
)
@click.argument("target")
@click.argument("text")
@click.option("--valid-from", metavar="TIME", help="Since when the new words are true.")
@click.option("--never-true", "retroactive", is_flag=True, help="The old words never were true.")
@click.option("--importance", type=float, help="0 to 1. Default: as before.")
@click.option("--metadata", type=json_object, metavar="JSON", help="Merged into what is there.")
@click.option("--reason", metavar="TEXT", help="Why, for the history.")
@click.pass_obj
def correct(invocation: Invocation, /, target: str, text: str, **what: Any) -> None:
    """Let TEXT take the place of TARGET: an id, or words that find it. "-" reads stdin.

    The old words stay readable, and still answer for the time before.
    """
    words = _words(text)
    with invocation.opened(embeds=True) as memory:
        _tell(invocation, memory.correct(target, words, actor=ACTOR, **what))


@click.command(
    "forget",
    cls=Command,
    short_help="Hide memories from every read.",
    epilog='JSON: {"ids"}',
)
@click.argument("ids", nargs=-1)
@click.option("--all", "all_", is_flag=True, help="Everything of the user, agent or session.")
@click.option("--everything", is_flag=True, help="With --all: of every user of the tenant.")
@click.option("--reason", metavar="TEXT", help="Why, for the history.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@narrowing
@click.pass_obj
def forget(
    invocation: Invocation,
    ids: tuple[str, ...],
    all_: bool,
    everything: bool,
    reason: str | None,
    yes: bool,
    which: dict[str, Any],
) -> int:
    """Hide the memories with these IDS, all of them or, when one is unknown, none.

    With --all instead of IDS, everything in the scope of --user, --agent and --session, narrowed
    by --kind, --filter, --since and --until. `perdure restore` brings a memory back.

    On a terminal it asks first. Elsewhere --all needs --yes.
    """
    _require_one_way(ids, all_=all_, everything=everything, which=which)
    with invocation.opened(embeds=False) as memory:
        if not yes and not (
            _may_forget_all(memory, everything, which) if all_ else _may_forget(memory, ids)
        ):
            note("Nothing was forgotten.")
            return Exit.NEGATIVE
        if all_:
            forgotten = memory.forget_all(
                everything=everything, reason=reason, actor=ACTOR, **which
            )
        else:
            forgotten = memory.forget(ids, reason=reason, actor=ACTOR)
    if invocation.json:
        invocation.show(forgotten)
    else:
        print(f"Forgotten: {forgotten.count}.")
    return Exit.DONE


def _require_one_way(
    ids: tuple[str, ...], *, all_: bool, everything: bool, which: dict[str, Any]
) -> None:
    if bool(ids) == all_:
        raise click.UsageError("name the IDS to forget, or pass --all")
    if not all_ and (everything or any(which.values())):
        raise click.UsageError("--everything, --kind, --filter, --since and --until need --all")


def _may_forget(memory: MemoryManager, ids: tuple[str, ...]) -> bool:
    if not people_answer():
        return True
    console(sys.stderr).print(memory_table(readable(memory, ids)))
    return click.confirm("Forget this?", err=True)


def readable(memory: MemoryManager, ids: tuple[str, ...]) -> Iterator[Memory]:
    """Those that can still be shown; what is wrong with the others, forgetting them will say."""
    for memory_id in dict.fromkeys(ids):
        with suppress(NotFound):
            yield memory.get(memory_id, include="expired")


def _may_forget_all(memory: MemoryManager, everything: bool, which: dict[str, Any]) -> bool:
    if not people_answer():
        raise InvalidInput("nobody can be asked here; forgetting everything needs --yes")
    count = memory.count(everything=everything, include=KEPT_OUT_OF_SIGHT, **which)
    owner = "all users" if everything else printable(whose(memory))
    return click.confirm(f"Forget {count} memories of {owner}?", err=True)


def whose(memory: MemoryManager) -> str:
    """The user, agent and session a manager is bound to, in words."""
    scope = memory.scope
    parts = [
        f"{name} {value}"
        for name, value in (
            ("user", scope.user),
            ("agent", scope.agent),
            ("session", scope.session),
        )
        if value
    ]
    return ", ".join(parts) or "no particular user"


@click.command(
    "restore",
    cls=Command,
    short_help="Bring a memory back.",
    epilog="JSON: the memory",
)
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def restore(invocation: Invocation, memory_id: str) -> None:
    """Bring back a memory that was forgotten, superseded or archived.

    Restoring a superseded memory withdraws what took its place.
    """
    with invocation.opened(embeds=True) as memory:
        restored = memory.restore(memory_id, actor=ACTOR)
    if invocation.json:
        invocation.show(restored)
    else:
        print(f"{restored.id} is back.")
