"""One agent's days: what it stores, asks, uses and brings back. Everything follows from the seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from benchmarks.data import Dataset, Item

BATCH = 20
"""Memories that are stored by one call."""
HOUR = timedelta(hours=1)
SLOTS = 500
FAVOURITES = 50
"""Topics of a life are 400; these are asked about again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How a life differs from another: the share of what is stored that is lasting knowledge."""

    name: str
    title: str
    knowledge: float


LIVES = (
    Habits(name="ordinary", title="one in ten is lasting knowledge", knowledge=0.10),
    Habits(name="knowing", title="four in five are lasting knowledge", knowledge=0.80),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, about which memory (by its number), and how many answers are wanted."""

    text: str
    about: int
    limit: int


class Life:
    """The memories and questions of a year, `per_day` of the former and `asks` of the latter."""

    def __init__(self, habits: Habits, *, days: int, per_day: int, asks: int) -> None:
        self._habits = habits
        self._per_day = per_day
        self._asks = asks
        self._data = Dataset(days * per_day, 1)
        self._dice = Random(f"20310101 {habits.name}")
        self._topics: dict[int, list[int]] = {}

    def topic_of(self, number: int) -> int:
        """What a memory is about."""
        topic: int = self._item(number).metadata["topic"]
        return topic

    def batches(self, day: int) -> Iterator[list[dict[str, Any]]]:
        """What is stored on a day (from 0), as arguments of `remember_many`."""
        first = day * self._per_day
        for start in range(first, first + self._per_day, BATCH):
            yield [self._memory(n) for n in range(start, min(start + BATCH, first + self._per_day))]

    def _item(self, number: int) -> Item:
        return self._data.item(number)

    def _memory(self, number: int) -> dict[str, Any]:
        """One in ten is long enough to be compressed, one in twenty important, one in a hundred
        pinned, one in twenty the new value of one of 500 slots."""
        dice, item = self._dice, self._item(number)
        self._topics.setdefault(self.topic_of(number), []).append(number)
        content = item.text
        if dice.random() < 0.1:
            content = " ".join(self._item(n).text for n in range(number, number + 5))
        given: dict[str, Any] = {
            "content": content,
            "kind": dice.choice(("episodic", "episodic", "episodic", "long_term")),
            "importance": 0.9 if dice.random() < 0.05 else round(dice.uniform(0.1, 0.79), 2),
            "pinned": dice.random() < 0.01,
            "metadata": {"number": number},
            "understand": False,
        }
        if dice.random() < self._habits.knowledge:
            given["kind"] = "semantic"
        elif dice.random() < 0.05:
            given["key"] = f"slot-{dice.randrange(SLOTS)}"
        return given

    def questions(self, day: int) -> Iterator[Question]:
        """What is asked on a day: mostly about the last weeks, now and then about a favourite topic
        or about anything at all. Half of the questions want one answer, half want three."""
        dice, stored = self._dice, (day + 1) * self._per_day
        for _ in range(self._asks):
            draw = dice.random()
            if draw < 0.6:
                about = max(0, stored - 1 - int(dice.expovariate(1 / 15) * self._per_day))
            elif draw < 0.9:
                topic = int(FAVOURITES * dice.random() ** 2)
                about = dice.choice(self._topics.get(topic) or [stored - 1])
            else:
                about = dice.randrange(stored)
            yield Question(text=self._words_of(about), about=about, limit=dice.choice((1, 3)))

    def _words_of(self, number: int) -> str:
        """Up to five words of the memory, or eight characters in Chinese."""
        text, dice = self._item(number).text, self._dice
        if text.endswith("。"):
            start = dice.randrange(max(1, len(text) - 9))
            return text[start : start + 8].strip("。")
        words = sorted(set(text.rstrip(".").lower().split()), key=lambda word: (-len(word), word))
        return " ".join(words[:5])
