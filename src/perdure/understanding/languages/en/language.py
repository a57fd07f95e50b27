"""English, put together."""

from __future__ import annotations

import re

from perdure.understanding.languages.en.addressed import TO_FIRST_PERSON
from perdure.understanding.languages.en.cues import CUES
from perdure.understanding.languages.en.facts import (
    AGAIN,
    ARRIVING,
    ATTRIBUTES,
    CLAUSE,
    DENYING,
    FACTS,
    FAVOURITE_KIND,
    INTENTION,
    INTRODUCING,
    LEAVING,
    LEFT_FOR,
    OWN_NAME,
    REPLACED,
    TITLE,
)
from perdure.understanding.languages.en.words import KINDS, ROLE_NAMES, ROLES, SLOTS, STATEMENTS
from perdure.understanding.languages.language import Language

ENGLISH = Language(
    code="en",
    script=re.compile(r"[a-z]+"),
    cues=CUES,
    facts=FACTS,
    attributes=ATTRIBUTES,
    favourite_kind=FAVOURITE_KIND,
    introducing=INTRODUCING,
    denying=DENYING,
    denial_reach=30,
    clause=CLAUSE,
    own_name=OWN_NAME,
    replaced=REPLACED,
    leaving=LEAVING,
    left_for=LEFT_FOR,
    again=AGAIN,
    arriving=ARRIVING,
    intention=INTENTION,
    title=TITLE,
    name_rest=None,
    roles=ROLES,
    statements=STATEMENTS,
    user="The user",
    possessive="{s}'s {r}",
    role_names=ROLE_NAMES,
    kinds=KINDS,
    slots=SLOTS,
    to_first_person=TO_FIRST_PERSON,
    passing="{statement} (for now)",
)
