"""What a language has to say so that its time expressions are found.

A language is a folder under `perdure.understanding.languages` that offers one `TimeLanguage`:
rules that read one atom each ("next May", "at 3 pm"), and the words that join atoms, make ranges
and show the tense. All arithmetic lives in the pieces that the rules return.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from perdure.understanding.times.interval import Direction
from perdure.understanding.times.terms import Piece

NEVER = re.compile(r"(?!)")
"""For what a language has no words for."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule read: pieces, or with `until` the two ends of a range that share a word.

    A dependent reading means something only beside another one: "in the evening" says nothing
    without a day.
    """

    pieces: tuple[Piece, ...]
    until: tuple[Piece, ...] = ()
    is_dependent: bool = False


class Rule:
    """A pattern tried where one of its heads stands, and what its match means, if anything.

    The pattern is compiled when it is first tried: most texts need few of them.
    """

    def __init__(
        self,
        pattern: str,
        read: Callable[[re.Match[str]], Reading | None],
        flags: re.RegexFlag = re.NOFLAG,
    ) -> None:
        self.read = read
        self.pattern = pattern
        self.flags = flags

    @cached_property
    def match(self) -> Callable[[str, int], re.Match[str] | None]:
        return re.compile(self.pattern, self.flags).match


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLanguage:
    """One language's rules.

    `normalise` maps a text to the form that the rules read, character by character, so that
    places stay the same. `head` finds where a rule could begin; `rules` gives, for what it
    matched (lower-cased), the rules to try; `wildcard` are those tried at every number.
    `joint` is what may stand between two atoms of one expression, `until` between the ends of a
    range; `weak_until` too, where `between` stands before the first end; after `moved` ("we changed it
    from Monday to Friday") two times are two. `since_before` and
    `since_after` are looked for at the edges of an expression, and make it reach to the present; so
    do `onward_before` and `onward_after` together, unless the tense looks ahead.
    """

    code: str
    normalise: Callable[[str], str]
    head: re.Pattern[str]
    rules: Mapping[str, Sequence[Rule]]
    wildcard: Sequence[Rule]
    joint: re.Pattern[str]
    until: re.Pattern[str]
    weak_until: re.Pattern[str]
    between: re.Pattern[str]
    moved: re.Pattern[str]
    since_before: re.Pattern[str]
    since_after: re.Pattern[str]
    onward_before: re.Pattern[str]
    onward_after: re.Pattern[str]
    direction: Callable[[str, int, int], Direction]
