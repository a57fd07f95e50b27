"""Whether one of two statements that follow each other gives the cause of the other.

Only words that say so at the very start count: "So I took the train", "Because the ferry was full",
"所以改坐火车", "因为渡轮满了". Everything else is left unlinked: a wrong cause is worse than none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from perdure.domain.text import fold

MOST_EVIDENCE_CHARS = 24

_EFFECT = re.compile(
    r"(?:and\s+|but\s+)?(?P<cue>so(?=,?\s+(?:i|we|he|she|they|it|my|our|his|her|their|the|this|that|now)\b)"
    r"|so(?=\s+[^\W\d_]+(?:['’]\w+)?\s+(?:had|was|were|went|took|moved|got|is|are|has|will|can't|couldn't)\b)"
    r"|therefore|consequently|thus|hence|as a (?:result|consequence)|because of (?:that|this|it)"
    r"|for (?:that|this) reason|that(?:['’]s| is| was) why|this is why|which is why|due to (?:that|this))\b"
)
_NO_EFFECT = re.compile(
    r"so (?:far|long|much|many|what|do|am|did|is it|it goes|i guess|i think|i hope)\b"
)
_EFFECT_HAN = re.compile(
    r"(?P<cue>所以(?!说)|因此|因而|于是|从而|结果(?=[我她他它们咱，,])|为此|正因为?(?:如此|这样|这个)|就因为?(?:这个|这样|此)|这就是为什么|怪不得)"
)
_CAUSE = re.compile(
    r"(?:it(?:['’]s| is| was) |that(?:['’]s| is| was) |this (?:is|was) )?(?:just |only |mainly |probably )?"
    r"(?P<cue>because(?! of (?:that|this|it)\b)|due to(?! (?:that|this)\b)|owing to|the (?:reason|cause) (?:is|was)(?: that)?)\b"
)
_CAUSE_HAN = re.compile(r"(?:这|那|都|就|主要)?(?:是)?(?P<cue>因为|由于|原因是|缘于)")
_QUESTION = re.compile(r"[?？]\s*$|[吗呢]\s*[。.!！]?\s*$")
_EFFECT_INSIDE = re.compile(r"[,，]\s*(?:so|therefore|所以|因此|于是)|[,，].*(?:所以|因此|于是|就)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLink:
    """That one statement gives the cause of the other, with the words that say so."""

    later_is_effect: bool
    evidence: str


def opens_causally(text: str) -> bool:
    """Whether a statement begins with words that may link it to the one before."""
    return _link(text) is not None


def causal_link(earlier: str, later: str) -> CausalLink | None:
    """How two statements that follow each other are linked; None when nothing says that they are.

    Questions are linked to nothing. A "because" that goes on to name its own effect ("Because it
    rained, we stayed in") links nothing else.
    """
    if _QUESTION.search(earlier) or _QUESTION.search(later):
        return None
    return _link(later)


def _link(text: str) -> CausalLink | None:
    folded = fold(text).lstrip(" \t\n\"'“‘「—–-…")
    if _NO_EFFECT.match(folded):
        return None
    effect = _EFFECT.match(folded) or _EFFECT_HAN.match(folded)
    if effect is not None:
        return CausalLink(later_is_effect=True, evidence=effect["cue"][:MOST_EVIDENCE_CHARS])
    cause = _CAUSE.match(folded) or _CAUSE_HAN.match(folded)
    if cause is None or _names_its_effect(folded):
        return None
    return CausalLink(later_is_effect=False, evidence=cause["cue"][:MOST_EVIDENCE_CHARS])


def _names_its_effect(folded: str) -> bool:
    """Whether a sentence that begins with its cause has the effect after a comma."""
    if folded.startswith(("because", "due to", "owing to")):
        return "," in folded
    return _EFFECT_INSIDE.search(folded) is not None
