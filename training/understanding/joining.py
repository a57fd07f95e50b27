"""Two messages said in one breath: people state several things in a turn, and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

Item = dict[str, Any]

BETWEEN = {
    "en": (" ", " ", "\n", ", and ", " and ", "; ", " - "),
    "zh": ("", "", "，", "，", "，然后", "；", " "),
}
"""What may stand between the two; a full stop stays before a space."""

_KEEPS_ITS_CASE = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
_ENDS = ".!。！"


class Joiner:
    """Draws a message to say beside another one."""

    def __init__(self, language: str, items: Sequence[Item], generator: Random) -> None:
        self._language = language
        self._others = [
            item
            for item in items
            if item["intent"] in ("create", "none") and not item.get("context") and _ends(item)
        ]
        self._generator = generator

    def joined(self, item: Item) -> Item | None:
        """The message with another one before or behind it; None where it stands alone."""
        if item["intent"] not in ("create", "none", "update") or not _ends(item):
            return None
        other = self._generator.choice(self._others)
        if other["text"] == item["text"] or len(item["text"]) + len(other["text"]) > 160:
            return None
        first, second = (item, other)
        if not item.get("context") and self._generator.random() < 0.5:
            first, second = other, item
        between = self._generator.choice(BETWEEN[self._language])
        if not between and first["text"].rstrip()[-1:] not in _ENDS:
            between = "，"
        text = _before(first["text"], between) + between + _behind(second, between)
        facts = [*first["facts"], *second["facts"]]
        if any(fact["object"] not in text or text.count(fact["object"]) > 1 for fact in facts):
            return None
        intents = {item["intent"], other["intent"]}
        intent = next(each for each in ("update", "create", "none") if each in intents)
        made = {"text": text, "intent": intent, "facts": facts}
        return made | ({"context": item["context"]} if item.get("context") else {})


def _ends(item: Item) -> bool:
    """Whether something can follow: no question, no quotation left open."""
    return item["text"].rstrip()[-1:] not in '?？"”:：'


def _before(text: str, between: str) -> str:
    text = text.rstrip()
    return text.rstrip(_ENDS) if between.strip() else text


def _behind(item: Item, between: str) -> str:
    text: str = item["text"]
    word = text.split(" ", 1)[0]
    is_name = any(
        fact["object"].startswith(word) or fact["subject"].startswith(word)
        for fact in item["facts"]
    )
    if not between.strip(" -\n") or is_name or word in _KEEPS_ITS_CASE or not word.istitle():
        return text
    return text[0].lower() + text[1:]
