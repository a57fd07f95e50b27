"""Words for what somebody is to the speaker: "sister", "boss", and in Chinese likewise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from perdure.understanding.languages.known import LANGUAGES

ROLES = (
    "sibling parent spouse partner child manager friend colleague housemate neighbour relative "
    "office pet teacher doctor team".split()
)
"""In the order in which the network is shown them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleWord:
    """A word for a role, at its place in a form."""

    role: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for every word for a role, in any language, and each one's role."""
    words = {word: role for language in LANGUAGES for word, role in language.roles.items()}
    longest_first = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in longest_first if word.isascii())
    other = "|".join(re.escape(word) for word in longest_first if not word.isascii())
    return re.compile(rf"(?<![a-z])(?:{latin})(?=s?(?![a-z]))|(?:{other})"), words


@lru_cache(maxsize=1 << 9)
def roles_in(form: str) -> tuple[RoleWord, ...]:
    """Every word for a role, in order of place."""
    pattern, words = _words()
    return tuple(
        RoleWord(role=words[match.group()], start=match.start(), end=match.end())
        for match in pattern.finditer(form)
    )
