"""Which closed-class words a sentence holds, looked up once each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache

from perdure.understanding.languages.known import LANGUAGES
from perdure.understanding.languages.language import Cues, Language, Pattern

_BY_RULE = frozenset({"asks_only", "code"})
CUE_NAMES = tuple(field.name for field in fields(Cues) if field.name not in _BY_RULE)
"""The cues that the network is shown; the others are for rules alone."""

_WHOLE = frozenset({"courtesy"})
_BEGINNING = frozenset({"yes", "no"})


LONGEST = 1000
"""Characters that are searched of one text: patterns that look far ahead would take too long."""


class Signs:
    """The cues of one sentence, in every language whose script it uses."""

    def __init__(self, form: str, languages: Sequence[Language]) -> None:
        form = form[:LONGEST]
        self.form = form
        self._cues = [language.cues for language in languages if language.script.search(form)]
        self._found: dict[str, re.Match[str] | None] = {}

    def of(self, cue: str) -> re.Match[str] | None:
        """The first match of a cue, in any of the languages."""
        if cue not in self._found:
            self._found[cue] = self._look_for(cue)
        return self._found[cue]

    def has(self, *cues: str) -> bool:
        """Whether any of the cues is there."""
        return any(self.of(cue) is not None for cue in cues)

    def _look_for(self, cue: str) -> re.Match[str] | None:
        for cues in self._cues:
            pattern: Pattern = getattr(cues, cue)
            if cue in _WHOLE:
                found = pattern.fullmatch(self.form)
            elif cue in _BEGINNING:
                found = pattern.match(self.form)
            else:
                found = pattern.search(self.form)
            if found:
                return found
        return None


def cues_in(form: str) -> tuple[float, ...]:
    """For each of `CUE_NAMES` 1.0 where the sentence holds it, else 0.0."""
    return _cues_in(form[:LONGEST])


@lru_cache(maxsize=1 << 11)
def _cues_in(form: str) -> tuple[float, ...]:
    signs = Signs(form, LANGUAGES)
    return tuple(float(signs.of(cue) is not None) for cue in CUE_NAMES)


NO_CUES = (0.0,) * len(CUE_NAMES)
