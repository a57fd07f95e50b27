"""English forms of plain facts about the world: `s` what it is about, `p` the slot, `o` the value."""

from __future__ import annotations

import re

NOT_TOLD = re.compile(
    r"[?!:;\n]|^(?:I|My|Mine|We|Our|You|Your|This|That|It|There|Maybe|Perhaps|If|Not|Now|Today)\b|"
    r"\b(?:and|that|when|where|which|as|but|because) I\b|\bI(?:'m|'ve|'d| am| was| have)\b|"
    r"\b(?:me|my|mine|we|us|our|you|your|also|too|as well|another|maybe|perhaps|if|not|never|"
    r"no longer|isn't|wasn't|now|today|yesterday|tomorrow|still|usually|sometimes|this|it's)\b|"
    # More than one sentence; the dot of an initial or a title ends none.
    r"(?<!\b[A-Z])(?<!\bJr)(?<!\bSr)(?<!\bSt)(?<!\bDr)(?<!\bInc)(?<!\bCo)\. +\S"
)
"""What is about the people talking, one of several, in doubt, denied, or only for a time."""

_NAME = r"(?:(?! (?:is|was|are|were) ).){1,80}?"
_VALUE = ".{1,80}?"
_MADE = (
    "built|coined|composed|created|designed|developed|directed|discovered|established|founded|"
    "introduced|invented|made|owned|painted|performed|produced|published|recorded|written"
)
_BE = "(?:is|was|are|were)"

FORMS = tuple(
    re.compile(rf"{form}\.?", re.IGNORECASE)
    for form in (
        rf"the (?P<p>{_NAME}) (?:of|for) (?P<s>{_NAME}) {_BE} (?P<o>{_VALUE})",
        rf"the (?P<p>{_NAME} (?:that|where|which|whom)) (?P<s>.{{1,80}}?) {_BE} (?P<o>{_VALUE})",
        rf"(?P<s>{_NAME}) (?P<p>(?:{_BE} )?[a-z]+ (?:[a-z]+ )?the [a-z]+ of) (?P<o>{_VALUE})",
        rf"(?P<s>{_NAME}) (?P<p>{_BE} (?:[a-z]+ly )?(?:{_MADE}) (?:by|in|on)) (?P<o>{_VALUE})",
        rf"(?P<s>{_NAME}) (?P<p>{_BE} (?:a citizen of|married to|famous for|employed by|based in|"
        rf"headquartered in|located in|affiliated with|born (?:in|on))) (?P<o>{_VALUE})",
        rf"(?P<s>{_NAME})'s (?P<p>[a-z]+(?: [a-z]+)?) {_BE} (?P<o>{_VALUE})",
        rf"(?P<s>{_NAME}) (?P<p>died (?:in|on)) (?P<o>{_VALUE})",
    )
)

ATTRIBUTES = frozenset(
    "address brand capital cause code color colour cost currency date deadline diet flavour format "
    "genre language length level location material name number operator owner password phase "
    "place port position price profession purpose religion season size sort species speed sport "
    "status style theme time title type version".split()
)
"""Slots whose value may be a plain word."""

PREDICATES = {"was born in": "born_in", "is married to": "spouse", "is employed by": "works_at"}
