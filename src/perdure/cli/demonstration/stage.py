"""How the demonstration speaks, and how it keeps itself honest."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill, indent
from time import perf_counter
from typing import Any

from perdure.cli.tables import console
from perdure.cli.terminal import printable
from perdure.domain.results import Hit, Recall
from perdure.domain.text import truncate
from perdure.sync import MemoryManager

SHOWN_CHARS = 150


class Stage:
    """Prints what happens. Each claim is checked against what really came back."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self._scene = 0

    def scene(self, title: str, *words: str) -> None:
        """Begin a part."""
        self._scene += 1
        print(f"\n{self._scene}. {title}")
        for paragraph in words:
            print(fill(paragraph, width=88, initial_indent="   ", subsequent_indent="   "))

    def say(self, text: str) -> None:
        """One line."""
        print(f"   {text}")

    def ask(self, memory: MemoryManager, question: str, **how: Any) -> Recall:
        """Ask, and show the best answers with what it took."""
        limit = how.pop("limit", 1)
        start = perf_counter()
        found = memory.recall(question, limit=limit, **how)
        took = (perf_counter() - start) * 1000
        print(f"\n   ? {question}{_manner(how)}")
        for hit in found:
            self.show(hit)
        if found.abstained:
            print(f"     nothing relevant, out of {found.considered} memories")
        print(f"     ({took:.0f} ms)")
        return found

    def show(self, hit: Hit) -> None:
        """One answer."""
        memory = hit.memory
        when = memory.occurred_at.strftime("%Y-%m-%d")
        former = "" if hit.status == "current" else f" [{hit.status}]"
        words = printable(truncate(memory.content, SHOWN_CHARS))
        print(f"     {hit.score:.2f}  {when}{former}  {words}")

    def claim(self, statement: str, holds: bool) -> None:
        """Say whether something that was promised came true."""
        print(f"     {'✓' if holds else '✗'} {statement}")
        if not holds:
            self.failed.append(statement)

    def table(self, made: Any) -> None:
        """A table."""
        console().print(made)

    def block(self, text: str) -> None:
        """Text that goes to a model."""
        print(indent(printable(text), "   | "))


def says(found: Iterable[Hit], words: str) -> bool:
    """Whether the best answer has these words."""
    first = next(iter(found), None)
    return first is not None and words in first.memory.content


def _manner(how: dict[str, Any]) -> str:
    told = []
    if "as_of" in how:
        told.append(f"as of {how['as_of']}")
    if "kinds" in how:
        told.append("among the notes")
    if "include" in how:
        told.append("former ones too")
    return f"   ({', '.join(told)})" if told else ""
