"""The command that takes conversation in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click

from perdure.cli.command import Command
from perdure.cli.invocation import Invocation
from perdure.cli.terminal import printable, text_of_stdin
from perdure.domain.results import Decision, Observed
from perdure.errors import InvalidInput
from perdure.files import read_lines

ACTOR = "cli"


def _messages(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            message = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"line {number} is not JSON: {error}") from error
        if not isinstance(message, dict):
            raise InvalidInput(f"line {number} is not a JSON object with role and content")
        yield message


def _tell(decision: Decision) -> str:
    words = printable(" ".join(decision.evidence.split()))
    lines = [f"{decision.message + 1:>4}  {decision.operation:<11} {words}"]
    lines.append(f"{'':18}{decision.reason}")
    lines += [
        f"{'':18}fact: {printable(memory.content)}"
        for memory in decision.memories
        if memory.predicate is not None
    ]
    if decision.superseded:
        lines.append(f"{'':18}no longer holds: {', '.join(decision.superseded)}")
    return "\n".join(lines)


@click.command(
    "observe",
    cls=Command,
    short_help="Take conversation in, and see what was decided.",
    epilog=(
        'JSON: {"decisions": [{"operation", "reason", "evidence", "memories", "superseded", '
        '"message", "leaned_on", "deferred"}], "memories"}'
    ),
)
@click.argument("path", default="-")
@click.option("--dry-run", is_flag=True, help="Only show what would be decided.")
@click.pass_obj
def observe(invocation: Invocation, /, path: str, dry_run: bool) -> None:
    """Take in the messages in PATH, or on stdin: JSON Lines.

    Each line is an object with "role" and "content", and may have "time", "name" and "id". The
    words are kept, facts are drawn from what people say, and changes take effect. A message that
    comes again changes nothing.

    \\b
        perdure observe --user ilka conversation.jsonl
    """
    lines = text_of_stdin().splitlines() if path == "-" else read_lines(path)
    messages = list(_messages(lines))
    with invocation.opened(embeds=True, makes=not dry_run) as memory:
        observed: Observed = (
            memory.decide(messages) if dry_run else memory.observe(messages, actor=ACTOR)
        )
    if invocation.json:
        invocation.show(observed)
        return
    for decision in observed.decisions:
        print(_tell(decision))
