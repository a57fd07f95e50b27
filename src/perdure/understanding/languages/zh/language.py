"""Chinese, put together."""

from __future__ import annotations

import re

from perdure.understanding.languages.language import Language
from perdure.understanding.languages.zh.addressed import TO_FIRST_PERSON
from perdure.understanding.languages.zh.cues import CUES
from perdure.understanding.languages.zh.facts import (
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
    NAME_REST,
    OWN_NAME,
    REPLACED,
)
from perdure.understanding.languages.zh.words import KINDS, ROLE_NAMES, ROLES, SLOTS, STATEMENTS

CHINESE = Language(
    code="zh",
    script=re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f]"),
    cues=CUES,
    facts=FACTS,
    attributes=ATTRIBUTES,
    favourite_kind=FAVOURITE_KIND,
    introducing=INTRODUCING,
    denying=DENYING,
    denial_reach=5,
    clause=CLAUSE,
    own_name=OWN_NAME,
    replaced=REPLACED,
    leaving=LEAVING,
    left_for=LEFT_FOR,
    again=AGAIN,
    arriving=ARRIVING,
    intention=INTENTION,
    title=None,
    name_rest=NAME_REST,
    roles=ROLES,
    statements=STATEMENTS,
    user="用户",
    possessive="{s}的{r}",
    role_names=ROLE_NAMES,
    kinds=KINDS,
    slots=SLOTS,
    to_first_person=TO_FIRST_PERSON,
    passing="{statement}（暂时）",
)
