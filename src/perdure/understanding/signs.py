"""Which closed-class words a sentence holds, looked up once each."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cached_property, lru_cache

from perdure.understanding.languages.known import LANGUAGES
from perdure.understanding.languages.language import Cues, Pattern

_BY_RULE = frozenset(
    "asks_only code not_to_lose loss_reported this_day goes_on begins as_well retold to_keep "
    "plain_loss".split()
)
CUE_NAMES = tuple(field.name for field in fields(Cues) if field.name not in _BY_RULE)
"""The cues that the network is shown; the others are for rules alone."""

_WHOLE = frozenset({"courtesy"})
_BEGINNING = frozenset({"yes", "no"})


LONGEST = 1000
"""Characters that are searched of one text: patterns that look far ahead would take too long."""


class Signs:
    """The cues of one sentence, in every language whose script it uses."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._cues = [language.cues for language in LANGUAGES if language.script.search(form)]
        self._found: dict[str, re.Match[str] | None] = {}

    def of(self, cue: str) -> re.Match[str] | None:
        """The first match of a cue, in any of the languages."""
        if cue not in self._found:
            self._found[cue] = self._look_for(cue)
        return self._found[cue]

    def has(self, *cues: str) -> bool:
        """Whether any of the cues is there."""
        return any(self.of(cue) is not None for cue in cues)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """For each of `CUE_NAMES` 1.0 where the sentence holds it, else 0.0."""
        return tuple(1.0 if self.of(cue) else 0.0 for cue in CUE_NAMES)

    def beside(self, cue: str) -> Signs:
        """The cues of the rest, without what this cue found."""
        rest = self._form
        for cues in self._cues:
            pattern: Pattern = getattr(cues, cue)
            rest = pattern.compiled.sub(" ", rest)
        return signs_of(rest)

    def _look_for(self, cue: str) -> re.Match[str] | None:
        for cues in self._cues:
            pattern: Pattern = getattr(cues, cue)
            if cue in _WHOLE:
                found = pattern.fullmatch(self._form)
            elif cue in _BEGINNING:
                found = pattern.match(self._form)
            else:
                found = pattern.search(self._form)
            if found:
                return found
        return None


def signs_of(form: str) -> Signs:
    """The cues of a sentence, found once however often they are asked for."""
    return _signs_of(form[:LONGEST])


def cues_in(form: str) -> tuple[float, ...]:
    """For each of `CUE_NAMES` 1.0 where the sentence holds it, else 0.0."""
    return signs_of(form).numbers


@lru_cache(maxsize=1 << 10)
def _signs_of(form: str) -> Signs:
    return Signs(form)


NO_CUES = (0.0,) * len(CUE_NAMES)
