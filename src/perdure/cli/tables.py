"""Results for people, aligned also where characters are wide."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from perdure.cli.terminal import printable
from perdure.domain.records import Memory, State
from perdure.domain.results import Hit, PastChange
from perdure.domain.text import truncate

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

SHOWN_CHARS = 400
"""A longer memory is cut in lists; `perdure show` has all of it."""
CONTENTS_REMOVED = "(contents removed)"
_PIPED_WIDTH = 100


def console(file: TextIO | None = None) -> Console:
    """A console that takes no word of a memory for markup."""
    from rich.console import Console

    stream = file if file is not None else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    return Console(file=stream, markup=False, highlight=False, emoji=False, width=width)


def table(*columns: str, right: Sequence[str] = (), flexible: str | None = None) -> Table:
    """An empty table; `flexible` takes the room that is left."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=column != flexible,
            ratio=1 if column == flexible else None,
            overflow="fold",
        )
    return made


def moment(value: datetime | None) -> str:
    """A time to the minute, in UTC."""
    return "" if value is None else value.strftime("%Y-%m-%d %H:%M")


def _who(memory: Memory) -> str:
    return printable(memory.source.speaker or memory.source.role or "")


def _about(memory: Memory, status: str | None = None) -> str:
    """The line below the words: the id, and what is unusual."""
    facts = [memory.id]
    if memory.key is not None:
        facts.append(f"slot {memory.key}")
    if memory.state is not State.ACTIVE:
        facts.append(memory.state.value)
    if status not in (None, "current", memory.state.value):
        facts.append(str(status))
    if memory.pinned:
        facts.append("pinned")
    if memory.held:
        facts.append("held")
    if memory.expires_at is not None:
        facts.append(f"expires {moment(memory.expires_at)}")
    return printable(" · ".join(facts))


def _words(memory: Memory, status: str | None = None, *, whole: bool = False) -> Any:
    from rich.text import Text

    content = memory.content
    if not whole and len(content) > SHOWN_CHARS:
        content = truncate(content, SHOWN_CHARS) + "…"
    text = Text(printable(content))
    for attachment in memory.attachments:
        text.append(f"\n[{printable(attachment.caption or attachment.location)}]", style="italic")
    return text.append("\n" + _about(memory, status), style="dim")


def memory_table(memories: Iterable[Memory]) -> Table:
    """Memories one below the other."""
    made = table("When (UTC)", "Who", "Memory", flexible="Memory")
    for memory in memories:
        made.add_row(moment(memory.occurred_at), _who(memory), _words(memory))
    return made


def hit_table(hits: Iterable[Hit]) -> Table:
    """Hits, best first."""
    made = table("Score", "When (UTC)", "Who", "Memory", right=["Score"], flexible="Memory")
    for hit in hits:
        memory = hit.memory
        made.add_row(
            f"{hit.score:.3f}",
            moment(memory.occurred_at),
            _who(memory),
            _words(memory, hit.status),
        )
    return made


def explanation_table(hit: Hit) -> Table:
    """Where a score comes from, so that anybody can add it up."""
    made = table("Component", "Value", "Weight", "Product", right=["Value", "Weight", "Product"])
    for name, (value, weight) in hit.explanation.components.items():
        made.add_row(name, f"{value:.6f}", f"{weight:.2f}", f"{value * weight:.6f}")
    made.add_section()
    made.add_row("score", "", "", f"{hit.explanation.recomputed():.6f}")
    return made


def detail_table(memory: Memory) -> Table:
    """Everything about one memory."""
    from rich.text import Text

    made = table("", "", flexible="")
    made.show_header = False
    scope = memory.scope
    rows = {
        "memory": memory.content,
        "id": memory.id,
        "state": memory.state.value,
        "kind": memory.kind.value,
        "version": str(memory.version),
        "tenant": scope.tenant,
        "user": scope.user,
        "agent": scope.agent,
        "session": scope.session,
        "slot": memory.key or "",
        "said by": " ".join(filter(None, (memory.source.speaker, memory.source.role))),
        "happened": _span(memory.occurred_at, memory.occurred_until),
        "true": _span(memory.valid_from, memory.valid_to, open_end=True),
        "recorded": moment(memory.recorded_at),
        "withdrawn": moment(memory.retired_at),
        "expires": moment(memory.expires_at),
        "takes the place of": "\n".join(memory.supersedes),
        "superseded by": memory.superseded_by or "",
        "importance": f"{memory.importance:.2f}",
        "pinned": "yes" if memory.pinned else "",
        "held": "yes" if memory.held else "",
        "recalled": f"{memory.accessed_count} times" if memory.accessed_count else "",
        "metadata": "\n".join(f"{key}: {value}" for key, value in memory.metadata.items()),
        "attachments": "\n".join(item.caption or item.location for item in memory.attachments),
    }
    for name, value in rows.items():
        if value:
            made.add_row(Text(name, style="bold"), Text(printable(value)))
    return made


def _span(start: datetime, end: datetime | None, *, open_end: bool = False) -> str:
    if end is None:
        return f"{moment(start)} –" if open_end else moment(start)
    return f"{moment(start)} – {moment(end)}"


def history_table(history: Iterable[PastChange]) -> Table:
    """What happened to a memory, oldest first."""
    from rich.text import Text

    made = table("When (UTC)", "What", "By", "Then it said", flexible="Then it said")
    for change in history:
        said = CONTENTS_REMOVED if change.contents_removed else change.memory.content
        words = Text(printable(truncate(said, SHOWN_CHARS)))
        about = f"{change.memory.id} · version {change.memory.version}"
        reason = f" · {printable(change.reason)}" if change.reason else ""
        words.append(f"\n{about}{reason}", style="dim")
        made.add_row(moment(change.at), change.operation.value, printable(change.actor), words)
    return made


def pair_table(rows: Iterable[tuple[str, object]]) -> Table:
    """Names and values."""
    from rich.text import Text

    made = table("", "", flexible="")
    made.show_header = False
    for name, value in rows:
        made.add_row(Text(name, style="bold"), Text(printable(str(value))))
    return made
