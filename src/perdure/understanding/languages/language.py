"""What a language has to say so that its messages are understood, times apart.

A language is a folder under `perdure.understanding.languages` that offers one `Language`: closed
word lists as patterns over `form_of` texts, patterns for facts, and how a fact is said in words.
Everything here is data; what the parts mean for a decision is the same in all languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from perdure.domain.readings import Polarity


class Pattern:
    """A verbose regular expression over `form_of` texts, compiled when it is first used.

    Most messages need few of them, and importing the package stays light.
    """

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, re.X)

    def search(self, form: str) -> re.Match[str] | None:
        return self.compiled.search(form)

    def match(self, form: str) -> re.Match[str] | None:
        return self.compiled.match(form)

    def fullmatch(self, form: str) -> re.Match[str] | None:
        return self.compiled.fullmatch(form)

    def finditer(self, form: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(form)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """Closed classes of words, as patterns that are searched for in one sentence.

    `asks_only` is a sentence that is a question from beginning to end, `code` one that is code;
    `not_to_lose` is an order not to lose something, or a question whether it was lost, up to the
    end of its clause, `loss_reported` somebody else's request to lose something.

    `this_day` are words for the day of speaking or a part of it, which make nothing passing unless
    the sentence tells what goes on (`goes_on`); `begins` shows that something begins for good.

    `as_well` shows that something comes beside what there is, whatever else `addition` may mean.

    `retold` shows that something was told before, and nothing else.

    `plain_loss` is a request to forget something of the speaker's, at the beginning;
    `to_keep` is a request to keep something, at the beginning.

    `courtesy` has to match the whole sentence, `yes` and `no` its beginning.
    """

    question: Pattern
    asks_only: Pattern
    code: Pattern
    hypothetical: Pattern
    wish: Pattern
    reported: Pattern
    text_task: Pattern
    task: Pattern
    courtesy: Pattern
    yes: Pattern
    no: Pattern
    negation: Pattern
    ended: Pattern
    temporary: Pattern
    this_day: Pattern
    goes_on: Pattern
    begins: Pattern
    now: Pattern
    past: Pattern
    change: Pattern
    correction: Pattern
    addition: Pattern
    as_well: Pattern
    recap: Pattern
    retold: Pattern
    hearsay: Pattern
    remember: Pattern
    instruction: Pattern
    to_keep: Pattern
    plain_loss: Pattern
    forget: Pattern
    forget_back: Pattern
    taken_back: Pattern
    not_forget: Pattern
    not_to_lose: Pattern
    loss_reported: Pattern
    consolidate: Pattern
    everything: Pattern
    first_person: Pattern
    other_person: Pattern
    offers_to_keep: Pattern
    offers_to_lose: Pattern
    guess: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPattern:
    """One way in which speakers say a fact about themselves.

    The group `o` is the object, `k` the kind of thing in a favourite.
    """

    pattern: Pattern
    predicate: str
    polarity: Polarity = "+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """All that one language brings.

    `script` finds a character that shows the language; `roles` maps what people are called
    ("sister") to what they are to somebody (`sibling`), `role_names` is how a role is said;
    `attributes` find what something of the speaker's is, its kind as the group `k`, its value as `o`;
    `denying` finds what denies a fact that follows in its clause, `denial_reach` characters on at
    most; `clause` finds what parts clauses;
    `introducing` is what may stand between the word for a role and a name;
    `leaving` at the end of a clause and `left_for` after a value show that it gives way ("from X to");
    `arriving` at the end of what stands before a value shows that it is the new one ("moved to X");
    `intention` before a value shows that it is wanted or planned ("want to move to X");
    `again` shows in a clause, or after a value, that what was given up is taken up;
    `title` is a word before names that is none itself ("Dr");
    `name_rest` is what completes a name of one character;
    `replaced` finds a value that gives way to another one, as the group `o`;
    `own_name` is what may stand before a speaker's own name where they give it;
    `favourite_kind` finds the kind of thing that is a favourite, as the group `k`;
    `kinds` maps the word for a kind of thing to its name in a favourite; `statements` gives for
    each predicate how it is affirmed and denied, of subject `{s}`, object `{o}` and kind `{k}`.
    `slots` are words for a kind of fact ("address") with the predicates they name.
    `to_first_person` are replacements, in order, that turn what a speaker is told or asked about
    themselves ("You live in Riga, right?") into what they would say.
    `passing` marks a statement that holds for now.
    """

    code: str
    script: re.Pattern[str]
    cues: Cues
    facts: tuple[FactPattern, ...]
    attributes: tuple[Pattern, ...]
    favourite_kind: Pattern
    introducing: Pattern
    denying: Pattern
    denial_reach: int
    clause: Pattern
    own_name: Pattern
    replaced: Pattern
    leaving: Pattern
    left_for: Pattern
    again: Pattern
    arriving: Pattern
    intention: Pattern
    title: Pattern | None
    name_rest: Pattern | None
    roles: Mapping[str, str]
    statements: Mapping[str, tuple[str, str]]
    user: str
    possessive: str
    role_names: Mapping[str, str]
    kinds: Mapping[str, str]
    slots: Mapping[str, Pattern]
    to_first_person: tuple[tuple[Pattern, str], ...]
    passing: str
