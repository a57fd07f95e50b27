"""The same message with other names and values in it: what surrounds a fact is what tells it."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from frames import Frames, load

Item = dict[str, Any]

_WORDS_OF = {
    "lives_in": "city",
    "raised_in": "city",
    "born_in": "city",
    "works_at": "firm",
    "job_title": "job",
    "studies_at": "school",
    "field_of_study": "subject",
    "speaks": "language",
    "learning": "language",
    "native_language": "language",
    "allergic_to": "allergen",
    "health_condition": "condition",
    "takes_medication": "medicine",
    "has_pet": "pet",
    "pet_name": "petname",
    "breed": "breed",
    "uses": "tool",
    "owns": "owned",
    "member_of": "club",
    "nationality": "nationality",
    "religion": "religion",
    "visited": "country",
    "email": "email",
    "phone": "phone",
    "name": "name",
    "nickname": "petname",
    **dict.fromkeys(
        "spouse partner manager child parent sibling relative friend colleague housemate "
        "neighbour".split(),
        "name",
    ),
}
_ARTICLE = re.compile(r"^(?:an?|the|my|our) ", re.I)


class Swapper:
    """Swaps values in the messages of one language."""

    def __init__(self, language: str, chance: Random) -> None:
        self._frames: Frames = load(language)
        self._chance = chance
        self._is_chinese = language == "zh"

    def swapped(self, item: Item) -> Item | None:
        """The message with at least one other value, or None where nothing can be swapped.

        A value is swapped only where its words stand in the text once, and only whole.
        """
        if item.get("context"):
            return None  # whether a value is new depends on what was said before
        text = item["text"]
        changes: dict[str, str] = {}
        for fact in item["facts"]:
            words = self._frames.words.get(_WORDS_OF.get(fact["predicate"], ""))
            old = fact["object"]
            if words is None or old in changes or text.count(old) != 1 or self._is_odd(fact):
                continue
            changes[old] = self._like(old, self._chance.choice(words))
        for subject in {fact["subject"] for fact in item["facts"]}:
            if not subject.startswith("user") and subject[:1].isupper() and subject in text:
                changes.setdefault(subject, self._chance.choice(self._frames.words["name"]))
        if not changes or _nested([*changes, *(f["object"] for f in item["facts"])]):
            return None
        for old, new in changes.items():
            text = text.replace(old, new)
        facts = [
            {
                **fact,
                "object": changes.get(fact["object"], fact["object"]),
                "subject": changes.get(fact["subject"], fact["subject"]),
            }
            for fact in item["facts"]
        ]
        if any(fact["object"] not in text for fact in facts):
            return None
        return {"text": text, "facts": facts, "intent": item["intent"]}

    def _is_odd(self, fact: Item) -> bool:
        """A description rather than a name or a plain word is left alone."""
        return len(fact["object"]) > (8 if self._is_chinese else 30)

    def _like(self, old: str, new: str) -> str:
        article = _ARTICLE.match(old)
        bare = _ARTICLE.sub("", new)
        return article.group() + bare if article else bare


def _nested(parts: list[str]) -> bool:
    distinct = set(parts)
    return any(one != other and one in other for one in distinct for other in distinct)
