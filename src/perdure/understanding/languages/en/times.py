"""How English names times."""

from __future__ import annotations

import re
from collections import defaultdict

from perdure.understanding.languages.en import clocks, dates, distances, periods
from perdure.understanding.languages.en.tense import direction
from perdure.understanding.times.language import NEVER, Rule, TimeLanguage

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "\u00a0": " ", "\u202f": " ", "‑": "-"})


def _normalise(text: str) -> str:
    return text if text.isascii() else text.translate(_STRAIGHT)


def _rules() -> dict[str, list[Rule]]:
    by_head: dict[str, list[Rule]] = defaultdict(list)
    for module in (dates, clocks, periods, distances):
        for heads, rule in module.RULES:
            for head in heads:
                by_head[head].append(rule)
    return dict(by_head)


_BY_HEAD = _rules()

ENGLISH_TIMES = TimeLanguage(
    code="en",
    normalise=_normalise,
    head=re.compile(r"(?<![\w.])(?<!\d[-/:,])(?:[A-Za-z]+|\d+)|(?<=\s)'(?=\d\d)", re.A),
    rules=_BY_HEAD,
    wildcard=_BY_HEAD["0"],
    joint=re.compile(
        r"\s*[)]?\s*,?\s*(?:(?:(?:\(|on|in|at|of|during|between|around|about|by|from)\s+)?(?:the\s+)?)?|\s*['’]s\s+",
        re.I,
    ),
    until=re.compile(
        r"\s*(?:[-–—~]|\b(?:to|until|till|til|through|thru|up\s+to)\b)\s*(?:the\s+)?", re.I
    ),
    weak_until=re.compile(r"\s*,?\s*(?:and|&)\s*(?:the\s+)?", re.I),
    between=re.compile(r"\bbetween\s+(?:the\s+)?$", re.I),
    moved=re.compile(
        r"\b(?:mov|chang|shift|switch|reschedul|postpon|push|delay|brought|bring)\w*\b[^.;!?]*\bfrom\s+(?:the\s+)?$",
        re.I,
    ),
    since_before=re.compile(r"\bsince\s+(?:about\s+|around\s+|the\s+)*$", re.I),
    since_after=NEVER,
    onward_before=NEVER,
    onward_after=NEVER,
    direction=direction,
)
