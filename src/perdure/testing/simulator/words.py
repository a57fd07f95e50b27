"""What the simulated agents say: every text carries a token that tells whose it is and which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

_TOKEN = re.compile(r"(?<![0-9a-z])w(\d)n(\d{5})(?![0-9a-z])", re.IGNORECASE)

_NOTES = (
    "Note {token}: the spare key lies under the pot of rosemary.",
    "{token} is the shelf where the blue folder stands.",
    "The meeting about {token} is on Thursday at ten.",
    "备忘 {token}：药在左边的抽屉里。",
    "{token} 的发票还没有付。",
    "The bicycle {token} needs a new chain before the spring.",
)
_LONG = (
    "The report {token} was read in the meeting on Monday. Anna asked for the figures of the "
    "third quarter, which had been late. The supplier in Turku had changed its prices in May. "
    "Nobody knew whether the contract covers that. Bo will ask the lawyer before the end of the "
    "week. The coffee was cold again. The next meeting is planned for the 14th. Until then the "
    "orders stay as they are, and the storage in hall 4 is kept for us."
)
_SAID = (
    "I live in {city}.", "I moved to {city} last week.", "I like {drink}.", "I work at {token} Ltd.",
    "My sister {token} plays the cello.", "我住在{city}。", "I don't like {drink} any more.",
    "The name of my cat is {token}.", "Please remember that {token} is the code of the gate.",
)  # fmt: skip
_STORY = (
    "The boat Vela {token} lies in the harbour of Turku.", "Vela {token} got a new mast in spring.",
    "The mast of Vela {token} cost nine hundred euros.", "In June Vela {token} sails to Gotland.",
    "The engine of Vela {token} needs oil before June.",
)  # fmt: skip
"""What is related is put in order together."""
_CITIES = ("Oslo", "Bergen", "Turku", "Porto", "Lviv")
_DRINKS = ("tea", "coffee", "mate", "cocoa")
SLOTS = ("city", "desk", "diet")


class Words:
    """Texts by chance, none twice. `wall` is the number of the user whose they are."""

    def __init__(self) -> None:
        self._count = 0

    def token(self, wall: int) -> str:
        """A word that nobody used before, and that is part of no other."""
        self._count += 1
        return f"w{wall}n{self._count:05}"

    def note(self, chance: Random, wall: int) -> str:
        """A text to be remembered; one in four is long enough to be compressed."""
        text = _LONG if chance.random() < 0.25 else chance.choice(_NOTES)
        return text.format(token=self.token(wall))

    def story(self, chance: Random, wall: int) -> list[str]:
        """A few texts that have to do with one another."""
        told = chance.sample(_STORY, chance.randint(2, len(_STORY)))
        return [text.format(token=self.token(wall)) for text in told]

    def said(self, chance: Random, wall: int) -> str:
        """What a person says in a conversation."""
        return chance.choice(_SAID).format(
            token=self.token(wall), city=chance.choice(_CITIES), drink=chance.choice(_DRINKS)
        )


def tokens_in(text: str) -> set[str]:
    """The tokens a text carries, in lower case."""
    return {match.group().lower() for match in _TOKEN.finditer(text)}


def wall_of(token: str) -> int:
    """The number of the user whose token it is."""
    found = _TOKEN.fullmatch(token)
    assert found is not None, token
    return int(found.group(1))


def tokens_of(texts: Iterable[str]) -> set[str]:
    """The tokens of all these texts."""
    return set().union(*map(tokens_in, texts))
