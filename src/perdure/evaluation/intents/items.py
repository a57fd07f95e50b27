"""Labelled messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from perdure.evaluation.lines import Fields, read_items

LABELS = ("create", "update", "delete", "consolidate", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentItem:
    """A message after what was said before it. `accepted` are the right labels, the best first."""

    id: str
    language: str
    context: tuple[Message, ...]
    message: str
    accepted: tuple[str, ...]
    note: str | None = None

    @property
    def label(self) -> str:
        """The best label."""
        return self.accepted[0]


def read_intents(lines: Iterable[str]) -> list[IntentItem]:
    """The items of a file. Raises `InvalidInput`, which names the line."""
    return read_items(lines, _item)


def _item(fields: Fields) -> IntentItem:
    label = fields.text("label", of=LABELS)
    others = fields.texts("accept", of=LABELS, may_lack=True)
    return IntentItem(
        id=fields.text("id"),
        language=fields.text("lang"),
        context=tuple(
            Message(
                role=part.text("role", of=("user", "assistant", "system")),
                content=part.text("content"),
            )
            for part in fields.parts("context")
        ),
        message=fields.text("message"),
        accepted=tuple(dict.fromkeys((label, *others))),
        note=fields.optional_text("note"),
    )
