"""Facts about the world in their plainest forms: "The capital of Ardova is Quell.", 阿多瓦的首都是奎尔.

In talk such sentences are general knowledge and nothing to hold. Somebody who stores one
deliberately means it to be held, and a later one about the same to take its place. Only forms are
read that name what they tell of (an attribute, a maker, a place of birth), so that it has one
value; "Ann is a doctor" and "Ann is a mother" are not among them.
"""

from __future__ import annotations

import re

from perdure.domain.readings import Claim, Span
from perdure.understanding.languages.en.told import ATTRIBUTES, PREDICATES
from perdure.understanding.languages.en.told import FORMS as ENGLISH
from perdure.understanding.languages.en.told import NOT_TOLD as ENGLISH_NOT_TOLD
from perdure.understanding.languages.zh.told import FORMS as CHINESE
from perdure.understanding.languages.zh.told import NOT_TOLD as CHINESE_NOT_TOLD

CONFIDENCE = 0.85
LONGEST = 240
"""Characters up to which a text is looked at: a plain statement is short."""


def told_fact(text: str) -> Claim | None:
    """The fact of a text that is one plain statement about the world; None for any other."""
    said = text.strip()
    if len(said) > LONGEST or "\n" in said:
        return None
    for forms, not_told in ((ENGLISH, ENGLISH_NOT_TOLD), (CHINESE, CHINESE_NOT_TOLD)):
        if not_told.search(said):
            continue
        for form in forms:
            match = form.fullmatch(said)
            if match is not None and _has_one_value(match):
                return _claim(text, said, match)
    return None


def _predicate(words: str) -> str:
    """The words of the slot, or the predicate by which such a fact is known elsewhere."""
    plain = " ".join(words.lower().split())
    return PREDICATES.get(plain, plain)


def _has_one_value(match: re.Match[str]) -> bool:
    """Whether the slot can have but one value of this sort.

    A door may be green and locked, so a plain word is a value only of what is named as having one.
    """
    value, slot = match["o"].strip(), match["p"].lower()
    if not value.isascii() or not value[0].islower():
        return True
    return " " in slot or slot.rpartition(" ")[2] in ATTRIBUTES


def _claim(text: str, said: str, match: re.Match[str]) -> Claim:
    start = text.index(said) + match.start("o")
    return Claim(
        subject=match["s"].strip(),
        predicate=_predicate(match["p"]),
        object=match["o"].strip(),
        span=Span(start=start, end=start + len(match["o"])),
        statement=said,
        is_single_valued=True,
        confidence=CONFIDENCE,
        leaned_on=("told",),
    )
